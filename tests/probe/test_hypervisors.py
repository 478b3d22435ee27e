"""Hypervisors of others, recognised from inside by what they are known to show: the processor, else the
firmware.

Source: signatures of CPUID leaf 0x40000000 in Linux ``arch/x86/kernel/cpu/{vmware,mshyperv}.c``,
    ``arch/x86/xen``;
firmware's words as cloud-init (``tools/ds-identify``) and systemd-detect-virt(1) know them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.probe import ProbeError, facts
from assay.probe.facts import recorded_fingerprint

BARE = Path(__file__).parents[2] / "probe" / "tests" / "machines" / "split-cores"
SIGNATURE, DMI, XEN = "assay/hypervisor", "sys/class/dmi/id", "sys/hypervisor/type"


def sees(folder: Path, files: dict[str, str]) -> object:
    """Return what a machine with these files says that it runs on."""
    shutil.copytree(BARE, folder / "machine")
    for name, text in files.items():
        path = folder / "machine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return recorded_fingerprint(folder / "machine").groups["virtualisation"]["hypervisor"]


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({SIGNATURE: "VMwareVMware\t00000000", f"{DMI}/sys_vendor": "VMware, Inc."}, "vmware"),
        ({f"{DMI}/product_name": "VMware7,1", f"{DMI}/sys_vendor": "VMware, Inc."}, "vmware"),
        ({SIGNATURE: "Microsoft Hv\t00003870", f"{DMI}/sys_vendor": "Microsoft Corporation"}, "hyper-v"),
        ({SIGNATURE: "XenVMMXenVMM\t00000000", f"{DMI}/product_name": "HVM domU"}, "xen"),
        ({XEN: "xen"}, "xen"),
        ({SIGNATURE: "KVMKVMKVM\t01007efb", f"{DMI}/sys_vendor": "Amazon EC2"}, "kvm"),
        ({f"{DMI}/product_name": "m6g.large", f"{DMI}/sys_vendor": "Amazon EC2"}, "amazon-ec2"),
        ({f"{DMI}/product_name": "Google Compute Engine", f"{DMI}/sys_vendor": "Google"}, "google"),
        ({f"{DMI}/product_name": "OpenStack Nova"}, "kvm"),
        ({f"{DMI}/product_name": "PowerEdge R640", f"{DMI}/sys_vendor": "Dell Inc."}, None),
    ],
    ids=["vmware", "vmware by firmware", "hyper-v and azure", "xen", "xen without a signature", "ec2 nitro",
         "ec2 on arm", "google", "openstack", "metal"],
)  # fmt: skip
def test_a_machine_names_what_it_runs_on(files: dict[str, str], name: str | None, tmp_path: Path) -> None:
    assert sees(tmp_path, files) == name


def test_a_recorded_machine_that_takes_too_long_to_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "RECORDED_S", 0.0)
    with pytest.raises(ProbeError, match=f"cannot read the recorded machine {BARE}: the probe has not ended"):
        recorded_fingerprint(BARE)
