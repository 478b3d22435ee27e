//! What a hypervisor says of itself to the processor's own instruction.

/// Signature of the hypervisor (leaf 0x4000_0000) and what KVM offers (leaf 0x4000_0001, EAX); `None` on metal and on
/// other architectures.
///
/// Source: Linux `Documentation/virt/kvm/x86/cpuid.rst`. Limits: a hypervisor that shows another one's face first (KVM
/// with Hyper-V features) is told by that face.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // newer compilers know that the instruction is safe
pub fn hypervisor() -> Option<([u8; 12], u32)> {
    const PRESENT: u32 = 1 << 31;
    // SAFETY: every x86-64 processor has CPUID, and it touches nothing but registers.
    let leaf = |number: u32| unsafe { core::arch::x86_64::__cpuid(number) };
    if leaf(1).ecx & PRESENT == 0 {
        return None;
    }
    let base = leaf(0x4000_0000);
    let mut signature = [0; 12];
    for (part, register) in signature.chunks_mut(4).zip([base.ebx, base.ecx, base.edx]) {
        part.copy_from_slice(&register.to_le_bytes());
    }
    // A maximum of 0 is what old KVM says for 0x4000_0001.
    let features = if base.eax == 0 || base.eax > 0x4000_0000 { leaf(0x4000_0001).eax } else { 0 };
    Some((signature, features))
}

#[cfg(not(target_arch = "x86_64"))]
pub fn hypervisor() -> Option<([u8; 12], u32)> {
    None
}

/// Whether somebody else may have this machine's processors without its knowing; yes where nothing tells.
pub fn may_be_virtual() -> bool {
    cfg!(not(target_arch = "x86_64")) || hypervisor().is_some()
}
