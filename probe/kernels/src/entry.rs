//! What a kernel is, and the report that all of them share.

use serde_json::{Value, json};

/// Which way is better.
pub const HIGHER: &str = "higher";
pub const LOWER: &str = "lower";

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// A figure that a kernel yields. A name that ends in `{…}` stands for several: `map_{SIZE}` for `map_64_KiB`.
pub struct Metric {
    pub name: &'static str,
    pub unit: &'static str,
    pub direction: &'static str,
}

/// A kernel in the list.
pub struct Entry {
    pub name: &'static str,
    /// What it does, one sentence.
    pub does: &'static str,
    /// By whose rules it measures; it is never that tool itself.
    pub rules: &'static str,
    pub metrics: &'static [Metric],
}

/// How figures came about.
pub struct Method {
    pub repetitions: usize,
    /// What of the repetitions is reported.
    pub statistic: &'static str,
    /// What was done before and left out.
    pub warm_up: &'static str,
}

impl Metric {
    fn fits(&self, name: &str) -> bool {
        let stem = self.name.split('{').next().unwrap_or(self.name);
        if stem == self.name { name == stem } else { name.starts_with(stem) }
    }
}

impl Entry {
    /// The kernel as it stands in `kernel list`.
    pub fn json(&self) -> Value {
        let metric = |m: &Metric| json!({"name": m.name, "unit": m.unit, "direction": m.direction});
        let metrics: Vec<Value> = self.metrics.iter().map(metric).collect();
        json!({"name": self.name, "does": self.does, "rules": self.rules, "metrics": metrics})
    }

    /// The report of a run: figures by name (`None`: not measured) and whatever else `facts` holds.
    pub fn report(&self, method: &Method, figures: &[(String, Option<f64>)], facts: Value) -> Value {
        let figure = |(name, value): &(String, Option<f64>)| {
            let metric = self.metrics.iter().find(|metric| metric.fits(name));
            let (unit, direction) = metric.map_or(("", ""), |metric| (metric.unit, metric.direction));
            json!({"name": name, "value": value, "unit": unit, "direction": direction})
        };
        let mut report = json!({
            "kernel": self.name,
            "rules": self.rules,
            "repetitions": method.repetitions,
            "statistic": method.statistic,
            "warm_up": method.warm_up,
            "metrics": figures.iter().map(figure).collect::<Vec<Value>>(),
        });
        if let (Value::Object(report), Value::Object(facts)) = (&mut report, facts) {
            report.extend(facts);
        }
        report
    }
}

/// A number of bytes as part of a name: `64_KiB`.
pub fn size_name(bytes: usize) -> String {
    match bytes {
        0 => "0_KiB".to_owned(),
        _ if bytes % MIB == 0 => format!("{}_MiB", bytes / MIB),
        _ if bytes % KIB == 0 => format!("{}_KiB", bytes / KIB),
        _ => format!("{bytes}_B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENTRIES;

    #[test]
    fn every_kernel_has_its_own_name_and_one_sentence() {
        for (index, entry) in ENTRIES.iter().enumerate() {
            assert!(ENTRIES[..index].iter().all(|other| other.name != entry.name));
            assert!(entry.does.ends_with('.') && !entry.rules.is_empty() && !entry.metrics.is_empty());
            assert!(entry.metrics.iter().all(|m| [HIGHER, LOWER].contains(&m.direction) && !m.unit.is_empty()));
        }
    }

    #[test]
    fn a_size_is_named_in_the_largest_whole_unit() {
        assert_eq!([0, 1024, 1536, 1 << 20, 100].map(size_name), ["0_KiB", "1_KiB", "1536_B", "1_MiB", "100_B"]);
    }

    #[test]
    fn a_figure_has_the_unit_of_its_metric() {
        let metrics = &[Metric { name: "map_{SIZE}", unit: "us", direction: LOWER }];
        let entry = Entry { name: "a", does: "b", rules: "ours", metrics };
        let method = Method { repetitions: 3, statistic: "median", warm_up: "none" };
        let report = entry.report(&method, &[("map_64_KiB".to_owned(), Some(1.5))], json!({"x": 1}));
        assert_eq!(
            report["metrics"][0],
            json!({"name": "map_64_KiB", "value": 1.5, "unit": "us", "direction": "lower"})
        );
        assert_eq!((report["x"].clone(), report["repetitions"].clone()), (json!(1), json!(3)));
    }
}
