//! Model files are a promise: those of this version and of the last two are read, and others are refused with the way out.
//!
//! `models/version-8.json` was written by `stablevar fit table.csv --target y --method ols --remember 5` of that time, and
//! `models/version-9.json` by `stablevar fit bent.csv --target y --remember 5`, whose model is half-way to trees and held within outcomes
//! seen; `models/version-10.json` by `stablevar fit short.csv --target y --remember 5`, whose model is half-way to all columns. Of older versions the files have what decides: the head, and the command that made the model, which versions from 5 on kept.

use stablevar::wording::Plain;
use stablevar_io::{IoError, ReadOptions, read_model, read_table};
use std::path::PathBuf;

/// What the model half-way to all columns predicts for the first rows.
const SHORT: [f64; 3] = [-1.2803438483660772, -0.25026454183509045, -2.493999575015698];

/// What the model half-way to trees predicts for the first rows.
const BENT: [f64; 3] = [-1.007043119949266, 1.0240573312688457, -0.7372475831769023];

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

#[test]
fn files_that_are_read_predict_what_they_did() {
    let of_8 = ("version-8.json", "table.csv", [3.5620890484636596, 3.3495112918196037, 0.520855886076336], 60);
    for (name, table, expected, rows) in
        [of_8, ("version-9.json", "bent.csv", BENT, 400), ("version-10.json", "short.csv", SHORT, 300)]
    {
        let model = read_model(&file(name)).unwrap();
        let table = read_table(&file(table), &ReadOptions::default()).unwrap();
        let predicted = model.predict(&table).unwrap();
        for (found, expected) in predicted.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{name}: {found} {expected}");
        }
        assert_eq!(predicted.len(), rows);
    }
}

#[test]
fn the_newest_file_holds_what_came_last() {
    let newest = read_model(&file("version-10.json")).unwrap();
    assert!(newest.used().len() == 9 && newest.selected.len() == 5, "{:?}", newest.selected);
    assert!(newest.refit.is_some_and(|refit| refit.candidate.beside_all), "not half-way to all columns");
}

#[test]
fn files_of_other_versions_are_refused_with_the_way_out() {
    for version in 1..8 {
        let error = read_model(&file(&format!("version-{version}.json"))).unwrap_err();
        assert!(matches!(error, IoError::ModelVersion { found, .. } if found == version), "{error}");
        let (told, hint) = (error.to_string(), error.hint(&Plain).unwrap());
        assert!(told.contains(&version.to_string()) && told.contains("10"), "{told}");
        assert!(hint.contains("fit again"), "{hint}");
        assert_eq!(hint.contains("stablevar fit table.csv --target y"), version >= 5, "{hint}");
    }
}
