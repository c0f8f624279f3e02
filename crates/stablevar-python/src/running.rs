//! Long work without the interpreter's lock, interruptible and with progress.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often signals are looked for.
const BREATH: Duration = Duration::from_millis(50);

/// A step of some work: its kind and how many of these there will be.
pub(crate) type Tick = (&'static str, usize);

/// What the work sees of its caller.
pub(crate) struct Watch<'a> {
    stopped: &'a AtomicBool,
    ticks: Sender<Tick>,
}

impl Watch<'_> {
    /// Reports a step, and learns whether to go on.
    pub(crate) fn tick(&self, kind: &'static str, of: usize) -> ControlFlow<()> {
        // Who no longer listens wants no progress; whether to stop is another matter.
        let _ = self.ticks.send((kind, of));
        if self.stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Runs some work on a thread of its own while this one looks for Ctrl-C and passes progress on.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch<'_>) -> T + Send,
) -> PyResult<T> {
    let stopped = AtomicBool::new(false);
    let (sender, mut receiver) = channel();
    std::thread::scope(|scope| {
        let stopped = &stopped;
        let handle = scope.spawn(move || work(&Watch { stopped, ticks: sender }));
        let mut raised = Ok(());
        loop {
            let heard;
            (heard, receiver) = py.detach(move || (receiver.recv_timeout(BREATH), receiver));
            if heard == Err(RecvTimeoutError::Disconnected) {
                break;
            }
            // After an exception all that is left to do is to wait for the work to notice.
            if raised.is_ok() {
                raised = py.check_signals().and_then(|()| match (progress, heard) {
                    (Some(call), Ok(tick)) => call.call1(tick).map(|_| ()),
                    _ => Ok(()),
                });
                stopped.store(raised.is_err(), Ordering::Relaxed);
            }
        }
        let done = py.detach(|| handle.join());
        raised?;
        done.map_err(|_| PyRuntimeError::new_err("the computation failed unexpectedly; please report this"))
    })
}
