//! Files and folders that are not finished yet, and that nobody must find if they never are.
//!
//! Each lies beside what it is to become, under a name of its own kind, and is locked while its process lives. A signal has
//! them [abandoned](abandon); what a process left that was killed is swept by the next one that writes into the same folder:
//! a lock that can be had belongs to nobody.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// How all their names begin, and no other's.
const PREFIX: &str = ".stablevar-unfinished-";
/// Another process may sweep a file between its making and its lock, but not this often.
const ATTEMPTS: usize = 8;

/// What this process has not finished.
#[derive(Default)]
struct Register {
    paths: BTreeSet<PathBuf>,
    /// Folders that were swept already.
    swept: HashSet<PathBuf>,
}

static REGISTER: LazyLock<Mutex<Register>> = LazyLock::new(Mutex::default);

fn register() -> MutexGuard<'static, Register> {
    REGISTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file under construction, which is gone with it unless it is put in its place.
pub(crate) struct UnfinishedFile {
    file: Option<tempfile::NamedTempFile>,
    path: PathBuf,
}

impl UnfinishedFile {
    /// A new file in a folder, made as `builder` says.
    pub(crate) fn create(folder: &Path, builder: &mut tempfile::Builder) -> Result<Self> {
        sweep(folder);
        for _ in 0..ATTEMPTS {
            let mut known = register();
            let file = builder.prefix(PREFIX).tempfile_in(folder)?;
            // Where files can't be locked, nobody sweeps them either.
            let _ = file.as_file().try_lock();
            if file.path().exists() {
                let path = file.path().to_path_buf();
                known.paths.insert(path.clone());
                return Ok(Self { file: Some(file), path });
            }
        }
        Err(Error::new(ErrorKind::ResourceBusy, "temporary files there vanish as soon as they are made"))
    }

    /// The file to be filled.
    pub(crate) fn as_file(&mut self) -> Result<&mut File> {
        self.file.as_mut().map(tempfile::NamedTempFile::as_file_mut).ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Puts it in its place, where it replaces what is there.
    pub(crate) fn persist(mut self, target: &Path) -> Result<()> {
        // Held meanwhile: a signal comes before or after, never between.
        let mut known = register();
        known.paths.remove(&self.path);
        let persisted = self.file.take().map(|file| file.persist(target).map(|_| ()).map_err(|error| error.error));
        drop(known);
        persisted.unwrap_or_else(|| Err(ErrorKind::NotFound.into()))
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        drop(self.file.take());
        register().paths.remove(&self.path);
    }
}

/// A folder to work in, which is gone with it.
pub struct WorkFolder {
    folder: tempfile::TempDir,
    /// Holds the lock.
    _open: Option<File>,
}

impl WorkFolder {
    /// A new folder inside another.
    pub fn create(parent: &Path) -> Result<Self> {
        sweep(parent);
        for _ in 0..ATTEMPTS {
            let mut known = register();
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            let open = File::open(folder.path()).ok();
            let _ = open.as_ref().map(File::try_lock);
            if folder.path().exists() {
                known.paths.insert(folder.path().to_path_buf());
                return Ok(Self { folder, _open: open });
            }
        }
        Err(Error::new(ErrorKind::ResourceBusy, "temporary folders there vanish as soon as they are made"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        remove(self.folder.path());
        register().paths.remove(self.folder.path());
    }
}

/// Removes all that is not finished, and lets nothing more be begun or finished: the process is about to end.
pub fn abandon() {
    let mut known = register();
    std::mem::take(&mut known.paths).iter().for_each(|path| remove(path));
    std::mem::forget(known);
}

fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

/// Removes from a folder what processes left that are gone. What can't be looked at or removed stays.
fn sweep(folder: &Path) {
    let Ok(folder) = folder.canonicalize() else { return };
    if !register().swept.insert(folder.clone()) {
        return;
    }
    let is_unfinished = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(PREFIX));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        // A link of this name is none of ours.
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_unfinished(&entry.file_name()) && !is_link {
            let left = File::open(entry.path());
            if left.is_ok_and(|file| file.try_lock().is_ok()) {
                remove(&entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_the_dead_left_is_swept_and_what_the_living_work_on_stays() {
        let folder = tempfile::tempdir().unwrap();
        let dead = folder.path().join(format!("{PREFIX}dead"));
        std::fs::write(&dead, "half").unwrap();
        std::fs::create_dir(folder.path().join(format!("{PREFIX}folder"))).unwrap();
        std::fs::write(folder.path().join(".stablevar-mine"), "the user's").unwrap();
        let alive = folder.path().join(format!("{PREFIX}alive"));
        let held = File::create(&alive).unwrap();
        held.try_lock().unwrap();
        let file = UnfinishedFile::create(folder.path(), &mut tempfile::Builder::new()).unwrap();
        let left = names(folder.path());
        assert!(left.len() == 3 && alive.exists() && !dead.exists() && file.path.exists(), "{left:?}");
        drop(file);
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn a_work_folder_is_gone_with_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkFolder::create(folder.path()).unwrap();
        std::fs::write(work.path().join("x"), "y").unwrap();
        drop(work);
        assert!(names(folder.path()).is_empty());
    }
}
