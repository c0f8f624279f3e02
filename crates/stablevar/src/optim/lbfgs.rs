//! Limited-memory quasi-Newton descent with a caller's preconditioner.

use super::StopReason;
use crate::linalg::{dot, max_abs};
use std::collections::VecDeque;

/// When to stop, and how much to remember.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Stop when no entry of the gradient exceeds this.
    pub gradient_tolerance: f64,
    /// Stop after this many steps.
    pub max_iterations: usize,
    /// Pairs of steps and gradient changes kept.
    pub memory: usize,
}

/// Where the descent ended.
#[derive(Debug, Clone)]
pub struct Minimum {
    /// The point.
    pub point: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: StopReason,
    gradient: Vec<f64>,
    /// What was learnt of the curvature on the way.
    pairs: VecDeque<Pair>,
}

/// Minimises a smooth function from `start`.
///
/// `objective(x, g)` must return the value at `x` and overwrite `g` with the gradient; it may return an
/// infinite value or NaN outside its domain, never at the start. `precondition(g)` must overwrite `g` by
/// `P g` with one fixed positive definite `P`: the identity makes this plain L-BFGS, the inverse Hessian at
/// the start makes it Newton's method with secant corrections.
pub fn minimise(
    objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    precondition: impl Fn(&mut [f64]),
    start: Vec<f64>,
    options: Limits,
) -> Minimum {
    descend(objective, Some(precondition), Start::At(start), options, |_, _| false)
}

/// Goes on where another descent on the same objective stopped, with another preconditioner.
pub fn resume(
    objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    precondition: impl Fn(&mut [f64]),
    from: Minimum,
    options: Limits,
) -> Minimum {
    descend(objective, Some(precondition), Start::From(from), options, |_, _| false)
}

/// Like [`minimise`] without a preconditioner: the scale of the inverse Hessian is taken from the last step instead.
/// `watch(iteration, point)` sees every point reached and may stop the descent, which then counts as converged.
pub fn minimise_watched(
    objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    start: Vec<f64>,
    options: Limits,
    watch: impl FnMut(usize, &[f64]) -> bool,
) -> Minimum {
    descend(objective, None::<fn(&mut [f64])>, Start::At(start), options, watch)
}

/// Where a descent begins.
enum Start {
    At(Vec<f64>),
    From(Minimum),
}

fn descend(
    mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    precondition: Option<impl Fn(&mut [f64])>,
    start: Start,
    options: Limits,
    mut watch: impl FnMut(usize, &[f64]) -> bool,
) -> Minimum {
    let (mut point, mut value, mut gradient, mut pairs);
    match start {
        Start::At(start) => {
            gradient = vec![0.0; start.len()];
            value = objective(&start, &mut gradient);
            (point, pairs) = (start, VecDeque::with_capacity(options.memory + 1));
        }
        Start::From(before) => {
            (point, value, gradient) = (before.point, before.value, before.gradient);
            pairs = before.pairs;
        }
    }
    let size = point.len();
    let (mut trial, mut trial_gradient) = (vec![0.0; size], vec![0.0; size]);

    for iteration in 0.. {
        let gradient_norm = max_abs(&gradient);
        let stop = if gradient_norm <= options.gradient_tolerance {
            Some(StopReason::Converged)
        } else if iteration == options.max_iterations {
            Some(StopReason::IterationLimit)
        } else if watch(iteration, &point) {
            Some(StopReason::Converged)
        } else {
            None
        };
        if let Some(stop) = stop {
            return Minimum { point, value, iterations: iteration, stop, gradient, pairs };
        }

        let mut direction = descent_direction(&gradient, &pairs, &precondition);
        let mut slope = dot(&gradient, &direction);
        if slope >= 0.0 || slope.is_nan() {
            // Secant pairs spoilt by rounding: begin again from the preconditioner alone.
            pairs.clear();
            direction = descent_direction(&gradient, &pairs, &precondition);
            slope = dot(&gradient, &direction);
        }

        let mut step = 1.0;
        let mut accepted = false;
        for _ in 0..40 {
            for i in 0..size {
                trial[i] = point[i] + step * direction[i];
            }
            let trial_value = objective(&trial, &mut trial_gradient);
            let trial_slope = dot(&trial_gradient, &direction);
            // Near the minimum differences of the value drown in rounding; there the slope must judge alone.
            let drowned = trial_value <= value + 1e-14 * value.abs() && trial_slope.abs() <= 0.9 * slope.abs();
            if trial_value <= value + 1e-4 * step * slope || drowned {
                accepted = true;
                let step_taken: Vec<f64> = trial.iter().zip(&point).map(|(new, old)| new - old).collect();
                let change: Vec<f64> = trial_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
                remember(&mut pairs, step_taken, change, options.memory);
                value = trial_value;
                std::mem::swap(&mut point, &mut trial);
                std::mem::swap(&mut gradient, &mut trial_gradient);
                break;
            }
            step *= shrink(value, slope * step, trial_value);
        }
        if !accepted {
            if pairs.is_empty() {
                let near = gradient_norm <= (1e3 * options.gradient_tolerance).max(1e-7);
                let stop = if near { StopReason::PrecisionReached } else { StopReason::Stalled };
                let iterations = iteration;
                return Minimum { point, value, iterations, stop, gradient, pairs };
            }
            pairs.clear();
        }
    }
    unreachable!("the loop over iterations returns")
}

#[derive(Debug, Clone)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse_curvature: f64,
}

/// Keeps a pair if it shows positive curvature; others would make the approximate Hessian indefinite.
fn remember(pairs: &mut VecDeque<Pair>, step: Vec<f64>, change: Vec<f64>, memory: usize) {
    let curvature = dot(&step, &change);
    if curvature > 1e-16 * dot(&step, &step).sqrt() * dot(&change, &change).sqrt() {
        pairs.push_back(Pair { step, change, inverse_curvature: 1.0 / curvature });
        if pairs.len() > memory {
            pairs.pop_front();
        }
    }
}

/// The two-loop recursion with the preconditioner as the initial inverse Hessian.
fn descent_direction(gradient: &[f64], pairs: &VecDeque<Pair>, precondition: &Option<impl Fn(&mut [f64])>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|value| -value).collect();
    let mut factors = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let factor = pair.inverse_curvature * dot(&pair.step, &direction);
        add_multiple(&mut direction, -factor, &pair.change);
        factors.push(factor);
    }
    match (precondition, pairs.back()) {
        (Some(precondition), _) => precondition(&mut direction),
        (None, Some(last)) => {
            let scale = 1.0 / (last.inverse_curvature * dot(&last.change, &last.change));
            direction.iter_mut().for_each(|value| *value *= scale);
        }
        // The first step has length 1 at most.
        (None, None) => {
            let scale = 1.0 / dot(gradient, gradient).sqrt().max(1.0);
            direction.iter_mut().for_each(|value| *value *= scale);
        }
    }
    for (pair, factor) in pairs.iter().zip(factors.into_iter().rev()) {
        let correction = pair.inverse_curvature * dot(&pair.change, &direction);
        add_multiple(&mut direction, factor - correction, &pair.step);
    }
    direction
}

fn add_multiple(target: &mut [f64], factor: f64, source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(value, add)| *value += factor * add);
}

/// Where the parabola through value, slope and trial value has its minimum, kept within [0.1, 0.5].
fn shrink(value: f64, decrease: f64, trial_value: f64) -> f64 {
    let bend = trial_value - value - decrease;
    if bend.is_finite() && bend > 0.0 { (-decrease / (2.0 * bend)).clamp(0.1, 0.5) } else { 0.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_a_curved_valley() {
        let rosenbrock = |x: &[f64], g: &mut [f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        };
        let options = Limits { gradient_tolerance: 1e-10, max_iterations: 200, memory: 8 };
        let found = minimise(rosenbrock, |_| {}, vec![-1.2, 1.0], options);
        assert!(found.stop.converged(), "{found:?}");
        assert!(found.point.iter().all(|x| (x - 1.0).abs() < 1e-8), "{found:?}");
    }

    #[test]
    fn the_exact_inverse_hessian_needs_one_step() {
        let bowl = |x: &[f64], g: &mut [f64]| {
            g[0] = 1000.0 * (x[0] - 3.0);
            g[1] = 0.1 * (x[1] + 2.0);
            0.5 * (1000.0 * (x[0] - 3.0).powi(2) + 0.1 * (x[1] + 2.0).powi(2))
        };
        let newton = |g: &mut [f64]| {
            g[0] /= 1000.0;
            g[1] /= 0.1;
        };
        let options = Limits { gradient_tolerance: 1e-9, max_iterations: 10, memory: 8 };
        let found = minimise(bowl, newton, vec![0.0, 0.0], options);
        assert_eq!((found.iterations, found.stop), (1, StopReason::Converged));
    }

    #[test]
    fn a_domain_with_an_edge_is_respected() {
        let barrier = |x: &[f64], g: &mut [f64]| {
            if x[0] <= 0.0 {
                return f64::NAN;
            }
            g[0] = 1.0 - 1.0 / x[0];
            x[0] - x[0].ln()
        };
        let options = Limits { gradient_tolerance: 1e-10, max_iterations: 100, memory: 4 };
        let found = minimise(barrier, |_| {}, vec![5.0], options);
        assert!((found.point[0] - 1.0).abs() < 1e-8, "{found:?}");
    }
}
