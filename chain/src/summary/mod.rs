//! What a step says of its physics, and whether that can be right.

mod charge;
mod fit;
mod light;

pub use charge::{Charges, Samples};
pub use fit::{Fits, Selection};
pub use light::{Generated, Light};

use serde_json::Value;

use crate::error::{Error, Result};

/// Sums over the events of a step.
pub trait Summary {
    /// What one event adds.
    type Part: Send;

    fn add(&mut self, part: Self::Part);

    /// What is told at the end.
    fn json(&self) -> Value;

    /// An error where the physics cannot be right: a broken run must be seen as wrong, not as fast.
    fn trust(&self) -> Result<()>;
}

/// Standard errors that a right run may be beyond a range.
const CHANCE: f64 = 5.0;

/// Holds a mean of at least so many values to a range that no right run leaves.
fn within(what: &str, moments: &crate::statistics::Moments, least: u64, range: (f64, f64)) -> Result<()> {
    // Few events may lie outside by chance.
    let chance = CHANCE * moments.sigma().unwrap_or_default() / (moments.count.max(1) as f64).sqrt();
    match moments.mean() {
        Some(mean) if moments.count >= least && !(range.0 - chance..=range.1 + chance).contains(&mean) => {
            Err(Error::failed(format!(
                "cannot trust the physics: expected {what} from {} to {}, got {mean:.4}",
                range.0, range.1
            )))
        }
        _ => Ok(()),
    }
}
