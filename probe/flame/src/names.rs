//! Names of functions as people wrote them.

/// Suffix of the kernel's frames.
const KERNEL: &str = "_[k]";

/// What compilers append to functions that they split, copy or rename; it differs from build to build.
const APPENDED: [&str; 6] = [".isra.", ".constprop.", ".part.", ".cold", ".llvm.", ".lto_priv."];

/// The name as in the source, in C, Rust or C++; every other name as it is.
pub fn readable(name: &str) -> String {
    let (symbol, suffix) = name.strip_suffix(KERNEL).map_or((name, ""), |symbol| (symbol, KERNEL));
    let symbol = original(symbol);
    let plain = rust(symbol).or_else(|| cpp(symbol)).unwrap_or_else(|| symbol.to_owned());
    // What separates frames of a stack may be part of a type.
    format!("{}{suffix}", plain.replace(';', ":"))
}

/// Without what compilers append: profiles of two builds of one kernel have the same names then.
fn original(symbol: &str) -> &str {
    let end = APPENDED.iter().filter_map(|appended| symbol.find(appended)).min();
    end.filter(|end| *end > 0).map_or(symbol, |end| &symbol[..end])
}

/// Without the hash at the end, which differs from build to build.
fn rust(symbol: &str) -> Option<String> {
    rustc_demangle::try_demangle(symbol).ok().map(|name| format!("{name:#}"))
}

fn cpp(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    cpp_demangle::Symbol::new(symbol).ok()?.demangle(&cpp_demangle::DemangleOptions::new()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rust_and_cpp_are_those_of_the_source() {
        assert_eq!(readable("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
        assert_eq!(
            readable("_ZNSt6vectorIiSaIiEE9push_backEOi"),
            "std::vector<int, std::allocator<int> >::push_back(int&&)"
        );
        assert_eq!(readable("_RNvCs1234_7mycrate3foo_[k]"), "mycrate::foo_[k]");
    }

    #[test]
    fn parts_and_copies_of_a_function_have_its_name() {
        assert_eq!(readable("finish_task_switch.isra.0_[k]"), "finish_task_switch_[k]");
        assert_eq!(readable("ext4_fsync_nojournal.constprop.0.cold_[k]"), "ext4_fsync_nojournal_[k]");
        assert_eq!(readable("_ZN3foo3barEv.llvm.12110623477675230619"), "foo::bar()");
    }

    #[test]
    fn other_names_stay() {
        for name in ["main", "[libc.so.6]", "do_syscall_64_[k]", "_Znonsense", ".cold", ""] {
            assert_eq!(readable(name), name);
        }
    }

    #[test]
    fn an_array_in_a_name_does_not_split_its_frame() {
        let name = readable("_RINvNtC3std3mem8align_ofAhj8_E");
        assert!(!name.contains(';'), "{name}");
    }
}
