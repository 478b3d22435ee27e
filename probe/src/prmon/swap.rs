//! Memory of the processes that lies in swap.

use crate::parse::flat;
use crate::read::{Kept, Root};

/// Looks at processes only while the machine has anything in swap.
#[derive(Debug)]
pub struct Swap {
    root: Root,
    meminfo: Option<Kept>,
}

impl Swap {
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), meminfo: root.keep("/proc/meminfo").ok() }
    }

    /// Sum of `VmSwap`; proc(5).
    pub fn kb(&mut self, pids: &[i32]) -> Option<u64> {
        let text = self.meminfo.as_mut()?.text()?;
        if flat::number(text, "SwapTotal")? == flat::number(text, "SwapFree")? {
            return Some(0);
        }
        let of = |pid: &i32| flat::number(&self.root.text(format!("/proc/{pid}/status"))?, "VmSwap");
        Some(pids.iter().filter_map(of).sum())
    }
}
