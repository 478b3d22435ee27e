"""What an accelerator cannot give a guest: QEMU's emulator, and KVM on a processor without a feature."""

from __future__ import annotations

import re

from assay.factors.base.evidence import Host

MODEL_LACKS = {
    "SandyBridge": "x2apic, tsc-deadline",
    "IvyBridge": "vme, x2apic, tsc-deadline",
    "Haswell": "pcid, x2apic, tsc-deadline, hle, invpcid, rtm",
    "Haswell-noTSX": "pcid, x2apic, tsc-deadline, invpcid",
    "Broadwell-noTSX": "pcid, x2apic, tsc-deadline, invpcid, rdseed, 3dnowprefetch",
    "Broadwell-noTSX-IBRS": "pcid, x2apic, tsc-deadline, invpcid, rdseed, spec-ctrl, 3dnowprefetch",
    "Cascadelake-Server-noTSX": "pcid, x2apic, tsc-deadline, invpcid, the avx512 family and more",
    "Icelake-Server-noTSX": "pcid, x2apic, tsc-deadline, invpcid, the avx512 family and more",
    "EPYC": "vme, rdseed, sha-ni, xsavec, fxsr_opt, misalignsse, 3dnowprefetch, osvw",
    "EPYC-Rome": "vme, rdseed, sha-ni, rdpid, xsavec, clzero, wbnoinvd, ibpb and more",
    "EPYC-Milan": "vme, pcid, invpcid, rdseed, sha-ni, fsrm, xsaves, wbnoinvd, ibpb, ibrs and more",
}
"""Features of libvirt's models that TCG of QEMU 7.2 lacks, in the words in which libvirt 9.0 refuses them."""


def emulated(host: Host) -> bool:
    """Tell whether a host's guests run by QEMU's emulator."""
    return host.accelerator == "tcg"


_TCG_LACKS = frozenset(
    ["hle", "ibpb", "ibrs", "invpcid", "invtsc", "pcid", "rdseed", "rtm", "sha-ni", "spec-ctrl", "ssbd",
     "tsc-deadline", "x2apic", "xsavec", "xsaves"]
)  # fmt: skip
"""Features that QEMU 7.2's ``-cpu max`` shows off under TCG, beside the avx512 family."""
_AS_THE_KERNEL = re.compile(
    r"avx.*|aes|bmi[12]|erms|f16c|fma|fsrm|gfni|invpcid|movbe|pcid|pdpe1gb|popcnt|vaes"
)
"""Features that the kernel names alike and KVM gives only where the processor has them."""


def lacked_feature(host: Host, name: str) -> bool:
    """Tell whether it is known that a host cannot give its guests a feature, by libvirt's name."""
    if emulated(host):
        return host.qemu[:2] == (7, 2) and (name in _TCG_LACKS or name.startswith("avx512"))
    flags = re.search(r"^flags\s*: (.*)$", host.read("/proc/cpuinfo") or "", re.MULTILINE)
    if flags is None or _AS_THE_KERNEL.fullmatch(name) is None:
        return False
    return _plain(name) not in {_plain(flag) for flag in flags[1].split()}


def _plain(name: str) -> str:
    return re.sub("[._-]", "", name)
