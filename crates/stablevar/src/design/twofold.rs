//! Sums in twice the usual precision.

use serde::{Deserialize, Serialize};

/// A sum in twice the usual precision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Twofold {
    pub(super) high: f64,
    pub(super) low: f64,
}

impl Twofold {
    pub(super) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    pub(super) fn sum<'a>(values: impl Iterator<Item = &'a f64>) -> Self {
        let mut total = Self::ZERO;
        values.for_each(|value| total.add(*value));
        total
    }

    #[inline(always)]
    pub(super) fn add(&mut self, value: f64) {
        let (sum, rest) = two_sum(self.high, value);
        self.high = sum;
        self.low += rest;
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.add(other.high);
        self.low += other.low;
        let (high, low) = two_sum(self.high, self.low);
        (self.high, self.low) = (high, low);
    }

    pub(super) fn scale(&mut self, factor: (f64, f64)) {
        self.high *= factor.0 * factor.1;
        self.low *= factor.0 * factor.1;
    }

    pub(super) fn value(self) -> f64 {
        self.high + self.low
    }

    /// Divided by a number.
    pub(super) fn over(self, divisor: f64) -> Self {
        let high = self.value() / divisor;
        let (product, rest) = two_product(high, divisor);
        let low = (((self.high - product) - rest) + self.low) / divisor;
        Self { high, low }
    }

    pub(super) fn minus_square_of(self, other: Self) -> Self {
        let (square, rest) = two_product(other.high, other.high);
        let (high, least) = two_sum(self.high, -square);
        Self { high, low: least + (self.low - rest - 2.0 * other.high * other.low) }
    }
}

/// A sum and what rounding took from it (Knuth).
#[inline(always)]
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// A product and what rounding took from it (Dekker); for numbers far from overflow.
#[inline(always)]
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let big = 134_217_729.0 * x;
        let high = big - (big - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}
