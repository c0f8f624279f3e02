//! Adam (Kingma and Ba, 2015): steps scaled by running means of the gradient and of its square.

const DECAY: (f64, f64) = (0.9, 0.999);
const LEAST: f64 = 1e-8;

/// The running means.
#[derive(Debug, Clone)]
pub struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    /// `DECAY^steps`, for the correction of the first steps.
    powers: (f64, f64),
}

impl Adam {
    /// For points of `size` numbers.
    pub fn new(size: usize) -> Self {
        Self { mean: vec![0.0; size], square: vec![0.0; size], powers: (1.0, 1.0) }
    }

    /// Moves `point` one step down the gradient.
    pub fn step(&mut self, point: &mut [f64], gradient: &[f64], rate: f64) {
        self.powers = (self.powers.0 * DECAY.0, self.powers.1 * DECAY.1);
        let rate = rate * (1.0 - self.powers.1).sqrt() / (1.0 - self.powers.0);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                for ((value, slope), (mean, square)) in point.iter_mut().zip(gradient).zip(moments) {
                    *mean = DECAY.0 * *mean + (1.0 - DECAY.0) * slope;
                    *square = DECAY.1 * *square + (1.0 - DECAY.1) * slope * slope;
                    *value -= rate * *mean / (square.sqrt() + LEAST);
                }
            },
        );
    }
}
