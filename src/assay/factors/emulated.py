"""What QEMU's emulator cannot give a guest."""

from __future__ import annotations

from assay.factors.evidence import Host

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
