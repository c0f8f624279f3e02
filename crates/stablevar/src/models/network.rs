//! A fully connected network: hidden layers of rectified units, one output.
//!
//! All weights stand in one flat vector, layer by layer: first the matrix (inputs x outputs, row-major), then the
//! constants. Rows go through in batches, so that every layer is one matrix product, and a [`Workspace`] holds what lies
//! between the layers, so that nothing is allocated while training.

use crate::design::{Task, TrainingData};
use crate::functions::{sigmoid, softplus};
use crate::linalg::{Matrix, add_left_transposed, add_product, add_right_transposed};
use crate::rows::{map_blocks, sum_over_rows};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows that go through together at most: few enough for the values of a hundred units to stay in the first-level cache.
pub(crate) const BATCH: usize = 32;

/// The batches of a range of rows.
pub(crate) fn batches(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    rows.clone().step_by(BATCH).map(move |start| start..(start + BATCH).min(rows.end))
}

/// What is wrong with an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// `(y - u)^2 / 2`.
    Squared,
    /// `log(1 + e^u) - y u`, where u is the log-odds of y = 1.
    Logistic,
}

impl Loss {
    /// The loss of an output.
    pub fn value(self, output: f64, outcome: f64) -> f64 {
        match self {
            Loss::Squared => 0.5 * (output - outcome).powi(2),
            Loss::Logistic => softplus(output) - outcome * output,
        }
    }

    /// Its slope in the output.
    fn slope(self, output: f64, outcome: f64) -> f64 {
        match self {
            Loss::Squared => output - outcome,
            Loss::Logistic => sigmoid(output) - outcome,
        }
    }
}

/// The loss that suits a target, and its values under it: standardised numbers, or 0 and 1.
pub(crate) fn loss_and_outcomes(data: &TrainingData) -> (Loss, Vec<f64>) {
    match data.target.task() {
        Task::Regression => (Loss::Squared, data.outcome.clone()),
        Task::Classification => (Loss::Logistic, data.labels()),
    }
}

/// A network with its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Inputs, then the units of every hidden layer.
    sizes: Vec<usize>,
    parameters: Vec<f64>,
}

/// Where one layer's weights stand.
#[derive(Debug, Clone, Copy)]
struct Layer {
    inputs: usize,
    outputs: usize,
    start: usize,
}

impl Layer {
    fn matrix(self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    fn constants(self) -> Range<usize> {
        let start = self.start + self.inputs * self.outputs;
        start..start + self.outputs
    }
}

impl Network {
    /// Random weights, uniform within `sqrt(6 / (inputs + outputs))` of 0 in every layer (Glorot and Bengio, 2010).
    pub fn random(inputs: usize, hidden: &[usize], random: &mut ChaCha8Rng) -> Self {
        let sizes: Vec<usize> = std::iter::once(inputs).chain(hidden.iter().copied()).collect();
        let mut parameters = Vec::new();
        for layer in layers(&sizes) {
            let bound = (6.0 / (layer.inputs + layer.outputs) as f64).sqrt();
            let count = (layer.inputs + 1) * layer.outputs;
            parameters.extend((0..count).map(|_| bound * (2.0 * random.random::<f64>() - 1.0)));
        }
        Self { sizes, parameters }
    }

    /// The network with only some of its inputs, as if the others were 0.
    pub fn with_inputs(&self, kept: &[usize]) -> Self {
        let first = self.sizes.get(1).copied().unwrap_or(1);
        let rows = kept.iter().flat_map(|&input| &self.parameters[input * first..(input + 1) * first]);
        let parameters = rows.chain(&self.parameters[self.inputs() * first..]).copied().collect();
        let sizes = std::iter::once(kept.len()).chain(self.sizes[1..].iter().copied()).collect();
        Self { sizes, parameters }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.sizes.first().copied().unwrap_or_default()
    }

    /// All weights.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// All weights, to change.
    pub fn parameters_mut(&mut self) -> &mut [f64] {
        &mut self.parameters
    }

    /// Whether there are as many weights as the sizes ask for, which a file changed by hand may not have.
    pub fn is_whole(&self) -> bool {
        // No size that could make the sums below overflow.
        let fits = |&size: &usize| size <= self.parameters.len();
        !self.sizes.is_empty()
            && self.sizes.len() <= self.parameters.len()
            && self.sizes.iter().all(fits)
            && self.parameters.len() < 1 << 31
            && !self.sizes[1..].contains(&0)
            && layers(&self.sizes).last().map(|layer| layer.constants().end) == Some(self.parameters.len())
    }

    /// Positions of the weights, without the constants: what a ridge acts on.
    pub(crate) fn slopes(&self) -> Vec<Range<usize>> {
        layers(&self.sizes).map(Layer::matrix).collect()
    }

    /// The outputs for the rows of a matrix.
    pub fn outputs(&self, inputs: &Matrix) -> Vec<f64> {
        let width = inputs.columns();
        map_blocks(inputs.rows(), |block| {
            let mut workspace = Workspace::new(self, BATCH);
            let mut outputs = Vec::with_capacity(block.len());
            for tile in batches(block) {
                let rows = &inputs.values()[tile.start * width..tile.end * width];
                outputs.extend_from_slice(workspace.forward(self, rows, tile.len()));
            }
            outputs
        })
        .concat()
    }

    /// The mean slope of the output in every input, over the rows of a matrix.
    pub fn mean_slopes(&self, inputs: &Matrix) -> Vec<f64> {
        self.slope_means(inputs, |slope| slope)
    }

    /// The mean squared slope of the output in every input, over the rows of a matrix.
    pub fn squared_slopes(&self, inputs: &Matrix) -> Vec<f64> {
        self.slope_means(inputs, |slope| slope * slope)
    }

    fn slope_means(&self, inputs: &Matrix, of: impl Fn(f64) -> f64 + Sync) -> Vec<f64> {
        let width = inputs.columns();
        if width == 0 {
            return Vec::new();
        }
        let sums = sum_over_rows(inputs.rows(), width, |block, sums| {
            let mut workspace = Workspace::new(self, BATCH);
            let mut gradient = vec![0.0; self.parameters.len()];
            let mut slopes = vec![0.0; BATCH * width];
            for tile in batches(block) {
                let rows = &inputs.values()[tile.start * width..tile.end * width];
                let slopes = &mut slopes[..rows.len()];
                workspace.forward(self, rows, tile.len());
                workspace.output_slopes[..tile.len()].fill(1.0);
                workspace.backward(self, rows, tile.len(), &mut gradient, Some(slopes));
                for row in slopes.chunks_exact(width) {
                    sums.iter_mut().zip(row).for_each(|(sum, slope)| *sum += of(*slope));
                }
            }
        });
        sums.into_iter().map(|sum| sum / inputs.rows() as f64).collect()
    }
}

/// The layers of a network with these sizes and one output.
fn layers(sizes: &[usize]) -> impl DoubleEndedIterator<Item = Layer> + ExactSizeIterator + '_ {
    let starts = sizes.iter().enumerate().scan(0, move |next, (k, &inputs)| {
        let outputs = sizes.get(k + 1).copied().unwrap_or(1);
        let start = *next;
        *next += (inputs + 1) * outputs;
        Some(Layer { inputs, outputs, start })
    });
    starts.collect::<Vec<_>>().into_iter()
}

/// What lies between the layers while rows go through.
pub(crate) struct Workspace {
    layers: Vec<Layer>,
    /// Per hidden layer the units' values, row by row.
    values: Vec<Vec<f64>>,
    /// Per hidden layer the slopes of the loss in them.
    slopes: Vec<Vec<f64>>,
    outputs: Vec<f64>,
    ones: Vec<f64>,
    /// The slopes of the loss in the outputs, which [`Workspace::backward`] starts from.
    pub(crate) output_slopes: Vec<f64>,
}

impl Workspace {
    /// Scratch for batches of up to `rows` rows.
    pub(crate) fn new(network: &Network, rows: usize) -> Self {
        let scratch = || network.sizes[1..].iter().map(|units| vec![0.0; rows * units]).collect::<Vec<_>>();
        Self {
            layers: layers(&network.sizes).collect(),
            values: scratch(),
            slopes: scratch(),
            outputs: vec![0.0; rows],
            ones: vec![1.0; rows],
            output_slopes: vec![0.0; rows],
        }
    }

    /// The outputs for `count` rows of inputs.
    pub(crate) fn forward(&mut self, network: &Network, rows: &[f64], count: usize) -> &[f64] {
        let (last, hidden) = self.layers.split_last().expect("a network has an output layer");
        for (k, layer) in hidden.iter().enumerate() {
            let (before, after) = self.values.split_at_mut(k);
            let inputs = if k == 0 { rows } else { &before[k - 1][..count * layer.inputs] };
            let values = &mut after[0][..count * layer.outputs];
            let constants = &network.parameters[layer.constants()];
            values.chunks_exact_mut(layer.outputs).for_each(|row| row.copy_from_slice(constants));
            add_product(inputs, &network.parameters[layer.matrix()], layer.inputs, layer.outputs, values);
            rectify(values);
        }
        let inputs = self.values.last().map_or(rows, |values| &values[..count * last.inputs]);
        let (slopes, constant) = (&network.parameters[last.matrix()], network.parameters[last.constants().start]);
        let outputs = &mut self.outputs[..count];
        outputs.fill(constant);
        add_right_transposed(inputs, slopes, 1, last.inputs, outputs);
        &self.outputs[..count]
    }

    /// Adds to `gradient` that of `sum_k output_slopes_k output_k`, after [`Workspace::forward`] on the same rows, and
    /// overwrites `input_slopes`, if asked for, with the slopes in the inputs.
    pub(crate) fn backward(
        &mut self,
        network: &Network,
        rows: &[f64],
        count: usize,
        gradient: &mut [f64],
        input_slopes: Option<&mut [f64]>,
    ) {
        let (last, hidden) = self.layers.split_last().expect("a network has an output layer");
        let output_slopes = &self.output_slopes[..count];
        gradient[last.constants().start] += output_slopes.iter().sum::<f64>();
        let slopes = &network.parameters[last.matrix()];
        let inputs = self.values.last().map_or(rows, |values| &values[..count * last.inputs]);
        add_left_transposed(output_slopes, inputs, 1, last.inputs, &mut gradient[last.matrix()]);
        if hidden.is_empty() {
            if let Some(input_slopes) = input_slopes {
                for (row, slope) in input_slopes.chunks_exact_mut(last.inputs).zip(output_slopes) {
                    row.iter_mut().zip(slopes).for_each(|(target, factor)| *target = slope * factor);
                }
            }
            return;
        }
        let top = hidden.len() - 1;
        let below = &mut self.slopes[top][..count * last.inputs];
        below.fill(0.0);
        add_product(output_slopes, slopes, 1, last.inputs, below);
        silence(below, &self.values[top]);
        for (k, layer) in hidden.iter().enumerate().rev() {
            let (lower, upper) = self.slopes.split_at_mut(k);
            let slopes = &upper[0][..count * layer.outputs];
            let inputs = if k == 0 { rows } else { &self.values[k - 1][..count * layer.inputs] };
            add_left_transposed(inputs, slopes, layer.inputs, layer.outputs, &mut gradient[layer.matrix()]);
            add_left_transposed(&self.ones[..count], slopes, 1, layer.outputs, &mut gradient[layer.constants()]);
            let matrix = &network.parameters[layer.matrix()];
            if k > 0 {
                let below = &mut lower[k - 1][..count * layer.inputs];
                below.fill(0.0);
                add_right_transposed(slopes, matrix, layer.inputs, layer.outputs, below);
                silence(below, inputs);
            }
        }
        if let Some(input_slopes) = input_slopes {
            let layer = hidden[0];
            input_slopes.fill(0.0);
            let slopes = &self.slopes[0][..count * layer.outputs];
            add_right_transposed(
                slopes,
                &network.parameters[layer.matrix()],
                layer.inputs,
                layer.outputs,
                input_slopes,
            );
        }
    }

    /// The weighted loss of a batch, `sum_k weight_k loss_k`, whose gradient is added to `gradient`.
    pub(crate) fn loss_and_gradient(
        &mut self,
        network: &Network,
        loss: Loss,
        batch: Batch<'_>,
        gradient: &mut [f64],
        input_slopes: Option<&mut [f64]>,
    ) -> f64 {
        let count = batch.outcomes.len();
        self.forward(network, batch.rows, count);
        let mut total = 0.0;
        for k in 0..count {
            let (output, outcome, weight) = (self.outputs[k], batch.outcomes[k], batch.weights[k]);
            total += weight * loss.value(output, outcome);
            self.output_slopes[k] = weight * loss.slope(output, outcome);
        }
        self.backward(network, batch.rows, count, gradient, input_slopes);
        total
    }
}

fn rectify(values: &mut [f64]) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || values.iter_mut().for_each(|value| *value = if *value > 0.0 { *value } else { 0.0 }),
    );
}

/// Slopes are 0 where a unit is.
fn silence(slopes: &mut [f64], values: &[f64]) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || slopes.iter_mut().zip(values).for_each(|(slope, value)| *slope = if *value > 0.0 { *slope } else { 0.0 }),
    );
}

/// Rows that go through a network together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch<'a> {
    /// Inputs, row by row.
    pub rows: &'a [f64],
    /// One per row.
    pub outcomes: &'a [f64],
    /// One per row.
    pub weights: &'a [f64],
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn example(hidden: &[usize]) -> (Network, Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let network = Network::random(3, hidden, &mut random);
        let rows: Vec<f64> = (0..21).map(|_| random.random::<f64>() - 0.5).collect();
        let outcomes = (0..7).map(|k| f64::from(k % 2)).collect();
        let weights = (0..7).map(|k| 0.5 + f64::from(k)).collect();
        (network, rows, outcomes, weights)
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        for (hidden, loss) in [
            (vec![], Loss::Squared),
            (vec![5], Loss::Squared),
            (vec![5], Loss::Logistic),
            (vec![6, 4], Loss::Squared),
            (vec![4, 3, 5], Loss::Logistic),
        ] {
            let (network, rows, outcomes, weights) = example(&hidden);
            let mut workspace = Workspace::new(&network, 7);
            let mut value = |network: &Network, rows: &[f64]| {
                let outputs = workspace.forward(network, rows, 7).to_vec();
                outputs.iter().zip(&outcomes).zip(&weights).map(|((u, y), w)| w * loss.value(*u, *y)).sum::<f64>()
            };
            let mut gradient = vec![0.0; network.parameters.len()];
            let mut input_slopes = vec![0.0; rows.len()];
            let batch = Batch { rows: &rows, outcomes: &outcomes, weights: &weights };
            let total = Workspace::new(&network, 7).loss_and_gradient(
                &network,
                loss,
                batch,
                &mut gradient,
                Some(&mut input_slopes),
            );
            assert!((total - value(&network, &rows)).abs() < 1e-12);
            const STEP: f64 = 1e-6;
            for k in 0..gradient.len() {
                let moved = |by: f64| {
                    let mut network = network.clone();
                    network.parameters[k] += by;
                    network
                };
                let slope = (value(&moved(STEP), &rows) - value(&moved(-STEP), &rows)) / (2.0 * STEP);
                assert!((slope - gradient[k]).abs() < 1e-6, "{hidden:?} parameter {k}: {slope} {}", gradient[k]);
            }
            for k in 0..rows.len() {
                let moved = |by: f64| {
                    let mut rows = rows.clone();
                    rows[k] += by;
                    rows
                };
                let slope = (value(&network, &moved(STEP)) - value(&network, &moved(-STEP))) / (2.0 * STEP);
                assert!((slope - input_slopes[k]).abs() < 1e-6, "{hidden:?} input {k}");
            }
        }
    }

    #[test]
    fn an_input_taken_away_counts_as_zero() {
        let (network, mut rows, ..) = example(&[5, 2]);
        let fewer = network.with_inputs(&[0, 2]);
        assert!(fewer.is_whole() && fewer.inputs() == 2);
        let kept: Vec<f64> = rows.chunks_exact(3).flat_map(|row| [row[0], row[2]]).collect();
        rows.chunks_exact_mut(3).for_each(|row| row[1] = 0.0);
        let (all, some) = (Matrix::from_values(7, 3, rows), Matrix::from_values(7, 2, kept));
        assert_eq!(network.outputs(&all), fewer.outputs(&some));
    }

    #[test]
    fn a_network_knows_whether_it_is_whole() {
        let (mut network, ..) = example(&[5, 2]);
        assert!(network.is_whole());
        network.parameters.pop();
        assert!(!network.is_whole());
        // A layer without units, whose parameters are one constant: outputs would divide rows into none.
        let empty = Network { sizes: vec![3, 0], parameters: vec![0.5] };
        assert!(!empty.is_whole());
        assert!(!Network { sizes: vec![], parameters: vec![] }.is_whole());
    }
}
