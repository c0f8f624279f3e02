//! What the tests share.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that goes away with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs the program in this folder.
    pub fn run(&self, arguments: &[&str]) -> Run {
        Run(self.command(arguments).output().unwrap())
    }

    /// The program in this folder, to be started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stablevar"));
        command.args(arguments).current_dir(self.0.path());
        command
    }

    /// 600 simulated rows, in `train.csv`.
    pub fn with_sample() -> Self {
        let folder = Self::new();
        folder.run(&["simulate", "linear", "--n", "600", "--seed", "5", "--out", "train.csv"]).succeeds();
        folder
    }
}

pub struct Run(Output);

impl Run {
    pub fn code(&self) -> i32 {
        self.0.status.code().expect("ended by itself")
    }

    pub fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    /// What was printed, wherever its lines were broken.
    pub fn prose(&self) -> String {
        self.stdout().split_whitespace().collect::<Vec<&str>>().join(" ")
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    pub fn succeeds(self) -> Self {
        assert_eq!(self.code(), 0, "{}", self.stderr());
        self
    }

    /// Exit code 1 and a message, with a hint, that has all the parts given.
    pub fn fails_with(self, parts: &[&str]) -> Self {
        assert_eq!(self.code(), 1, "{}{}", self.stdout(), self.stderr());
        assert!(self.stderr().starts_with("error: "), "{}", self.stderr());
        assert!(!self.stderr().contains("panicked"), "{}", self.stderr());
        for part in parts {
            assert!(self.stderr().contains(part), "no '{part}' in: {}", self.stderr());
        }
        assert_eq!(self.stdout(), "");
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout()).unwrap()
    }
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
