//! Functions of one number that several stages share.

use libm::erfc;
use std::f64::consts::FRAC_1_SQRT_2;

/// `1 / (1 + exp(-u))` without overflow.
pub fn sigmoid(u: f64) -> f64 {
    if u >= 0.0 {
        1.0 / (1.0 + (-u).exp())
    } else {
        let e = u.exp();
        e / (1.0 + e)
    }
}

/// `log(1 + exp(u))` without overflow.
pub fn softplus(u: f64) -> f64 {
    u.max(0.0) + (-u.abs()).exp().ln_1p()
}

/// A number whose bits look like chance and are a function of another (the finaliser of SplitMix64).
pub(crate) fn scrambled(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A number with so many significant digits as a file should hold.
pub(crate) fn short(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// The distribution function of the standard normal.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// `value = exp(min(value, 0))` for every value, to within two units in the last place.
///
/// The C library's exponential takes most of the time of a kernel; this one the compiler vectorises for the machine it
/// runs on. It uses no fused operations, so that the result does not depend on the machine.
pub fn exp_of_nonpositive(values: &mut [f64]) {
    /// 1/k! for k from 8 down to 0.
    const COEFFICIENTS: [f64; 9] = {
        let mut coefficients = [1.0; 9];
        let mut k = 1;
        let mut factorial = 1.0;
        while k < 9 {
            factorial *= k as f64;
            coefficients[8 - k] = 1.0 / factorial;
            k += 1;
        }
        coefficients
    };
    /// ln 2 in two parts, the first short enough that multiples of it are exact.
    const LN_2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
    /// Adding this rounds to an integer that then stands in the last bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for value in values {
                // exp(-708) is the smallest with a full exponent; what lies below counts as 0.
                let x = value.clamp(-708.0, 0.0);
                let shifted = x * std::f64::consts::LOG2_E + ROUND;
                let power = shifted - ROUND;
                let rest = (x - power * LN_2.0) - power * LN_2.1;
                let mut sum = COEFFICIENTS[0];
                for coefficient in &COEFFICIENTS[1..] {
                    sum = sum * rest + coefficient;
                }
                let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
                *value = if *value < -708.0 { 0.0 } else { sum * scale };
            }
        },
    );
}

/// Bits without a pattern.
pub(crate) fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_do_not_overflow() {
        assert_eq!((sigmoid(-800.0), sigmoid(800.0)), (0.0, 1.0));
        assert!((softplus(800.0) - 800.0).abs() < 1e-12 && softplus(-800.0) == 0.0);
    }

    #[test]
    fn the_fast_exponential_is_the_exponential() {
        let points: Vec<f64> =
            (0..200_000).map(|k| -0.003_541 * k as f64).chain([-1e-300, -1e-9, -750.0, -1e9]).collect();
        let mut values = points.clone();
        exp_of_nonpositive(&mut values);
        for (x, value) in points.iter().zip(values) {
            let exact = if *x < -708.0 { 0.0 } else { x.exp() };
            assert!((value - exact).abs() <= 3e-10 * exact, "exp({x}) = {value}, not {exact}");
        }
        let mut above = [0.0, 1e-12, 5.0];
        exp_of_nonpositive(&mut above);
        assert_eq!(above, [1.0; 3]);
    }

    #[test]
    fn numbers_are_short_and_near() {
        assert_eq!(short(0.1 + 0.2, 9), 0.3);
        assert_eq!(short(-1_180.000_000_000_2, 9), -1180.0);
        assert!((short(1e300 / 3.0, 9) / (1e300 / 3.0) - 1.0).abs() < 1e-8);
        assert_eq!(short(0.0, 9), 0.0);
    }
}
