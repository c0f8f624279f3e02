//! From our errors to Python's.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use stablevar::error::Error;
use stablevar_io::IoError;

/// Wrong data are a `ValueError`, as scikit-learn's users expect.
pub(crate) fn value_error(error: Error) -> PyErr {
    if matches!(error, Error::Interrupted) {
        return PyKeyboardInterrupt::new_err("interrupted");
    }
    PyValueError::new_err(error.to_string())
}

/// Files that can't be read or written are an `OSError`; what is in them a `ValueError`.
pub(crate) fn file_error(error: IoError) -> PyErr {
    match error {
        IoError::Write { .. } | IoError::Read { .. } => PyOSError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}
