//! Names of functions, looked up when the job is over.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::parse::elf_symbols::{self, Functions};
use crate::parse::kallsyms::Kernel;
use crate::parse::maps;
use crate::parse::perf_event::Map;
use crate::read::Root;

use super::jit::Jit;

/// Everything that was opened for names.
#[derive(Debug)]
pub struct Symbols<'a> {
    root: &'a Root,
    kernel: Kernel,
    files: HashMap<String, Option<Functions>>,
    compiled: HashMap<u32, Jit>,
}

impl<'a> Symbols<'a> {
    pub fn new(root: &'a Root) -> Self {
        let kernel = Kernel::parse(root.text("/proc/kallsyms").unwrap_or_default());
        Self { root, kernel, files: HashMap::new(), compiled: HashMap::new() }
    }

    /// A function of the kernel, with the suffix by which flame graphs tell it apart.
    pub fn kernel(&self, address: u64) -> String {
        self.kernel.at(address).map_or_else(|| "[kernel]_[k]".to_owned(), |name| format!("{name}_[k]"))
    }

    /// A function of a process; its file in brackets where it has no name.
    pub fn user(&mut self, process: u32, map: &Map, address: u64) -> String {
        if map.file.starts_with('[') || map.file.starts_with('/') && !map.file.starts_with("//") {
            return self.of_file(map, address).unwrap_or_else(|| module(&map.file));
        }
        let root = self.root;
        let jit = self.compiled.entry(process).or_insert_with(|| Jit::of(root, process));
        jit.at(address).unwrap_or_else(|| "[anonymous]".to_owned())
    }

    fn of_file(&mut self, map: &Map, address: u64) -> Option<String> {
        let functions = match self.files.entry(map.file.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(functions(self.root, &map.file)),
        };
        // The kernel's own library is no file: what it shows begins with its head.
        let offset = if map.file == VDSO { 0 } else { map.offset };
        functions.as_ref()?.at((address - map.start).wrapping_add(offset))
    }
}

const VDSO: &str = "[vdso]";

/// `[libm.so.6]` for a path, names of the kernel's as they are.
fn module(file: &str) -> String {
    if file.starts_with('[') { file.to_owned() } else { format!("[{}]", file.rsplit('/').next().unwrap_or(file)) }
}

fn functions(root: &Root, file: &str) -> Option<Functions> {
    if file == VDSO {
        let own = maps::executable(&root.text("/proc/self/maps")?, 0).into_iter().find(|map| map.file == VDSO)?;
        let bytes = root.span("/proc/self/mem", own.start, usize::try_from(own.bytes).ok()?).ok()?;
        let span = |at, length| part(&bytes, at, length).unwrap_or_default().to_vec();
        return elf_symbols::parse(span);
    }
    if file.starts_with('[') {
        return None;
    }
    elf_symbols::parse(|at, length| root.span(file, at, length).unwrap_or_default())
}

fn part(bytes: &[u8], at: u64, length: usize) -> Option<&[u8]> {
    let start = usize::try_from(at).ok()?;
    bytes.get(start..start.saturating_add(length).min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_library_has_names() {
        let functions = functions(&Root::here(), VDSO);
        // Some machines have none.
        if let Some(functions) = functions {
            let names: Vec<String> = (0..8192).filter_map(|at| functions.at(at)).collect();
            assert!(names.iter().any(|name| name.contains("gettime")), "{names:?}");
        }
    }

    #[test]
    fn what_has_no_name_is_its_file() {
        let root = Root::new("/nowhere");
        let mut symbols = Symbols::new(&root);
        let map = |file: &str| Map {
            process: 1,
            start: 0x1000,
            bytes: 0x1000,
            offset: 0,
            file: file.to_owned(),
            time_ns: 0,
        };
        assert_eq!(symbols.user(1, &map("/usr/lib/libm.so.6"), 0x1000), "[libm.so.6]");
        assert_eq!(symbols.user(1, &map("//anon"), 0x1000), "[anonymous]");
        assert_eq!(symbols.user(1, &map("[stack]"), 0x1000), "[stack]");
        assert_eq!(symbols.kernel(5), "[kernel]_[k]");
    }
}
