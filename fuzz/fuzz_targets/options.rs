#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    stablevar_fuzz::Kind::Options.try_input(bytes);
});
