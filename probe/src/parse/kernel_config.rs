//! The kernel's own configuration: those lines that change what a workload costs.
//!
//! Source: Linux `Documentation/kbuild/kconfig-language.rst`; `# CONFIG_X is not set` is a plain no.

/// What matters here; anything else of some thousand lines is left out.
pub const KEYS: [&str; 36] = [
    "HZ",
    "HZ_PERIODIC",
    "NO_HZ_IDLE",
    "NO_HZ_FULL",
    "HIGH_RES_TIMERS",
    "PREEMPT_NONE",
    "PREEMPT_VOLUNTARY",
    "PREEMPT",
    "PREEMPT_LAZY",
    "PREEMPT_RT",
    "PREEMPT_DYNAMIC",
    "NR_CPUS",
    "NUMA",
    "NUMA_BALANCING",
    "TRANSPARENT_HUGEPAGE",
    "KSM",
    "PARAVIRT",
    "PARAVIRT_SPINLOCKS",
    "PARAVIRT_TIME_ACCOUNTING",
    "KVM_GUEST",
    "CFS_BANDWIDTH",
    "MEMCG",
    "PSI",
    "SCHEDSTATS",
    "TASK_DELAY_ACCT",
    "VIRT_CPU_ACCOUNTING_GEN",
    "PERF_EVENTS",
    "RCU_NOCB_CPU",
    "X86_5LEVEL",
    "MITIGATION_PAGE_TABLE_ISOLATION",
    "PAGE_TABLE_ISOLATION",
    "MITIGATION_RETPOLINE",
    "RETPOLINE",
    "LRU_GEN",
    "KASAN",
    "DEBUG_PAGEALLOC",
];

/// The lines that matter, in the file's order.
pub fn wanted(text: &str) -> String {
    let wanted = |line: &&str| setting(line).is_some_and(|(key, _)| KEYS.contains(&key));
    text.lines().filter(wanted).map(|line| format!("{line}\n")).collect()
}

/// Key and value of a line; `n` for what is not set.
pub fn setting(line: &str) -> Option<(&str, &str)> {
    if let Some(key) = line.strip_prefix("# CONFIG_").and_then(|rest| rest.strip_suffix(" is not set")) {
        return Some((key, "n"));
    }
    line.strip_prefix("CONFIG_")?.split_once('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Timers\nCONFIG_HZ=250\nCONFIG_HZ_250=y\n# CONFIG_NO_HZ_FULL is not set\nCONFIG_X=m\n";

    #[test]
    fn only_what_matters_is_kept_and_not_set_is_no() {
        let kept = wanted(TEXT);
        let read: Vec<_> = kept.lines().filter_map(setting).collect();
        assert_eq!(read, [("HZ", "250"), ("NO_HZ_FULL", "n")]);
    }

    #[test]
    fn a_comment_is_no_setting() {
        assert_eq!(setting("# Timers"), None);
        assert_eq!(setting(""), None);
    }
}
