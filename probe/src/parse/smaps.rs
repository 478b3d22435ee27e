//! `/proc/PID/smaps_rollup` and `/proc/PID/smaps`: memory of one process by share and kind.
//!
//! Source: proc(5), Linux Documentation/filesystems/proc.rst. Limits: the rollup from kernel 4.14 on, and the kinds of
//! it (`Pss_Anon`, `Pss_File`, `Pss_Shmem`) from 5.4; `SwapPss` from 4.3.

/// Proportional set size in bytes: a page that n processes share counts as 1/n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pss {
    pub all_bytes: Option<u64>,
    pub anon_bytes: Option<u64>,
    pub file_bytes: Option<u64>,
    pub shmem_bytes: Option<u64>,
    pub swap_bytes: Option<u64>,
}

/// Sums over all mappings; the rollup is one.
pub fn pss(text: &str) -> Pss {
    let mut pss = Pss::default();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let sum = match key {
            "Pss" => &mut pss.all_bytes,
            "Pss_Anon" => &mut pss.anon_bytes,
            "Pss_File" => &mut pss.file_bytes,
            "Pss_Shmem" => &mut pss.shmem_bytes,
            "SwapPss" => &mut pss.swap_bytes,
            _ => continue,
        };
        if let Some(bytes) = bytes(value) {
            *sum = Some(sum.unwrap_or(0).saturating_add(bytes));
        }
    }
    pss
}

fn bytes(value: &str) -> Option<u64> {
    value.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// One mapping of `smaps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub size_bytes: u64,
    /// Resident, pages of hugetlbfs among them, which `Rss` leaves out.
    pub resident_bytes: u64,
    /// Holds code.
    pub executable: bool,
}

/// Each mapping that has a size.
pub fn mappings(text: &str) -> Vec<Mapping> {
    let mut found: Vec<Mapping> = Vec::new();
    let mut executable = false;
    for line in text.lines() {
        if let Some(permissions) = permissions(line) {
            executable = permissions.as_bytes().get(2) == Some(&b'x');
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let Some(bytes) = bytes(value) else { continue };
        match (key, found.last_mut()) {
            ("Size", _) => found.push(Mapping { size_bytes: bytes, resident_bytes: 0, executable }),
            ("Rss" | "Shared_Hugetlb" | "Private_Hugetlb", Some(last)) => {
                last.resident_bytes = last.resident_bytes.saturating_add(bytes);
            }
            _ => {}
        }
    }
    found
}

/// Of the line that begins a mapping: `7f0000000000-7f0040000000 rw-p …`.
fn permissions(line: &str) -> Option<&str> {
    let (addresses, rest) = line.split_once(' ')?;
    addresses.split_once('-')?;
    rest.split(' ').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLLUP: &str = include_str!("../../tests/machines/hybrid-guest/proc/self/smaps_rollup");
    const SMAPS: &str = include_str!("../../tests/machines/hybrid-guest/proc/self/smaps");

    #[test]
    fn a_real_rollup_has_all_kinds_which_make_up_the_whole() {
        let pss = pss(ROLLUP);
        let kinds = [pss.anon_bytes, pss.file_bytes, pss.shmem_bytes];
        let sum: u64 = kinds.map(|kind| kind.expect("a kind")).iter().sum();
        assert_eq!(pss.all_bytes, Some(sum));
        assert_eq!(pss.swap_bytes, Some(0));
    }

    #[test]
    fn a_real_smaps_is_summed_over_its_mappings_and_has_no_kinds() {
        let pss = pss(SMAPS);
        assert!(pss.all_bytes > Some(0) && pss.anon_bytes.is_none());
        let mappings = mappings(SMAPS);
        assert!(mappings.len() > 10);
        assert!(mappings.iter().all(|mapping| mapping.resident_bytes <= mapping.size_bytes));
        assert!(mappings.iter().any(|mapping| mapping.executable) && !mappings[0].executable);
    }

    #[test]
    fn pages_of_hugetlbfs_are_resident_too() {
        let text = "7f0000000000-7f0040000000 rw-p 00000000 00:0f 7 /dev/hugepages/a:b (deleted)\n\
                    Size:            1048576 kB\nRss:                   0 kB\nShared_Hugetlb:        0 kB\n\
                    Private_Hugetlb:  524288 kB\nVmFlags: rd wr\n";
        assert_eq!(mappings(text), [Mapping { size_bytes: 1 << 30, resident_bytes: 1 << 29, executable: false }]);
    }

    #[test]
    fn nothing_and_garbage_are_absence() {
        for text in ["", "Pss:\n", "Pss: many kB\n", "Pss: 5\n", "Pss: 99999999999999999999 kB\n"] {
            assert_eq!(pss(text), Pss::default(), "{text}");
            assert!(mappings(text).is_empty());
        }
    }
}
