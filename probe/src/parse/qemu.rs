//! The command line and the threads of a QEMU process.
//!
//! Source: qemu(1): `-name`, `-m`, `-object memory-backend-*`; thread names: QEMU accel/kvm and accel/tcg, given with
//! `-name …,debug-threads=on`, which libvirt sets. Limits: a guest of several cells has several backends; memory that
//! is plugged in later is not in the command line.

use serde_json::Value;

/// Whether this is a process that runs a guest, by the name of its program.
pub fn is_guest(command: &[u8]) -> bool {
    let program = words(command).next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    name.starts_with("qemu-system-") || matches!(name, "qemu-kvm" | "kvm")
}

/// Name of the guest.
pub fn name(command: &[u8]) -> Option<String> {
    let value = value(command, "-name")?;
    let name = options(&value).into_iter().find_map(|(key, value)| match (key.as_str(), value) {
        ("guest", Some(name)) => Some(name),
        // `-name x,process=y`: the first word stands alone.
        (_, None) => Some(key),
        _ => None,
    });
    name.filter(|name| !name.is_empty())
}

/// Sizes of the guest's memory backends, else its memory as one.
pub fn memories(command: &[u8]) -> Vec<u64> {
    let backends: Vec<u64> = values(command, "-object").filter_map(|text| backend(&text)).collect();
    if !backends.is_empty() {
        return backends;
    }
    let Some(text) = value(command, "-m") else { return Vec::new() };
    let options = options(&text);
    let size = options.iter().find_map(|(key, value)| match value {
        Some(size) if key == "size" => Some(size),
        None => Some(key),
        Some(_) => None,
    });
    size.and_then(|size| bytes(size, 1 << 20)).into_iter().collect()
}

/// Number of the vCPU that a thread runs, by its name: `CPU 3/KVM`.
pub fn vcpu(thread: &str) -> Option<u32> {
    let (number, accelerator) = thread.trim_end().strip_prefix("CPU ")?.split_once('/')?;
    matches!(accelerator, "KVM" | "TCG").then(|| number.parse().ok())?
}

fn backend(text: &str) -> Option<u64> {
    if text.starts_with('{') {
        let object: Value = serde_json::from_str(text).ok()?;
        object["qom-type"].as_str().filter(|kind| kind.starts_with("memory-backend-"))?;
        return object["size"].as_u64();
    }
    let options = options(text);
    options.first().filter(|(kind, _)| kind.starts_with("memory-backend-"))?;
    let (_, size) = options.iter().find(|(key, _)| key == "size")?;
    bytes(size.as_ref()?, 1)
}

fn bytes(text: &str, default_unit: u64) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].chars().next().map(|unit| unit.to_ascii_lowercase()) {
        None => default_unit,
        Some('b') => 1,
        Some('k') => 1 << 10,
        Some('m') => 1 << 20,
        Some('g') => 1 << 30,
        Some('t') => 1 << 40,
        Some(_) => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn words(command: &[u8]) -> impl Iterator<Item = &str> {
    command.split(|byte| *byte == 0).map(|word| std::str::from_utf8(word).unwrap_or_default())
}

fn values<'a>(command: &'a [u8], option: &'static str) -> impl Iterator<Item = String> + 'a {
    let mut words = words(command);
    std::iter::from_fn(move || {
        // `--name` is `-name` too.
        words.find(|word| *word == option || word.strip_prefix('-') == Some(option))?;
        words.next().map(str::to_owned)
    })
}

fn value(command: &[u8], option: &'static str) -> Option<String> {
    values(command, option).next()
}

/// `key=value` pairs and single words between commas; two commas are one that belongs to the value.
fn options(text: &str) -> Vec<(String, Option<String>)> {
    let whole = text.replace(",,", "\0");
    let option = |part: &str| match part.split_once('=') {
        Some((key, value)) => (key.to_owned(), Some(value.replace('\0', ","))),
        None => (part.replace('\0', ","), None),
    };
    whole.split(',').map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Vec<u8> {
        words.iter().flat_map(|word| [word.as_bytes(), &[0]].concat()).collect()
    }

    #[test]
    fn a_guest_of_libvirt_is_read() {
        let command = line(&[
            "/usr/bin/qemu-system-x86_64",
            "-name",
            "guest=my, job,,2,debug-threads=on",
            "-m",
            "size=2097152k",
            "-object",
            "{\"qom-type\":\"secret\",\"id\":\"masterKey0\"}",
            "-object",
            "{\"qom-type\":\"memory-backend-ram\",\"id\":\"pc.ram\",\"size\":2147483648}",
        ]);
        assert!(is_guest(&command));
        assert_eq!(memories(&command), [2 << 30]);
        let command = line(&["/usr/bin/qemu-system-x86_64", "-name", "guest=a,,b,debug-threads=on"]);
        assert_eq!(name(&command).as_deref(), Some("a,b"));
    }

    #[test]
    fn a_guest_started_by_hand_is_read() {
        let command = line(&["qemu-kvm", "-m", "1.5", "--name", "x,process=y"]);
        assert_eq!((name(&command).as_deref(), memories(&command)), (Some("x"), vec![]));
        assert_eq!(memories(&line(&["kvm", "-m", "512"])), [512 << 20]);
        assert_eq!(memories(&line(&["kvm", "-m", "4G,slots=2,maxmem=8G"])), [4 << 30]);
        let cells = ["kvm", "-object", "memory-backend-file,id=a,size=1G", "-object", "memory-backend-memfd,size=7"];
        assert_eq!(memories(&line(&cells)), [1 << 30, 7]);
    }

    #[test]
    fn other_programs_are_no_guests() {
        for program in ["/usr/bin/qemu-img", "/usr/sbin/qemu-ga", "bash", "", "/opt/qemu-system-x/sh"] {
            assert!(!is_guest(&line(&[program, "-name", "guest=x"])), "{program}");
        }
        assert_eq!((name(b""), memories(b"").len()), (None, 0));
        assert_eq!(name(&line(&["kvm", "-name"])), None);
    }

    #[test]
    fn threads_of_processors_are_told_from_others() {
        assert_eq!(vcpu("CPU 11/KVM\n"), Some(11));
        assert_eq!(vcpu("CPU 0/TCG\n"), Some(0));
        for thread in ["qemu-system-x86\n", "ALL CPUs/TCG\n", "CPU x/KVM\n", "CPU 1/XYZ\n", "IO mon_iothread\n", ""] {
            assert_eq!(vcpu(thread), None, "{thread}");
        }
    }

    #[test]
    fn no_size_whatever_makes_it_panic() {
        for text in ["", "G", "18446744073709551615G", "-1", "1é", "é", "1e3", "0x10"] {
            assert!(bytes(text, 1).is_none_or(|bytes| bytes < 1 << 40), "{text}");
        }
    }

    #[test]
    fn sizes_have_their_unit_and_the_size_is_told_from_other_options() {
        let units = ["3", "3b", "3K", "3m", "3G", "3t", "3x"].map(|text| bytes(text, 7));
        let kib = 1 << 10;
        let expected = [Some(21), Some(3), Some(3 * kib), Some(3 * kib * kib), Some(3 << 30), Some(3 << 40), None];
        assert_eq!(units, expected);
        assert_eq!(memories(&line(&["kvm", "-m", "slots=2,size=4G"])), [4 << 30]);
        assert!(memories(&line(&["kvm", "-m", "slots=2,maxmem=8G"])).is_empty());
    }
}
