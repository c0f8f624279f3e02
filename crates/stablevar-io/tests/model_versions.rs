//! Model files are a promise: one of this version is read for as long as the version stands, and others are refused with the way out.
//!
//! `models/version-8.json` was written by `stablevar fit table.csv --target y --method ols --remember 5`. Of older versions the
//! files have what decides: the head, and the command that made the model, which versions from 5 on kept.
#![allow(missing_docs, clippy::unwrap_used)]

use stablevar::wording::Plain;
use stablevar_io::{IoError, ReadOptions, read_model, read_table};
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

#[test]
fn a_file_of_this_version_is_read_and_predicts_what_it_did() {
    let model = read_model(&file("version-8.json")).unwrap();
    let table = read_table(&file("table.csv"), &ReadOptions::default()).unwrap();
    let predicted = model.predict(&table).unwrap();
    let expected = [3.5620890484636596, 3.3495112918196037, 0.520855886076336];
    for (found, expected) in predicted.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    assert_eq!(predicted.len(), 60);
}

#[test]
fn files_of_other_versions_are_refused_with_the_way_out() {
    for version in 1..8 {
        let error = read_model(&file(&format!("version-{version}.json"))).unwrap_err();
        assert!(matches!(error, IoError::ModelVersion { found, .. } if found == version), "{error}");
        let (told, hint) = (error.to_string(), error.hint(&Plain).unwrap());
        assert!(told.contains(&version.to_string()) && told.contains('8'), "{told}");
        assert!(hint.contains("fit again"), "{hint}");
        assert_eq!(hint.contains("stablevar fit table.csv --target y"), version >= 5, "{hint}");
    }
}
