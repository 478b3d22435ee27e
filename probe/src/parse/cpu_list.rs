//! Lists of processors: `0-3,8`.
//!
//! Source: Linux `Documentation/admin-guide/cputopology.rst`, cpuset(7) "List format".

use crate::arrange;

/// Processors of a list, sorted, each once; `None` where it is no list. An empty text is an empty list.
pub fn parse(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last > 1 << 16 {
            return None;
        }
        cpus.extend(first..=last);
    }
    arrange::sort_distinct(&mut cpus);
    Some(cpus)
}

/// The list as the kernel takes it.
pub fn format(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_single_processors_are_read() {
        assert_eq!(parse("0-2,8,10-11\n"), Some(vec![0, 1, 2, 8, 10, 11]));
        assert_eq!(parse("3"), Some(vec![3]));
        assert_eq!(parse("\n"), Some(vec![]));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert_eq!(parse("a-b"), None);
        assert_eq!(parse("3-1"), None);
        assert_eq!(parse("0-4294967295"), None);
    }

    #[test]
    fn a_written_list_reads_back() {
        assert_eq!(parse(&format(&[1, 2, 5])), Some(vec![1, 2, 5]));
    }

    #[test]
    fn the_largest_number_of_a_processor_is_a_bound() {
        assert_eq!((parse("65536"), parse("65537"), parse("5-5")), (Some(vec![65_536]), None, Some(vec![5])));
    }
}
