//! Functions that a program compiled while it ran, as it wrote them down itself.
//!
//! Source: Linux tools/perf/Documentation/jit-interface.txt: `/tmp/perf-PID.map`, lines of `start size name` in hex.
//! Limits: the last name of an address counts, also for samples before it.

use std::collections::BTreeMap;

use crate::read::Root;

/// Larger maps are left out.
const MOST_BYTES: u64 = 64 << 20;

/// Functions of one process by address.
#[derive(Debug, Default)]
pub struct Jit {
    functions: BTreeMap<u64, (u64, String)>,
}

impl Jit {
    pub fn of(root: &Root, process: u32) -> Self {
        Self::parse(&root.own_text(&format!("/tmp/perf-{process}.map"), MOST_BYTES).unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        Self { functions: text.lines().filter_map(line).collect() }
    }

    pub fn at(&self, address: u64) -> Option<String> {
        let (start, (bytes, name)) = self.functions.range(..=address).next_back()?;
        (address - start < *bytes).then(|| name.clone())
    }
}

fn line(line: &str) -> Option<(u64, (u64, String))> {
    let mut words = line.splitn(3, ' ');
    let mut hex = || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
    let (start, bytes) = (hex()?, hex()?);
    Some((start, (bytes, words.next()?.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_compiler_are_found_by_address() {
        let jit = Jit::parse("7f00 10 py::main:/a b.py\nnonsense\n0x7f10 8 f\n");
        assert_eq!(jit.at(0x7f0f).as_deref(), Some("py::main:/a b.py"));
        assert_eq!(jit.at(0x7f10).as_deref(), Some("f"));
        assert_eq!((jit.at(0x7f18), jit.at(1)), (None, None));
    }
}
