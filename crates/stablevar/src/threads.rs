//! Work on several threads at once: the only place that names the crate for it.
//!
//! With the feature `threads`, which is on by default, the work is spread over a pool of threads; without it the calling
//! thread does all of it. Each piece of work is its own and results come in order, so that the answers are the same to the
//! last bit.

use crate::error::Result;
#[cfg(feature = "threads")]
use rayon::prelude::*;
use std::sync::Mutex;

/// Runs `work(0), ..., work(count - 1)`.
///
/// All parallel work goes through here and [`both`], behind a `dyn`: else the crate for threads would be compiled anew for every
/// kind of work, which was a fifth of this crate.
#[cfg(feature = "threads")]
fn spread(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

#[cfg(not(feature = "threads"))]
fn spread(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(work);
}

#[cfg(feature = "threads")]
fn both(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    rayon::join(first, second);
}

#[cfg(not(feature = "threads"))]
fn both(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    first();
    second();
}

/// Work that can be done once, and then its result.
struct Task<W, T> {
    work: Option<W>,
    result: Option<T>,
}

impl<W: FnOnce() -> T, T> Task<W, T> {
    fn new(work: W) -> Self {
        Self { work: Some(work), result: None }
    }

    fn run(&mut self) {
        self.result = self.work.take().map(|work| work());
    }
}

/// What was left in a place by work that has ended; a panic in the work has gone on before this is asked.
fn done<T>(result: Option<T>) -> T {
    result.expect("work that has ended leaves its result")
}

/// Two pieces of work at once.
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut first, mut second) = (Task::new(first), Task::new(second));
    both(&mut || first.run(), &mut || second.run());
    (done(first.result), done(second.result))
}

/// `work(0), ..., work(count - 1)`, in order.
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    let places: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    spread(count, &|number| put(&places[number], work(number)));
    places.into_iter().map(|place| done(place.into_inner().ok().flatten())).collect()
}

/// Nobody else has this place, so that its lock neither waits nor is ever poisoned.
fn put<T>(place: &Mutex<Option<T>>, result: T) {
    if let Ok(mut place) = place.lock() {
        *place = Some(result);
    }
}

/// `work` on chunks of so many values, the last of which may be shorter, each with its number; results in order.
pub fn map_chunks_mut<S: Send, T: Send>(
    values: &mut [S],
    size: usize,
    work: impl Fn(usize, &mut [S]) -> T + Sync + Send,
) -> Vec<T> {
    let chunks: Vec<Mutex<&mut [S]>> = values.chunks_mut(size).map(Mutex::new).collect();
    map(chunks.len(), |number| done(chunks[number].lock().ok().map(|mut chunk| work(number, &mut chunk))))
}

/// Runs work whose parts are spread over so many threads.
///
/// `None`, like a count of 0, is the usual pool; without the feature `threads` there is but the calling thread. It fails if
/// the system refuses the threads.
pub fn with_threads<T: Send>(count: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    match count.filter(|count| *count > 0) {
        None => Ok(work()),
        Some(count) => on_pool(count, work),
    }
}

#[cfg(feature = "threads")]
fn on_pool<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    let pool =
        pool.map_err(|error| crate::error::Error::BadRequest(format!("{count} threads can't be started: {error}")))?;
    Ok(pool.install(work))
}

#[cfg(not(feature = "threads"))]
fn on_pool<T: Send>(_count: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    Ok(work())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        for threads in [None, Some(0), Some(1), Some(3)] {
            let squares = with_threads(threads, || map(1000, |k| k * k)).unwrap();
            assert!(squares.iter().enumerate().all(|(k, square)| *square == k * k));
            let mut values: Vec<usize> = (0..10).collect();
            let sums = with_threads(threads, || {
                map_chunks_mut(&mut values, 4, |number, chunk| {
                    chunk.iter_mut().for_each(|value| *value += number);
                    chunk.iter().sum::<usize>()
                })
            });
            assert_eq!((sums.unwrap(), values), (vec![6, 26, 21], vec![0, 1, 2, 3, 5, 6, 7, 8, 10, 11]));
        }
    }
}
