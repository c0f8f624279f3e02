//! Work on several threads at once: the only place that names the crate for it.
//!
//! With the feature `threads`, which is on by default, the work is spread over a pool of threads; without it the calling
//! thread does all of it. Each piece of work is its own and results come in order, so that the answers are the same to the
//! last bit.

use crate::error::Result;
#[cfg(feature = "threads")]
use rayon::prelude::*;

/// Two pieces of work at once.
#[cfg(feature = "threads")]
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(first, second)
}

/// Two pieces of work, one after the other.
#[cfg(not(feature = "threads"))]
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    (first(), second())
}

/// `work(0), ..., work(count - 1)`, in order.
#[cfg(feature = "threads")]
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..count).into_par_iter().map(work).collect()
}

/// `work(0), ..., work(count - 1)`, in order.
#[cfg(not(feature = "threads"))]
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..count).map(work).collect()
}

/// `work` on chunks of so many values, the last of which may be shorter, each with its number; results in order.
#[cfg(feature = "threads")]
pub fn map_chunks_mut<S: Send, T: Send>(
    values: &mut [S],
    size: usize,
    work: impl Fn(usize, &mut [S]) -> T + Sync + Send,
) -> Vec<T> {
    values.par_chunks_mut(size).enumerate().map(|(number, chunk)| work(number, chunk)).collect()
}

/// `work` on chunks of so many values, the last of which may be shorter, each with its number; results in order.
#[cfg(not(feature = "threads"))]
pub fn map_chunks_mut<S: Send, T: Send>(
    values: &mut [S],
    size: usize,
    work: impl Fn(usize, &mut [S]) -> T + Sync + Send,
) -> Vec<T> {
    values.chunks_mut(size).enumerate().map(|(number, chunk)| work(number, chunk)).collect()
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
