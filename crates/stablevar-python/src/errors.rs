//! From our errors to Python's.

use crate::wording::Parameters;
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use stablevar::error::Error;
use stablevar_io::IoError;

/// Wrong data are a `ValueError`, as scikit-learn's users expect; it says how to mend them, too.
pub(crate) fn value_error(error: Error) -> PyErr {
    if matches!(error, Error::Interrupted) {
        return PyKeyboardInterrupt::new_err("interrupted");
    }
    PyValueError::new_err(with_hint(error.message(&Parameters), error.hint(&Parameters)))
}

/// Files that can't be read or written are an `OSError`; what is in them a `ValueError`.
pub(crate) fn file_error(error: IoError) -> PyErr {
    let text = with_hint(error.message(&Parameters), error.hint(&Parameters));
    match error {
        IoError::Write { .. } | IoError::Read { .. } => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

fn with_hint(message: String, hint: Option<String>) -> String {
    match hint {
        Some(hint) => format!("{message}. Hint: {hint}"),
        None => message,
    }
}
