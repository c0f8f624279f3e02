//! Programs that are ended at any moment: no output is half-written, none is lost, and nothing is left lying about.
//!
//! Some kills here; `make kills` does a hundred, by STABLEVAR_KILLS.
#![cfg(target_os = "linux")]

use crate::common::{Folder, read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OLD: &str = "what was there before";
const SIGNALS: [(&str, i32); 4] = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)];

/// What a command writes, and how a whole one ends.
struct Case {
    arguments: &'static [&'static str],
    output: &'static str,
    ends_with: &'static str,
}

const CASES: [Case; 4] = [
    Case {
        arguments: &[
            "fit",
            "large.csv",
            "--target",
            "y",
            "--method",
            "ols",
            "--model",
            "out/x",
            "--weights",
            "out/w",
            "--quiet",
        ],
        output: "out/x",
        ends_with: "}\n",
    },
    Case { arguments: &["predict", "m.json", "large.csv", "--out", "out/x"], output: "out/x", ends_with: "\n" },
    Case {
        arguments: &["report", "m.json", "--evaluate", "large.csv", "--out", "out/x", "--quiet"],
        output: "out/x",
        ends_with: "</html>\n",
    },
    Case {
        arguments: &["reproduce", "table1", "--seeds", "1", "--jobs", "2", "--out", "out", "--quiet"],
        output: "out/table1.json",
        ends_with: "}",
    },
];

fn unfinished(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with(".stablevar") {
            found.push(name);
        } else if entry.path().is_dir() {
            found.extend(unfinished(&entry.path()));
        }
    }
    found
}

#[test]
fn a_program_that_is_killed_leaves_whole_files_or_none() {
    let kills: u64 = std::env::var("STABLEVAR_KILLS").map_or(8, |text| text.parse().unwrap());
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json", "--quiet"]).succeeds();
    let text = read(&folder.path("train.csv"));
    let (header, rows) = text.split_once('\n').unwrap();
    folder.file("large.csv", format!("{header}\n{}", rows.repeat(100)));
    std::fs::create_dir(folder.path("out")).unwrap();
    let usual: Vec<Duration> = CASES.iter().map(|case| seconds_of(&folder, case)).collect();
    let (mut random, mut ended, mut left, mut by_signal) = (1u64, 0, 0, [0; 4]);
    // A kill that comes too late is none.
    for attempt in 0..3 * kills {
        if by_signal.iter().sum::<u64>() == kills {
            break;
        }
        // Knuth's generator: the same kills every time, as far as a clock allows.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let which = (attempt % 4) as usize;
        let (case, kind) = (&CASES[which], ((random >> 40) % 4) as usize);
        let (signal, number) = SIGNALS[kind];
        let output = folder.path(case.output);
        std::fs::write(&output, OLD).unwrap();
        let mut child = start(&folder, case);
        std::thread::sleep(usual[which].mul_f64(0.8 * (random >> 33) as f64 / f64::from(1u32 << 31)));
        let _ = Command::new("kill").args(["-s", signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        let status = child.wait().unwrap();
        assert!(status.signal().is_none_or(|by| by == number), "{signal}: {status}");
        by_signal[kind] += u64::from(status.signal().is_some());
        ended += i32::from(status.signal().is_none());
        let found = read(&output);
        assert!(
            found == OLD || found.ends_with(case.ends_with),
            "{:?} is half-written: {}",
            case.arguments,
            found.len()
        );
        let unswept = unfinished(&folder.path("out"));
        assert!(signal == "KILL" || unswept.is_empty(), "{signal} left {unswept:?}");
        left += i32::from(!unswept.is_empty());
        if !unswept.is_empty() {
            // The next program that writes there sweeps.
            assert!(start(&folder, case).wait().unwrap().success());
            assert_eq!(unfinished(&folder.path("out")), Vec::<String>::new());
        }
    }
    println!(
        "{kills} kills: {by_signal:?} by INT, TERM, HUP, KILL, {ended} came too late, {left} left something, which was swept"
    );
    assert!(by_signal.iter().sum::<u64>() > 0, "every kill came too late");
}

fn start(folder: &Folder, case: &Case) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stablevar"));
    command.current_dir(folder.path("")).args(case.arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// How long a command takes when nobody stops it; the long one is cut short.
fn seconds_of(folder: &Folder, case: &Case) -> Duration {
    let begun = Instant::now();
    let mut child = start(folder, case);
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(3) {
            child.kill().unwrap();
            child.wait().unwrap();
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    begun.elapsed()
}

#[test]
fn a_program_that_is_to_live_through_a_signal_does() {
    let folder = Folder::with_sample();
    let arguments = "fit train.csv --target y --quiet --model m.json";
    // As nohup does: the signal is ignored from the start.
    let line = format!("trap '' HUP; exec '{}' {arguments}", env!("CARGO_BIN_EXE_stablevar"));
    let mut child =
        Command::new("sh").arg("-c").arg(line).current_dir(folder.path("")).stdout(Stdio::null()).spawn().unwrap();
    for _ in 0..10 {
        std::thread::sleep(Duration::from_millis(30));
        let _ = Command::new("kill").args(["-s", "HUP", &child.id().to_string()]).stderr(Stdio::null()).status();
    }
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 3)));
    assert!(folder.path("m.json").exists());
}
