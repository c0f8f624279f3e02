//! What goes wrong around the program must not cost anyone their files or their work: outputs that are inputs, pipes that are
//! closed, disks that are full, signals, programs that lie in wait.
#![cfg(unix)]

use crate::common::{Folder, read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

/// A folder with a table and a model that was fitted to it.
fn with_model() -> Folder {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json", "--quiet"]).succeeds();
    folder
}

fn program(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stablevar"));
    command.current_dir(folder.path("")).stdout(Stdio::null());
    command
}

#[test]
fn nothing_is_written_over_what_is_read_or_over_another_output() {
    let folder = with_model();
    std::fs::hard_link(folder.path("train.csv"), folder.path("hard.csv")).unwrap();
    symlink("train.csv", folder.path("soft.csv")).unwrap();
    std::fs::create_dir(folder.path("sub")).unwrap();
    let (table, model, names) = (read(&folder.path("train.csv")), read(&folder.path("m.json")), folder.names());
    let fit = ["fit", "train.csv", "--target", "y"];
    let refused: &[(&[&str], &[&str], &str)] = &[
        (&fit, &["--model", "train.csv"], "is read from train.csv"),
        (&fit, &["--model", "hard.csv"], "is read from train.csv"),
        (&fit, &["--weights", "sub/../soft.csv"], "is read from train.csv"),
        (&fit, &["--report", "train.csv"], "is read from train.csv"),
        (&fit, &["--model", "same", "--weights", "./same"], "is written to same"),
        (&fit, &["--model", "same", "--report", "sub/../same"], "is written to same"),
        (&["predict", "m.json", "train.csv"], &["--out", "train.csv"], "is read from train.csv"),
        (&["predict", "m.json", "train.csv"], &["--out", "./m.json"], "is read from m.json"),
        (&["report", "m.json"], &["--out", "m.json"], "is read from m.json"),
        (&["report", "m.json", "--evaluate", "train.csv"], &["--out", "train.csv"], "is read from train.csv"),
        (&["report", "m.json", "--training", "train.csv"], &["--out", "soft.csv"], "is read from train.csv"),
        (&["foresee", "m.json", "train.csv"], &["--report", "m.json"], "is read from m.json"),
        (&["weigh", "train.csv", "--target", "y"], &["--chart", "train.csv"], "is read from train.csv"),
        (&["compare", "train.csv", "--target", "y"], &["--report", "train.csv"], "is read from train.csv"),
        (
            &["compare", "train.csv", "--target", "y", "--report", "m.json"],
            &["--models", "m.json"],
            "is read from m.json",
        ),
    ];
    for (first, rest, why) in refused {
        folder.run(&[*first, *rest].concat()).fails_with(&["can't be written to: the same file", why, "hint"]);
    }
    assert_eq!((read(&folder.path("train.csv")), read(&folder.path("m.json")), folder.names()), (table, model, names));
}

#[test]
fn rows_added_to_the_table_that_is_read_are_refused() {
    let folder = with_model();
    let before = read(&folder.path("train.csv"));
    let out = std::fs::OpenOptions::new().append(true).open(folder.path("train.csv")).unwrap();
    let status = program(&folder).args(["predict", "m.json", "train.csv"]).stdout(out).stderr(Stdio::null()).status();
    assert_eq!(status.unwrap().code(), Some(1));
    assert_eq!(read(&folder.path("train.csv")), before);
}

#[test]
fn outputs_that_can_not_be_written_are_refused_before_any_work() {
    let folder = with_model();
    folder.file("closed.json", "mine");
    std::fs::set_permissions(folder.path("closed.json"), PermissionsExt::from_mode(0o444)).unwrap();
    // A folder that not even the owner of the machine can write to.
    let commands: &[&[&str]] = &[
        &["fit", "nowhere.csv", "--target", "y", "--model"],
        &["predict", "m.json", "nowhere.csv", "--out"],
        &["report", "nowhere.json", "--out"],
        &["foresee", "m.json", "nowhere.csv", "--report"],
        &["compare", "nowhere.csv", "--target", "y", "--report"],
        &["weigh", "nowhere.csv", "--weights"],
        &["simulate", "linear", "--out"],
        &["demo", "--report"],
    ];
    for command in commands {
        for (place, why) in
            [("/proc/here", "/proc/here"), ("none/x", "its folder does not exist"), ("closed.json", "it is read-only")]
        {
            folder.run(&[*command, &[place]].concat()).fails_with(&["can't write", place, why, "hint"]);
        }
    }
    folder.run(&["reproduce", "table1", "--out", "/proc/here"]).fails_with(&["can't write"]);
    assert_eq!(read(&folder.path("closed.json")), "mine");
}

#[test]
fn a_link_stays_a_link_even_to_what_is_not_there_yet() {
    let folder = Folder::with_sample();
    symlink("later.json", folder.path("link.json")).unwrap();
    symlink("loop.json", folder.path("loop.json")).unwrap();
    let fit = ["fit", "train.csv", "--target", "y", "--method", "ols", "--quiet", "--model"];
    folder.run(&[&fit[..], &["link.json"]].concat()).succeeds();
    assert!(folder.path("link.json").is_symlink() && read(&folder.path("later.json")).contains("stablevar model"));
    folder.run(&[&fit[..], &["loop.json"]].concat()).fails_with(&["loop.json", "leads to itself"]);
}

#[test]
fn a_closed_or_full_standard_error_costs_nothing() {
    let folder = Folder::with_sample();
    for method in ["ols", "svi"] {
        for full in [true, false] {
            let stderr = if full {
                Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
            } else {
                let (reader, writer) = std::io::pipe().unwrap();
                drop(reader);
                Stdio::from(writer)
            };
            let name = format!("{method}{full}.json");
            let arguments = ["fit", "train.csv", "--target", "y", "--method", method, "--model", &name];
            let status = program(&folder).args(arguments).stderr(stderr).status().unwrap();
            assert!(matches!(status.code(), Some(0 | 3)), "{status}");
            assert!(read(&folder.path(&name)).contains("stablevar model"));
        }
    }
    // An error that can't be told is still an exit code.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    assert_eq!(
        program(&folder).args(["fit", "none.csv", "--target", "y"]).stderr(full).status().unwrap().code(),
        Some(1)
    );
}

#[test]
fn a_full_standard_output_is_told_after_the_files_are_there() {
    let folder = Folder::with_sample();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let arguments = ["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json"];
    let output = program(&folder).args(arguments).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("can't write standard output"));
    assert!(read(&folder.path("m.json")).contains("stablevar model"));
    let output = program(&folder).args(["predict", "m.json", "train.csv"]).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn names_do_not_steer_the_terminal() {
    let folder = Folder::with_sample();
    let text = read(&folder.path("train.csv"));
    let wild = text.replacen("s1", "s\u{1b}[31m1", 1).replacen("s2", "s\u{9b}2J", 1).replacen("v1", "\u{202e}v1", 1);
    folder.file("wild.csv", wild);
    let fit = ["fit", "wild.csv", "--target", "y", "--method", "ols"];
    let steers = |text: &str| text.contains(['\u{1b}', '\u{9b}', '\u{202e}']);
    let wrong = ["fit", "wild.csv", "--target", "nothing"];
    let cases: [&[&str]; 4] =
        [&fit, &[&fit[..], &["--format", "json"]].concat(), &wrong, &[&fit[..], &["--exclude", "\u{1b}x"]].concat()];
    for arguments in cases {
        let run = folder.run(arguments);
        assert!(!steers(&run.stdout()) && !steers(&run.stderr()), "{}{}", run.stdout(), run.stderr());
    }
    let json = folder.run(&[&fit[..], &["--format", "json", "--quiet"]].concat()).succeeds().json();
    assert_eq!(json["features"][0], "s\u{1b}[31m1", "programs get the names as they are");
}

#[test]
fn a_module_in_the_current_folder_is_not_run() {
    let folder = Folder::new();
    for name in ["pip.py", "zipfile.py", "shutil.py", "sitecustomize.py"] {
        folder.file(name, "open('caught', 'w')\n");
    }
    let mut command = program(&folder);
    command.env("STABLEVAR_DATA", folder.path("cache")).env("PYTHONPATH", ".").env("PIP_NO_INDEX", "1");
    let output = command.args(["data", "king-county", "--out", "x.csv"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!folder.path("caught").exists(), "code of the current folder was run");
    assert_eq!(std::fs::read_dir(folder.path("cache")).unwrap().count(), 0);
}

#[test]
fn weights_beyond_what_can_be_computed_with_are_named() {
    let folder = Folder::with_sample();
    for weight in ["1e-320", "1e200", "1e300", "1e-51", "-1"] {
        let text = read(&folder.path("train.csv"));
        let lines = text.lines().enumerate().map(|(k, line)| format!("{line},{}\n", if k == 0 { "w" } else { weight }));
        folder.file("w.csv", lines.collect::<String>());
        folder.run(&["fit", "w.csv", "--target", "y", "--weight-column", "w"]).fails_with(&[
            "'w'",
            "from 1e-50 to 1e50",
            "row 1 has",
        ]);
    }
}

#[test]
fn predictions_are_numbers_or_an_error() {
    let folder = with_model();
    let header = read(&folder.path("train.csv")).lines().next().unwrap().to_string();
    let row = |value: &str| [value; 11].join(",");
    folder.file("far.csv", format!("{header}\n{}\n{}\n", row("1"), row("1e308")));
    folder.run(&["predict", "m.json", "far.csv", "--out", "p.csv"]).fails_with(&[
        "far.csv",
        "row 2: the prediction is",
        "beyond the range of numbers",
        "hint",
    ]);
    assert!(!folder.path("p.csv").exists());
}

#[test]
fn two_numbers_are_said_to_be_taken_for_numbers() {
    let folder = Folder::new();
    let rows: String = (0..60).map(|k| format!("{},{},{}\n", (k * 7) % 11, (k * 5) % 13, 1 + (k * k) % 2)).collect();
    folder.file("t.csv", format!("a,b,y\n{rows}"));
    let run = folder.run(&["fit", "t.csv", "--target", "y", "--format", "json"]);
    assert_eq!(run.json()["task"], "regression");
    assert!(run.json()["warnings"].to_string().contains("holds two numbers only, 1 and 2"), "{}", run.stdout());
    let told = folder.run(&["fit", "t.csv", "--target", "y", "--task", "classification", "--format", "json"]);
    assert!(!told.stdout().contains("two numbers only"));
}
