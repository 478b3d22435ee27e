//! What a dynamic loader says for `--list PROGRAM`.
//!
//! Source: ld.so(8); musl's loader prints the same form.

/// One library: its name, and where the loader finds it (`None`: nowhere).
#[derive(Debug, PartialEq, Eq)]
pub struct Library {
    pub name: String,
    pub path: Option<String>,
}

/// Libraries in the loader's order; the kernel's own (vdso), which is no file, is left out.
pub fn parse(text: &str) -> Vec<Library> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<Library> {
    let line = line.trim();
    let line = line.rsplit_once(" (0x").map_or(line, |(entry, _)| entry);
    if let Some((name, place)) = line.split_once(" => ") {
        let path = (place != "not found").then(|| place.to_owned());
        return Some(Library { name: name.to_owned(), path });
    }
    line.starts_with('/')
        .then(|| Library { name: line.rsplit('/').next().unwrap_or(line).to_owned(), path: Some(line.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_the_loader_are_listed_without_the_vdso() {
        let text = "\tlinux-vdso.so.1 (0x00007ffc)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007fb)\n";
        let names: Vec<String> = parse(text).into_iter().map(|library| library.name).collect();
        assert_eq!(names, ["libm.so.6", "ld-linux-x86-64.so.2"]);
    }

    #[test]
    fn a_library_that_is_nowhere_has_no_path() {
        let found = parse("\tlibgone.so.1 => not found\n");
        assert_eq!(found, [Library { name: "libgone.so.1".into(), path: None }]);
    }

    #[test]
    fn other_lines_are_no_libraries() {
        assert_eq!(parse("\tstatically linked\n"), []);
    }
}
