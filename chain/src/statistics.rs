//! Sums over events, in their order: the same for any number of threads.

use serde_json::{Value, json};

/// Mean and spread of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl Moments {
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// Standard deviation of the sample; `None` of fewer than two.
    pub fn sigma(&self) -> Option<f64> {
        let mean = self.mean().filter(|_| self.count > 1)?;
        let count = self.count as f64;
        Some(((self.squares / count - mean * mean).max(0.0) * count / (count - 1.0)).sqrt())
    }

    pub fn json(&self) -> Value {
        json!({"count": self.count, "mean": self.mean(), "sigma": self.sigma()})
    }
}

/// Moments by steps of another number.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Of the other number, or of its root.
    step: f64,
    root: bool,
    bins: Vec<(Moments, Moments)>,
}

impl Profile {
    /// Equal steps from 0.
    pub fn even(step: f64, bins: usize) -> Self {
        Self { step, root: false, bins: vec![Default::default(); bins] }
    }

    /// Equal steps of the root, from 0: narrow where there is little.
    pub fn of_root(step: f64, bins: usize) -> Self {
        Self { root: true, ..Self::even(step, bins) }
    }

    /// What lies outside is left out.
    pub fn add(&mut self, at: f64, value: f64) {
        let place = if self.root { at.sqrt() } else { at };
        let bin = place / self.step;
        if bin >= 0.0 && bin < self.bins.len() as f64 {
            let (places, values) = &mut self.bins[bin as usize];
            places.add(at);
            values.add(value);
        }
    }

    /// Steps that hold something, each by the mean of the other number in it.
    pub fn json(&self, at: &str) -> Value {
        let row = |(places, values): &(Moments, Moments)| {
            let mut row = values.json();
            row[at] = json!(places.mean());
            row
        };
        self.bins.iter().filter(|(places, _)| places.count > 0).map(row).collect()
    }
}

/// The middle value; `None` of nothing.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 { Some(upper) } else { Some(0.5 * (values[middle - 1] + upper)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_few_numbers() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.sigma()), (None, None));
        [2.0, 4.0, 6.0].into_iter().for_each(|value| moments.add(value));
        assert_eq!((moments.mean(), moments.sigma().map(|sigma| (sigma * 1e9).round())), (Some(4.0), Some(2e9)));
        assert_eq!(
            (median(&mut []), median(&mut [3.0, 1.0]), median(&mut [3.0, 1.0, 9.0])),
            (None, Some(2.0), Some(3.0))
        );
    }

    #[test]
    fn a_profile_leaves_out_what_lies_outside() {
        let points = [(-0.1, 9.0), (0.5, 1.0), (1.5, 2.0), (2.0, 9.0), (4.0, 9.0)];
        for (mut profile, inside) in [(Profile::even(1.0, 2), 2), (Profile::of_root(0.75, 2), 3)] {
            points.iter().for_each(|(at, value)| profile.add(*at, *value));
            let told = profile.json("MeV");
            let count: u64 = told.as_array().expect("rows").iter().filter_map(|row| row["count"].as_u64()).sum();
            assert_eq!((count, &told[0]["mean"], &told[1]["MeV"]), (inside, &told[0]["mean"], &told[1]["MeV"]));
        }
    }
}
