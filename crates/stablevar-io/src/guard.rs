//! Code of others that panics where a file is not as it should be: such a file is damaged, and that is all.

use crate::{IoError, Result};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs code that reads a file; if it panics, the file is damaged. Nothing is said of the panic but in the error.
pub(crate) fn guarded<T>(path: &str, work: impl FnOnce() -> T) -> Result<T> {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                usual(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    // What the work left half-done is thrown away with the error.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    outcome.map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let message = format!("it can't be read: {}", said.unwrap_or("no reason was given"));
        IoError::Damaged { path: path.into(), message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_the_files_name() {
        let read = |length: usize| guarded("t.arrow", || [1, 2, 3][..length].len());
        assert_eq!(read(2).unwrap(), 2);
        let message = read(7).unwrap_err().to_string();
        assert!(message.starts_with("t.arrow: it can't be read: ") && message.contains('7'), "{message}");
    }
}
