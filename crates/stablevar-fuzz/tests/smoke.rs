//! A short run of every kind of input, and every input that found something once.
#![allow(missing_docs, clippy::unwrap_used)]

use stablevar_fuzz::Kind;
use std::path::Path;
use std::process::Command;

/// Some seconds in all; `make fuzz` runs a million.
fn smoke(kind: &str, inputs: u32) {
    let found = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_stablevar-fuzz"))
        .args([kind, "--inputs", &inputs.to_string(), "--seed", "1", "--found"])
        .arg(found.path())
        .output()
        .unwrap();
    let (said, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{failed}");
    assert!(said.contains(&format!("{kind}: {inputs} inputs")) && !said.contains(" 0 understood"), "{said}");
}

#[test]
fn csv() {
    smoke("csv", 2500);
}

#[test]
fn parquet() {
    smoke("parquet", 800);
}

#[test]
fn arrow() {
    smoke("arrow", 2500);
}

#[test]
fn model() {
    smoke("model", 800);
}

#[test]
fn options() {
    smoke("options", 60);
}

#[test]
fn what_was_found_once_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    for kind in Kind::ALL {
        let entries =
            std::fs::read_dir(folder.join(format!("{kind:?}").to_lowercase())).into_iter().flatten().flatten();
        entries.for_each(|entry| _ = kind.try_input(&std::fs::read(entry.path()).unwrap()));
    }
}

#[test]
fn an_input_is_made_from_its_number_alone() {
    let seeds = stablevar_fuzz::corpus::seeds(Kind::Csv).unwrap();
    let input = |number| stablevar_fuzz::mutate::input(&seeds, 1, number);
    assert_eq!((input(5), input(6)), (input(5), input(6)));
    assert_ne!(input(5), input(6));
}
