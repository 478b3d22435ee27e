//! `/proc/PID/maps`.
//!
//! Source: proc_pid_maps(5).

use super::perf_event::Map;

/// Executable maps, as they were from the beginning of time on.
pub fn executable(text: &str, process: u32) -> Vec<Map> {
    text.lines().filter_map(|text| line(text, process)).collect()
}

fn line(line: &str, process: u32) -> Option<Map> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let executable = words.next()?.contains('x');
    let offset = hex(words.next()?)?;
    let file = words.nth(2).unwrap_or("").trim_start();
    let (start, end) = (hex(start)?, hex(end)?);
    let file = if file.is_empty() { "//anon" } else { file.strip_suffix(" (deleted)").unwrap_or(file) };
    let map = Map { process, start, bytes: end.checked_sub(start)?, offset, file: file.to_owned(), time_ns: 0 };
    executable.then_some(map)
}

fn hex(word: &str) -> Option<u64> {
    u64::from_str_radix(word, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
55a6c8e2b000-55a6c8e2d000 r--p 00000000 fe:00 1180                       /usr/bin/cat
55a6c8e2d000-55a6c8e32000 r-xp 00002000 fe:00 1180                       /opt/my tools/cat (deleted)
7f0000000000-7f0000001000 rwxp 00000000 00:00 0
7ffd1d7d5000-7ffd1d7d7000 r-xp 00000000 00:00 0                          [vdso]
";

    #[test]
    fn only_executable_maps_are_taken_and_names_may_hold_blanks() {
        let maps = executable(TEXT, 7);
        let files: Vec<&str> = maps.iter().map(|map| map.file.as_str()).collect();
        assert_eq!(files, ["/opt/my tools/cat", "//anon", "[vdso]"]);
        assert_eq!((maps[0].start, maps[0].bytes, maps[0].offset), (0x55a6_c8e2_d000, 0x5000, 0x2000));
    }

    #[test]
    fn what_is_no_map_is_left_out() {
        assert_eq!(executable("nonsense\n1-z r-xp 0 0 0\n9-1 r-xp 0 00:00 0\n\n", 7), []);
    }
}
