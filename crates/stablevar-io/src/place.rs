//! Which file a path means, so that nothing is written over what is still needed.

use crate::{IoError, Result, display, parts};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Links that are followed at most, as the system does.
const MOST_LINKS: usize = 40;

/// A file by what it is, not by what it is called.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// One that exists: its device and its number there.
    #[cfg(unix)]
    File(u64, u64),
    /// By its whole path, links followed.
    Path(PathBuf),
}

/// Refuses outputs that would replace an input or each other, or that can't be written, before any work is done.
///
/// Inputs may be folders and patterns; `-` is standard input, or standard output.
pub fn check_outputs(inputs: &[&Path], outputs: &[&Path]) -> Result<()> {
    let mut taken: Vec<(Identity, String)> = Vec::new();
    for input in inputs {
        // What can't be found is told of when it is read.
        let files = parts::parts(input).unwrap_or_default().unwrap_or_else(|| vec![input.to_path_buf()]);
        taken
            .extend(files.iter().filter_map(|file| Some((of_input(file)?, format!("is read from {}", display(file))))));
    }
    for output in outputs {
        let fault = |source| IoError::Write { path: written_to(output), source };
        let Some(identity) = of_output(output).map_err(fault)? else { continue };
        if let Some((_, use_of_it)) = taken.iter().find(|(other, _)| *other == identity) {
            return Err(IoError::Overwrites { path: written_to(output), use_of_it: use_of_it.clone() });
        }
        taken.push((identity, format!("is written to {}", written_to(output))));
    }
    outputs.iter().try_for_each(|output| {
        try_to_write(output).map_err(|source| IoError::Write { path: written_to(output), source })
    })
}

/// An output as messages show it.
pub(crate) fn written_to(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard output".into() } else { path.display().to_string() }
}

fn of_input(path: &Path) -> Option<Identity> {
    // Standard input has been opened by someone else, who may have redirected a file.
    let data = if path.as_os_str() == "-" { standard(std::io::stdin()) } else { std::fs::metadata(path).ok() };
    data.filter(Metadata::is_file).and_then(|data| existing(path, &data))
}

/// `None` for what can be written to more than once: devices, pipes and terminals.
fn of_output(path: &Path) -> std::io::Result<Option<Identity>> {
    if path.as_os_str() == "-" {
        let file = standard(std::io::stdout()).filter(Metadata::is_file);
        // Two outputs on one standard output run into each other, whatever that is.
        return Ok(Some(file.and_then(|data| existing(path, &data)).unwrap_or_else(|| Identity::Path("-".into()))));
    }
    let target = followed(path)?;
    match std::fs::metadata(&target) {
        Ok(data) if !data.is_file() => Ok(None),
        Ok(data) => Ok(existing(&target, &data)),
        Err(_) => {
            let name = target.file_name().ok_or_else(|| Error::new(ErrorKind::IsADirectory, "it is a folder"))?;
            Ok(Some(Identity::Path(folder_of(&target).canonicalize().map_err(|_| no_folder())?.join(name))))
        }
    }
}

fn no_folder() -> Error {
    Error::new(ErrorKind::NotFound, "its folder does not exist")
}

#[cfg(unix)]
fn existing(_: &Path, data: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some(Identity::File(data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn existing(path: &Path, _: &Metadata) -> Option<Identity> {
    path.canonicalize().ok().map(Identity::Path)
}

#[cfg(unix)]
fn standard(stream: impl std::os::fd::AsFd) -> Option<Metadata> {
    stream.as_fd().try_clone_to_owned().ok().and_then(|open| File::from(open).metadata().ok())
}

#[cfg(not(unix))]
fn standard<Stream>(_: Stream) -> Option<Metadata> {
    None
}

/// The folder a path lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where a path leads, also if there is nothing yet at the end of a link: a link stays a link.
pub(crate) fn followed(path: &Path) -> std::io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match target.read_link() {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(Error::other("it is a link that leads to itself"))
}

/// Refuses what a user has closed to writing, though a file beside it could take its place.
pub(crate) fn refuse_read_only(path: &Path, data: &Metadata) -> std::io::Result<()> {
    if data.permissions().readonly() {
        return Err(Error::new(ErrorKind::PermissionDenied, "it is read-only"));
    }
    OpenOptions::new().write(true).open(path).map(|_| ())
}

/// Finds out whether a file can be written, without leaving a trace.
fn try_to_write(path: &Path) -> std::io::Result<()> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    let target = followed(path)?;
    match std::fs::metadata(&target) {
        Ok(data) if data.is_dir() => return Err(Error::new(ErrorKind::IsADirectory, "it is a folder")),
        // A device or pipe takes what it is given when it is given.
        Ok(data) if !data.is_file() => return Ok(()),
        Ok(data) => refuse_read_only(&target, &data)?,
        Err(_) if !folder_of(&target).is_dir() => return Err(no_folder()),
        Err(_) => {}
    }
    // Nothing but the attempt tells of rights, read-only disks and names that are too long.
    crate::unfinished::UnfinishedFile::create(folder_of(&target), &mut tempfile::Builder::new()).map(|_| ())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn one_file_under_several_names_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("t.csv"), "a\n1\n").unwrap();
        std::fs::create_dir(path("sub")).unwrap();
        std::fs::hard_link(path("t.csv"), path("hard.csv")).unwrap();
        symlink("t.csv", path("soft.csv")).unwrap();
        symlink("nothing.json", path("dangling.json")).unwrap();
        let check = |inputs: &[&str], outputs: &[&str]| {
            let paths = |names: &[&str]| names.iter().map(|name| path(name)).collect::<Vec<PathBuf>>();
            let (inputs, outputs) = (paths(inputs), paths(outputs));
            let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
            let outputs: Vec<&Path> = outputs.iter().map(PathBuf::as_path).collect();
            check_outputs(&inputs, &outputs)
        };
        for same in ["t.csv", "./t.csv", "sub/../t.csv", "hard.csv", "soft.csv"] {
            let refused = check(&["t.csv"], &[same]).unwrap_err().to_string();
            assert!(refused.contains(same) && refused.contains("is read from"), "{refused}");
        }
        for (one, other) in [("m", "m"), ("m", "sub/../m"), ("nothing.json", "dangling.json"), ("m", "./m")] {
            assert!(matches!(check(&["t.csv"], &[one, other]), Err(IoError::Overwrites { .. })), "{one} {other}");
        }
        check(&["t.csv"], &["m", "sub/m", "dangling.json"]).unwrap();
        assert!(matches!(check(&["*.csv"], &["hard.csv"]), Err(IoError::Overwrites { .. })));
        assert!(matches!(check(&[], &["none/m"]), Err(IoError::Write { .. })));
        assert!(matches!(check(&[], &["sub"]), Err(IoError::Write { .. })));
        let (null, text) = (Path::new("/dev/null"), std::fs::read_to_string(path("t.csv")).unwrap());
        check_outputs(&[null], &[null, null]).unwrap();
        assert_eq!(text, "a\n1\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5, "a trace was left");
    }
}
