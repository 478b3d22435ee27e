//! `/proc/cpuinfo`.
//!
//! Source: proc(5). Limits: x86 names a model and flags; aarch64 has neither line.

use crate::arrange;

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
    let mut values: Vec<&str> = lines.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim()).collect();
    arrange::sort_distinct(&mut values);
    (!values.is_empty()).then_some(values)
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

/// (processor, Hz) of each processor that tells it: x86 only, and constant in a guest.
pub fn frequencies(text: &str) -> impl Iterator<Item = (u32, f64)> {
    let mut cpu = None;
    text.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        match name.trim_end() {
            "processor" => cpu = value.trim().parse().ok(),
            "cpu MHz" => return Some((cpu?, value.trim().parse::<f64>().ok().filter(|mhz| mhz.is_finite())? * 1e6)),
            _ => {}
        }
        None
    })
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

    #[test]
    fn each_processor_that_tells_its_frequency_is_found() {
        assert_eq!(frequencies(HERE).map(|(cpu, _)| cpu).collect::<Vec<_>>(), [0, 1]);
        assert!(frequencies(HERE).all(|(_, hz)| hz > 1e8));
        let text = "cpu MHz\t: 1\nprocessor\t: 7\ncpu MHz\t\t: 2500.5\nprocessor\t: 8\ncpu MHz : nan\n";
        assert_eq!(frequencies(text).collect::<Vec<_>>(), [(7, 2_500_500_000.0)]);
    }

    #[test]
    fn values_of_all_processors_are_given_once_each() {
        let text = "core id\t: 1\nphysical id\t: 0\ncore id\t: 0\nno colon\ncore id\t: 1\n";
        assert_eq!((all(text, "core id"), all(text, "core")), (Some(vec!["0", "1"]), None));
        assert_eq!((first(text, "core id"), model("model name\t: \n")), (Some("1"), None));
    }
}
