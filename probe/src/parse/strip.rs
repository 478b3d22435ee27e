//! Takes names and numbers that identify somebody out of a recorded file.
//!
//! Free text (the kernel's command line, mounts, groups) loses UUIDs, hardware and network addresses, long hexadecimal
//! names and names of users in paths; the command line also the machine's own name. Limits: what a site puts into free text in its own way
//! stays; look at a recorded machine before it is passed on.

use crate::parse::command_line;

const NO_UUID: &str = "00000000-0000-0000-0000-000000000000";
const NO_ADDRESS: &str = "enx000000000000";
/// Name that every recorded machine has.
pub const NAME: &str = "machine";
/// A run of hexadecimal digits of this length names a container, a disk or a machine.
const LONG: usize = 32;

/// Content of the file as it may be kept.
pub fn strip(path: &str, text: &str, hostname: &str) -> String {
    match path {
        "/proc/sys/kernel/hostname" => format!("{NAME}\n"),
        "/proc/sys/kernel/random/boot_id" => format!("{NO_UUID}\n"),
        "/proc/cmdline" => format!("{}\n", free(command_line::of_kernel(text), hostname)),
        "/proc/self/mountinfo" => text.lines().map(|line| format!("{}\n", free(&mount(line), ""))).collect(),
        "/proc/cpuinfo" => without_serial(text),
        "/proc/version" => without_builder(text),
        "/proc/self/cgroup" | "/proc/net/dev" => free(text, ""),
        _ => text.to_owned(),
    }
}

/// A path as it may be kept; the same is taken out of it as of the files that speak of it. Not the machine's own name:
/// it may be any word, such as `vm`.
pub fn path(path: &str) -> String {
    free(path, "")
}

/// A board's processor information ends with its serial number; user-mode Linux names its host.
fn without_serial(text: &str) -> String {
    let named = |line: &str| matches!(line.split(':').next().map(str::trim), Some("Serial" | "host"));
    text.lines().filter(|line| !named(line)).map(|line| format!("{line}\n")).collect()
}

/// `Linux version 6.1 (somebody@somewhere) (gcc …) #1 …`.
fn without_builder(text: &str) -> String {
    let word = |word: &str| {
        let builder = word.starts_with('(') && word.contains('@') && word.ends_with(')');
        if builder { format!("(user@{NAME})") } else { word.to_owned() }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// A mount without the server that a network file system comes from.
fn mount(line: &str) -> String {
    let Some((mount, system)) = line.split_once(" - ") else { return line.to_owned() };
    let mut words: Vec<&str> = system.split(' ').collect();
    if words.get(1).is_some_and(|source| source.starts_with("//") || source.contains(":/")) {
        words[1] = "server:/";
    }
    format!("{mount} - {}", words.join(" "))
}

/// Free text, piece by piece; a piece ends where no name or address goes on.
fn free(text: &str, hostname: &str) -> String {
    let mut out = String::new();
    for piece in text.split_inclusive(|letter: char| !(letter.is_ascii_alphanumeric() || ".:-_".contains(letter))) {
        let end = piece.trim_end_matches(|letter: char| !(letter.is_ascii_alphanumeric() || ".:-_".contains(letter)));
        let before = out.rsplit('/').nth(1).unwrap_or("");
        let is_user = out.ends_with('/') && matches!(before, "home" | "media") && !end.is_empty();
        out.push_str(if is_user { "user" } else { "" });
        out.push_str(&if is_user { String::new() } else { word(end, hostname) });
        out.push_str(&piece[end.len()..]);
    }
    out
}

fn word(word: &str, hostname: &str) -> String {
    let short = hostname.split('.').next().unwrap_or("");
    if !short.is_empty() && (word == hostname || word == short) {
        return NAME.to_owned();
    }
    if is_network_v6(word) {
        return "::".to_owned();
    }
    let parts: Vec<String> = word.split(':').map(|part| part_of_word(part, hostname, short)).collect();
    parts.join(":")
}

fn part_of_word(part: &str, hostname: &str, short: &str) -> String {
    if !short.is_empty() && (part == hostname || part == short) {
        NAME.to_owned()
    } else if is_network_v4(part) {
        "0.0.0.0".to_owned()
    } else {
        part.split('.').map(without_numbers).collect::<Vec<_>>().join(".")
    }
}

/// UUIDs and long hexadecimal names, also with something before or after them: `docker-4f….scope`.
fn without_numbers(text: &str) -> String {
    if is_named_by_address(text) {
        return NO_ADDRESS.to_owned();
    }
    if let Some(at) = uuid_in(text) {
        return format!("{}{NO_UUID}{}", &text[..at], &text[at + NO_UUID.len()..]);
    }
    let runs = text.split_inclusive(|letter: char| !letter.is_ascii_hexdigit());
    runs.map(|run| {
        let digits = run.trim_end_matches(|letter: char| !letter.is_ascii_hexdigit());
        if digits.len() < LONG {
            run.to_owned()
        } else {
            format!("{}{}", "0".repeat(digits.len()), &run[digits.len()..])
        }
    })
    .collect()
}

/// The interface of a USB adapter has its hardware address as its name (systemd.net-naming-scheme(7)).
fn is_named_by_address(text: &str) -> bool {
    text.len() == NO_ADDRESS.len()
        && text.strip_prefix("enx").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn uuid_in(text: &str) -> Option<usize> {
    let fits = |window: &[u8]| {
        window.iter().zip(NO_UUID.bytes()).all(
            |(byte, model)| {
                if model == b'-' { *byte == b'-' } else { byte.is_ascii_hexdigit() }
            },
        )
    };
    text.as_bytes().windows(NO_UUID.len()).position(fits)
}

fn is_network_v4(text: &str) -> bool {
    let numbers: Vec<&str> = text.split('.').collect();
    numbers.len() == 4 && numbers.iter().all(|number| number.parse::<u8>().is_ok())
}

/// A hardware address or one of version 6: at least two colons, and nothing but short hexadecimal numbers, two or more.
fn is_network_v6(text: &str) -> bool {
    let short = |part: &str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let numbers = text.split(':').filter(|part| !part.is_empty()).count();
    text.matches(':').count() >= 2 && numbers >= 2 && text.split(':').all(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_loses_who_and_where_it_was() {
        let line = "root=UUID=4f1c6c0e-8f4b-4d0a-9d1c-6b0f0e3a7c55 ip=10.1.2.3::10.1.2.1:255.0.0.0:node7:eth0:off \
            BOOTIF=52:54:00:12:34:56 six=2001:db8::1 log=/home/alice/log quiet isolcpus=2-3 -- --token 1\n";
        let expected = "root=UUID=00000000-0000-0000-0000-000000000000 ip=0.0.0.0::0.0.0.0:0.0.0.0:machine:eth0:off \
            BOOTIF=:: six=:: log=/home/user/log quiet isolcpus=2-3\n";
        assert_eq!(strip("/proc/cmdline", line, "node7.example.org"), expected);
    }

    #[test]
    fn groups_and_mounts_keep_their_shape() {
        let id = "4f1c6c0e8f4b4d0a9d1c6b0f0e3a7c554f1c6c0e8f4b4d0a9d1c6b0f0e3a7c55";
        let group = format!("0::/user.slice/docker-{id}.scope\n4:cpu,cpuacct:/\n");
        let kept = strip("/proc/self/cgroup", &group, "h");
        assert_eq!(kept, format!("0::/user.slice/docker-{}.scope\n4:cpu,cpuacct:/\n", "0".repeat(64)));
        let mount =
            "36 35 98:0 / /home/bob/x rw,noatime shared:2 - nfs4 files.example.org:/export rw,addr=10.0.0.1\n";
        let kept = strip("/proc/self/mountinfo", mount, "h");
        assert_eq!(kept, "36 35 98:0 / /home/user/x rw,noatime shared:2 - nfs4 server:/ rw,addr=0.0.0.0\n");
    }

    #[test]
    fn an_interface_that_is_named_by_its_address_loses_it_everywhere() {
        assert_eq!(path("/sys/class/net/enx0a1b2c3d4e5f/mtu"), "/sys/class/net/enx000000000000/mtu");
        let counters = "  eth0: 12 3 0\nenx0a1b2c3d4e5f: 4 5 0\n";
        assert_eq!(strip("/proc/net/dev", counters, ""), "  eth0: 12 3 0\nenx000000000000: 4 5 0\n");
    }

    #[test]
    fn kernel_releases_and_plain_numbers_stay() {
        let line = "BOOT_IMAGE=/vmlinuz-6.1.0-56-amd64 tsc=1.2.3 mem=4096 a:b\n";
        assert_eq!(strip("/proc/cmdline", line, ""), line);
    }

    #[test]
    fn names_boot_and_serials_are_replaced() {
        assert_eq!(strip("/proc/sys/kernel/hostname", "node7\n", "node7"), "machine\n");
        assert_eq!(
            strip("/proc/cpuinfo", "model\t: 1\nSerial\t\t: 10f\nhost\t: Linux node7 6.1\n", "x"),
            "model\t: 1\n"
        );
        let version = strip("/proc/version", "Linux version 6.1 (me@there) (gcc) #1 SMP\n", "x");
        assert_eq!(version, "Linux version 6.1 (user@machine) (gcc) #1 SMP\n");
    }

    #[test]
    fn only_what_names_somebody_is_taken_out_at_its_very_bounds() {
        assert_eq!(strip("/proc/sys/kernel/random/boot_id", "4f1c\n", ""), format!("{NO_UUID}\n"));
        assert_eq!(strip("/etc/os-release", "ID=node7\n", "node7"), "ID=node7\n");
        let line = |text: &str| strip("/proc/cmdline", text, "node7.example.org");
        assert_eq!(line("a=node7 b=node7.example.org c=node77"), "a=machine b=machine c=node77\n");
        let digits = "4f1c6c0e8f4b4d0a9d1c6b0f0e3a7c5";
        assert_eq!(line(&format!("a={digits}")), format!("a={digits}\n"));
        assert_eq!(line(&format!("a={digits}5")), format!("a={}\n", "0".repeat(32)));
        for kept in [
            "enx0a1b",
            "enx0a1b2c3d4e5g",
            "eth00000a1b2c3d",
            "1:2",
            "::1",
            "0a1b:2:gg",
            "12345:1:2",
            "1.2.3",
            "1.2.3.256",
        ] {
            assert_eq!(line(kept), format!("{kept}\n"));
        }
        assert_eq!(
            (line("fe80::1"), line("1:2:3"), line("1.2.3.255")),
            ("::\n".into(), "::\n".into(), "0.0.0.0\n".into())
        );
    }
}
