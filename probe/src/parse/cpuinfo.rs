//! `/proc/cpuinfo`.
//!
//! Source: proc(5). Limits: x86 names a model and flags; aarch64 has neither line.

use std::collections::BTreeSet;

/// Value of the first line with this key.
pub fn first<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// Values of all lines with this key, sorted, each once; `None` where there is none.
pub fn all<'a>(text: &'a str, key: &str) -> Option<Vec<&'a str>> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let values: BTreeSet<&str> =
        lines.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim()).collect();
    (!values.is_empty()).then(|| values.into_iter().collect())
}

/// Model name of the first processor.
pub fn model(text: &str) -> Option<String> {
    first(text, "model name").filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Whether the first processor says that it is virtual; `None` where processors list no flags.
pub fn hypervisor(text: &str) -> Option<bool> {
    let flags = first(text, "flags")?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = include_str!("../../tests/machines/hybrid-guest/proc/cpuinfo");

    #[test]
    fn a_virtual_x86_is_told_by_its_flag() {
        assert_eq!(hypervisor(HERE), Some(true));
        assert!(model(HERE).is_some_and(|name| name.contains("Xeon")));
    }

    #[test]
    fn an_arm_processor_tells_nothing() {
        let text = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n";
        assert_eq!((model(text), hypervisor(text)), (None, None));
    }

    #[test]
    fn a_flag_that_only_begins_alike_is_another_flag() {
        assert_eq!(hypervisor("flags\t: fpu hypervisor_x\n"), Some(false));
    }
}
