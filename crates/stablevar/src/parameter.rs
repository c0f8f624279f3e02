//! Numbers that are checked once, where they enter, so that no algorithm meets a bad one.

// `Range::contains` can't be called in the `const` constructors.
#![allow(clippy::manual_range_contains)]

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// One of several kinds that a setting chooses between.
#[derive(Debug, Clone, Copy)]
pub struct Named<T: 'static> {
    /// What it is called.
    pub name: &'static str,
    /// What it is, in a clause.
    pub help: &'static str,
    /// The kind with its default settings.
    pub make: fn() -> T,
}

/// An enum of kinds that share a contract: a line for each has its variant, what holds its settings, how to get at them, and
/// the name it is asked for by with what it means.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident: dyn $contract:path {
        $($(#[$variant_doc:meta])* $variant:ident($settings:ty), $read:ident, $write:ident, $kind:literal: $help:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name {
            $($(#[$variant_doc])* $variant($settings),)*
        }

        impl $name {
            /// The kinds that can be asked for.
            pub const KINDS: &[$crate::parameter::Named<Self>] = &[$($crate::parameter::Named {
                name: $kind,
                help: $help,
                make: || $name::$variant(<$settings>::default()),
            },)*];

            /// The name of its kind.
            pub fn name(&self) -> &'static str {
                match self {
                    $($name::$variant(_) => $kind,)*
                }
            }

            /// What it can do.
            pub fn kind(&self) -> &dyn $contract {
                match self {
                    $($name::$variant(kind) => kind,)*
                }
            }

            $(
                #[allow(dead_code)]
                pub(crate) fn $read(&self) -> Option<&$settings> {
                    if let $name::$variant(kind) = self { Some(kind) } else { None }
                }

                #[allow(dead_code)]
                pub(crate) fn $write(&mut self) -> Option<&mut $settings> {
                    if let $name::$variant(kind) = self { Some(kind) } else { None }
                }
            )*
        }
    };
}
pub(crate) use kinds;

macro_rules! checked_number {
    ($(#[$doc:meta])* $name:ident, $allowed:literal, |$value:ident| $condition:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Checks a value; the error bears the parameter's name.
            pub fn new(name: &'static str, $value: f64) -> Result<Self> {
                if $condition {
                    Ok(Self($value))
                } else {
                    Err(Error::BadParameter { name, allowed: $allowed.into(), or_auto: false, value: $value.to_string() })
                }
            }

            /// A constant known to be in range; anything else does not compile when used in a `const`.
            pub const fn constant($value: f64) -> Self {
                assert!($condition, $allowed);
                Self($value)
            }

            /// The number.
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = Error;
            fn try_from(value: f64) -> Result<Self> {
                Self::new("a value", value)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }
    };
}

checked_number!(
    /// A finite number above 0.
    Positive, "a finite number above 0", |value| value > 0.0 && value < f64::INFINITY
);
checked_number!(
    /// A finite number, 0 or above.
    NonNegative, "a finite number, 0 or above", |value| value >= 0.0 && value < f64::INFINITY
);
checked_number!(
    /// A number from 0 to 1, both included.
    Fraction, "a number from 0 to 1", |value| value >= 0.0 && value <= 1.0
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_values_out_of_range_are_refused_also_when_read_from_a_file() {
        for bad in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
            assert!(Positive::new("x", bad).is_err());
        }
        assert!(NonNegative::new("x", 0.0).is_ok() && NonNegative::new("x", f64::NAN).is_err());
        assert!(Fraction::new("x", 1.0).is_ok() && Fraction::new("x", 1.0001).is_err());
        assert!(serde_json::from_str::<Fraction>("2.0").is_err());
        assert_eq!(serde_json::from_str::<Fraction>("0.5").unwrap().get(), 0.5);
    }
}
