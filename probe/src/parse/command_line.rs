//! `/proc/cmdline`: what the kernel was started with.
//!
//! Source: Linux `Documentation/admin-guide/kernel-parameters.rst`: what follows ` -- ` is for the first process, not
//! for the kernel.

/// The kernel's own part.
pub fn of_kernel(text: &str) -> &str {
    let text = text.trim();
    text.split_once(" -- ").map_or(text, |(kernel, _)| kernel).trim_end()
}

/// Value of the last parameter of this name.
pub fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().rev().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_first_process_gets_is_not_the_kernels() {
        assert_eq!(of_kernel("quiet root=/dev/vda -- --key secret\n"), "quiet root=/dev/vda");
        assert_eq!(of_kernel("quiet\n"), "quiet");
    }

    #[test]
    fn the_last_value_of_a_parameter_counts() {
        let line = "rcu_nocbs=1 isolcpus=2 rcu_nocbs=1-3";
        assert_eq!((value(line, "rcu_nocbs"), value(line, "rcu")), (Some("1-3"), None));
    }
}
