//! How far a command is: a bar on a terminal, lines elsewhere.

use super::say;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Seconds before the first line, and between lines at least; work that takes less needs none.
const PATIENCE: f64 = 5.0;
const BETWEEN: f64 = 30.0;

/// Progress of some steps, in stages by their names.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Where there is no terminal.
    log: Option<Arc<Mutex<Log>>>,
}

struct Log {
    what: String,
    done: usize,
    of: usize,
    /// Since this stage began.
    began: Instant,
    /// Since the last line, or since all began.
    said: Instant,
    wait: f64,
    finished: bool,
}

impl Progress {
    /// Nothing is shown.
    pub(super) fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), log: None }
    }

    /// A bar of so many steps.
    pub(super) fn bar(length: usize, what: &str) -> Self {
        let bar = ProgressBar::new(length as u64);
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {elapsed}, about {eta} left") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_string());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar, log: None }
    }

    /// A counter whose end is not known.
    pub(super) fn counter(what: &'static str) -> Self {
        let style = ProgressStyle::with_template("{human_pos} {msg} {elapsed}").ok();
        let bar = ProgressBar::new_spinner().with_message(what);
        style.into_iter().for_each(|style| bar.set_style(style));
        Self { bar, log: None }
    }

    /// Lines; 0 steps if their number is not known.
    pub(super) fn lines(length: usize, what: &str) -> Self {
        let now = Instant::now();
        let log =
            Log { what: what.into(), done: 0, of: length, began: now, said: now, wait: PATIENCE, finished: false };
        let log = Arc::new(Mutex::new(log));
        let watched = Arc::downgrade(&log);
        // Also a step that takes long is told of while it lasts.
        let watch = move || {
            while let Some(log) = watched.upgrade() {
                tell(&mut log.lock().unwrap_or_else(PoisonError::into_inner));
                drop(log);
                std::thread::sleep(Duration::from_millis(500));
            }
        };
        let _ = std::thread::Builder::new().name("progress".into()).spawn(watch);
        Self { bar: ProgressBar::hidden(), log: Some(log) }
    }

    /// One more step of a stage that has so many; another stage than before begins anew.
    pub(crate) fn step(&self, length: usize, what: &str) {
        if self.bar.message() != what {
            self.bar.set_position(0);
            self.bar.set_length(length as u64);
            self.bar.set_message(what.to_string());
        }
        self.bar.inc(1);
        // Until the next stage has its first step done.
        if self.bar.position() >= length as u64 {
            self.bar.set_message(format!("{what}: all; the next step"));
        }
        self.log(|log| {
            if log.what != what {
                (log.what, log.done, log.began) = (what.into(), 0, Instant::now());
            }
            (log.done, log.of) = (log.done + 1, length);
        });
    }

    /// One more step of the same stage, under a name that changes.
    pub(crate) fn next(&self, name: &str) {
        self.bar.set_message(name.to_string());
        self.next_step();
    }

    /// One more step of the same stage.
    pub(crate) fn next_step(&self) {
        self.bar.inc(1);
        self.log(|log| log.done += 1);
    }

    /// So many steps are done.
    pub(crate) fn at(&self, position: usize) {
        self.bar.set_position(position as u64);
        self.log(|log| log.done = position);
    }

    /// Says something else meanwhile.
    pub(crate) fn suspend(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// All is done.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
        self.log(|log| log.finished = true);
    }

    fn log(&self, change: impl FnOnce(&mut Log)) {
        let Some(log) = &self.log else { return };
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut log);
        tell(&mut log);
    }
}

/// Says how far it is, if that has not been said for some time.
fn tell(log: &mut Log) {
    let now = Instant::now();
    if !log.finished && now.duration_since(log.said).as_secs_f64() >= log.wait {
        say(&log.line(now));
        (log.said, log.wait) = (now, BETWEEN);
    }
}

impl Log {
    fn line(&self, now: Instant) -> String {
        let spent = now.duration_since(self.began).as_secs_f64();
        if self.of == 0 {
            return format!("{} {}, {}", self.done, self.what, in_words(spent));
        }
        if self.done == 0 {
            return format!("{}: 0 of {}, {}", self.what, self.of, in_words(spent));
        }
        if self.done >= self.of {
            return format!("{}: all {}, {}; the next step goes on", self.what, self.of, in_words(spent));
        }
        let left = spent * (self.of.saturating_sub(self.done)) as f64 / self.done.max(1) as f64;
        format!("{}: {} of {}, {}, about {} left", self.what, self.done, self.of, in_words(spent), in_words(left))
    }
}

/// A time as people say it.
fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_and_how_long() {
        let now = Instant::now();
        let began = now.checked_sub(Duration::from_secs(30)).unwrap();
        let log =
            Log { what: "evidence".into(), done: 10, of: 100, began, said: began, wait: PATIENCE, finished: false };
        assert_eq!(log.line(now), "evidence: 10 of 100, 30 s, about 4 min left");
        let log = Log { done: 100, ..log };
        assert_eq!(log.line(now), "evidence: all 100, 30 s; the next step goes on");
        let log = Log { done: 10, of: 0, what: "rows read".into(), ..log };
        assert_eq!(log.line(now), "10 rows read, 30 s");
        assert_eq!((in_words(12.3), in_words(7200.0)), ("12 s".into(), "2.0 h".into()));
    }
}
