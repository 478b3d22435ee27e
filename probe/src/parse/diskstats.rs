//! `/proc/diskstats`: what each block device did since boot.
//!
//! Source: Linux Documentation/admin-guide/iostats.rst; a sector is 512 bytes whatever the device. Limits: discards
//! from kernel 4.18 on, flushes from 5.5; times of requests that are merged or run side by side add up, so they may
//! exceed the wall time; before kernel 2.6.25 partitions had four figures only.

const SECTOR_BYTES: u64 = 512;

/// Counters of one kind of request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    pub count: Option<u64>,
    pub merged: Option<u64>,
    pub bytes: Option<u64>,
    pub ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk<'a> {
    pub name: &'a str,
    pub reads: Requests,
    pub writes: Requests,
    pub discards: Requests,
    pub flushes: Option<u64>,
    pub flush_ms: Option<u64>,
    /// Requests at the device now.
    pub in_flight: Option<u64>,
    /// Time with any request at the device.
    pub busy_ms: Option<u64>,
    /// The same, times the requests there.
    pub weighted_ms: Option<u64>,
}

/// Each device and partition that has done anything.
pub fn parse(text: &str) -> impl Iterator<Item = Disk<'_>> {
    text.lines().filter_map(line)
}

fn line(line: &str) -> Option<Disk<'_>> {
    let mut words = line.split_ascii_whitespace().skip(2);
    let name = words.next()?;
    let mut figures = [None; 17];
    for (figure, word) in figures.iter_mut().zip(words) {
        *figure = word.parse::<u64>().ok();
    }
    if figures.iter().all(|figure| figure.unwrap_or(0) == 0) {
        return None;
    }
    let requests = |at: usize| Requests {
        count: figures[at],
        merged: figures[at + 1],
        bytes: figures[at + 2].and_then(|sectors| sectors.checked_mul(SECTOR_BYTES)),
        ms: figures[at + 3],
    };
    Some(Disk {
        name,
        reads: requests(0),
        writes: requests(4),
        discards: requests(11),
        flushes: figures[15],
        flush_ms: figures[16],
        in_flight: figures[8],
        busy_ms: figures[9],
        weighted_ms: figures[10],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = include_str!("../../tests/machines/hybrid-guest/proc/diskstats");

    #[test]
    fn a_real_file_has_the_one_disk_that_works_and_no_idle_loop_devices() {
        let disks: Vec<Disk> = parse(HERE).collect();
        assert_eq!(disks.iter().map(|disk| disk.name).collect::<Vec<_>>(), ["vda"]);
        assert!(disks[0].reads.bytes > Some(0) && disks[0].writes.ms.is_some() && disks[0].flush_ms.is_some());
    }

    #[test]
    fn an_old_kernel_tells_neither_discards_nor_flushes() {
        let disk = parse("   8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n").next().expect("a disk");
        let reads = Requests { count: Some(1), merged: Some(2), bytes: Some(1536), ms: Some(4) };
        assert_eq!((disk.reads, disk.discards, disk.flushes), (reads, Requests::default(), None));
        assert_eq!((disk.in_flight, disk.busy_ms, disk.weighted_ms), (Some(9), Some(10), Some(11)));
    }

    #[test]
    fn garbage_is_no_disk() {
        assert_eq!(parse("\n8\n8 0\n8 0 sda\n8 0 sda x y\n").count(), 0);
        assert_eq!(parse("8 0 sda 1 x 18446744073709551615").next().expect("a disk").reads.bytes, None);
    }
}
