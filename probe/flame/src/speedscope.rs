//! Files for speedscope, a viewer that runs in a browser.
//!
//! Source: speedscope's file-format-schema.json, type "sampled".

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::folded::{Folded, total};

/// The document; the samples' order in time is not known, so that they stand in the order of their stacks.
pub fn document(folded: &Folded, name: &str) -> Value {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut frames: Vec<Value> = Vec::new();
    let mut number = |name| {
        *numbers.entry(name).or_insert_with(|| {
            frames.push(json!({"name": name}));
            frames.len() - 1
        })
    };
    let samples: Vec<Vec<usize>> =
        folded.keys().map(|stack| stack.iter().map(|frame| number(frame.as_str())).collect()).collect();
    let weights: Vec<u64> = folded.values().copied().collect();
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": concat!("assay-flame ", env!("CARGO_PKG_VERSION")),
        "name": name,
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": [{
            "type": "sampled", "name": name, "unit": "none", "startValue": 0, "endValue": total(folded),
            "samples": samples, "weights": weights,
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folded::parse;

    #[test]
    fn every_sample_points_to_its_frames_and_weights_add_up() {
        let document = document(&parse("a;b 2\na;c;b 3\n").expect("stacks"), "job");
        let profile = &document["profiles"][0];
        assert_eq!(document["shared"]["frames"], json!([{"name": "a"}, {"name": "b"}, {"name": "c"}]));
        assert_eq!((&profile["samples"], &profile["weights"]), (&json!([[0, 1], [0, 2, 1]]), &json!([2, 3])));
        assert_eq!(profile["endValue"], 5);
    }
}
