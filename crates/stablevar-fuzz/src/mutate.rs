//! Other inputs of sound ones, each from its number alone.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Longer inputs find nothing that shorter ones don't, and take longer.
const MOST_BYTES: usize = 1 << 16;
/// What texts trip over.
const WORDS: [&str; 28] = [
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "1e-320",
    "-0",
    "\"",
    "\"\"",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\u{feff}",
    "NA",
    "?",
    "true",
    "{",
    "}",
    "[",
    "]",
    "null",
    "-1",
    "18446744073709551615",
    "1e400",
    "0",
    "\u{1b}[2J",
    "\u{0}",
];
/// Numbers that lengths and places trip over.
const NUMBERS: [i64; 14] =
    [0, 1, -1, 7, 8, 127, 255, 65_535, i32::MAX as i64, i32::MIN as i64, u32::MAX as i64, i64::MAX, i64::MIN, 1 << 40];

/// The input of a number: one of the seeds, changed in a few places.
pub fn input(seeds: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let Some(first) = seeds.get(random.random_range(0..seeds.len().max(1))) else { return Vec::new() };
    let mut bytes = first.clone();
    let changes = 1 << random.random_range(0..5);
    for _ in 0..random.random_range(1..=changes) {
        change(&mut bytes, seeds, &mut random);
    }
    bytes.truncate(MOST_BYTES);
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut ChaCha8Rng) {
    let length = bytes.len();
    let place = random.random_range(0..length.max(1)).min(length);
    let end = (place + random.random_range(0..24)).min(length);
    match random.random_range(0..11) {
        0 | 1 if length > 0 => bytes[place] ^= 1 << random.random_range(0..8),
        2 if length > 0 => bytes[place] = random.random(),
        3 => {
            let number = NUMBERS[random.random_range(0..NUMBERS.len())].to_le_bytes();
            let size = [1, 2, 4, 8][random.random_range(0..4)];
            let size = size.min(length - place);
            bytes[place..place + size].copy_from_slice(&number[..size]);
        }
        4 => drop(bytes.drain(place..end)),
        5 => {
            let again = bytes[place..end].to_vec();
            drop(bytes.splice(place..place, again));
        }
        6 => {
            let word = WORDS[random.random_range(0..WORDS.len())];
            drop(bytes.splice(place..place, word.bytes()));
        }
        7 => {
            let word = WORDS[random.random_range(0..WORDS.len())];
            drop(bytes.splice(place..end, word.bytes()));
        }
        8 => {
            let other = &seeds[random.random_range(0..seeds.len())];
            let from = random.random_range(0..other.len().max(1)).min(other.len());
            let to = (from + random.random_range(0..200)).min(other.len());
            drop(bytes.splice(place..end, other[from..to].iter().copied()));
        }
        9 => bytes.truncate(place),
        _ => {
            // A number in a text becomes another.
            let is_digit = |byte: &u8| byte.is_ascii_digit();
            if let Some(start) = bytes[place..].iter().position(is_digit).map(|start| place + start) {
                let stop = bytes[start..].iter().position(|byte| !is_digit(byte)).map_or(length, |stop| start + stop);
                let number = NUMBERS[random.random_range(0..NUMBERS.len())].to_string();
                drop(bytes.splice(start..stop, number.bytes()));
            }
        }
    }
}
