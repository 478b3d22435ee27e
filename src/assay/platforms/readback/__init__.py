"""A running guest as its host sees it: QEMU's monitor, control groups, threads, memory, KVM's counts."""
