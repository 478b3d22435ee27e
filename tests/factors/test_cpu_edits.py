"""Factors of processors, clocks and hints as the XML that libvirt gets, also those that need KVM."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from assay.factors.base.draft import QEMU_NAMESPACE
from assay.factors.catalogue import apply_to, read_level
from tests.factors.parts import draft

PINS = '<vcpupin vcpu="0" cpuset="{}"/><vcpupin vcpu="1" cpuset="{}"/>'
CASES = {
    "cpu.mode=host-passthrough": '<cpu mode="host-passthrough"/>',
    "cpu.mode=default": "",
    "cpu.mode=host-model": '<cpu mode="host-model"/>',
    "cpu.model=EPYC-Milan": '<cpu mode="custom" match="exact" check="partial">'
    '<model fallback="forbid">EPYC-Milan</model></cpu>',
    "cpu.feature=pcid=require, avx2=disable": '<cpu><feature policy="disable" name="avx2"/>'
    '<feature policy="require" name="pcid"/></cpu>',
    "cpu.topology=cores=2": '<cpu><topology dies="1" sockets="1" cores="2" threads="1"/></cpu>',
    "cpu.cache=emulate": '<cpu><cache mode="emulate" level="3"/></cpu>',
    "cpu.cache=passthrough": '<cpu><cache mode="passthrough"/></cpu>',
    "cpu.pmu=on": '<features><pmu state="on"/></features>',
    "cpu.vcpus=2": f"<vcpu>2</vcpu><cputune>{PINS.format('4-5,8', '4-5,8')}</cputune>",
    "cpu.vcpupin=none": f"<cputune>{PINS.format('4-5,8', '4-5,8')}</cputune>",
    "cpu.vcpupin=1:1": f"<cputune>{PINS.format('4', '5')}</cputune>",
    "cpu.vcpupin=node": f"<cputune>{PINS.format('4-5', '8')}</cputune>",
    "cpu.vcpupin=4-8,^5": f"<cputune>{PINS.format('4,6-8', '4,6-8')}</cputune>",
    "cpu.vcpupin=5/4": f"<cputune>{PINS.format('5', '4')}</cputune>",
    "cpu.emulatorpin=0": '<cputune><emulatorpin cpuset="0"/></cputune>',
    "cpu.iothreadpin=0-1": (
        '<iothreads>1</iothreads><cputune><iothreadpin iothread="1" cpuset="0-1"/></cputune>'
    ),
    "cpu.vcpusched=batch": '<cputune><vcpusched vcpus="0-1" scheduler="batch"/></cputune>',
    "cpu.vcpusched=fifo": '<cputune><vcpusched vcpus="0-1" scheduler="fifo" priority="1"/></cputune>',
    "cpu.vcpusched=other": "",
    "cpu.shares=512": "<cputune><shares>512</shares></cputune>",
    "cpu.quota=12.5%": "<cputune><period>100000</period><quota>12500</quota></cputune>",
    "cpu.emulator_quota=50 %": "<cputune><emulator_period>100000</emulator_period>"
    "<emulator_quota>50000</emulator_quota></cputune>",
    "cpu.quota=none": "",
    "clock.hpet=no": '<clock><timer name="hpet" present="no"/></clock>',
    "clock.rtc=catchup": '<clock><timer name="rtc" tickpolicy="catchup"/></clock>',
    "clock.pit=discard": '<clock><timer name="pit" tickpolicy="discard"/></clock>',
    "clock.kvmclock=yes": '<clock><timer name="kvmclock" present="yes"/></clock>',
    "clock.tsc=2500000000": '<clock><timer name="tsc" frequency="2500000000"/></clock>',
    "kvm.hint-dedicated=on": '<features><kvm><hint-dedicated state="on"/></kvm></features>',
    "kvm.poll-control=on": '<features><kvm><poll-control state="on"/></kvm></features>',
    "kvm.pv-ipi=off": '<features><kvm><pv-ipi state="off"/></kvm></features>',
    "cpu.pvspinlock=on": '<features><pvspinlock state="on"/></features>',
    "apic.eoi=on": '<features><apic eoi="on"/></features>',
    "tcg.tb-cache=64 MiB": '<features><tcg><tb-cache unit="MiB">64</tb-cache></tcg></features>',
    "tcg.thread=multi": "",
}


@pytest.mark.parametrize(("setting", "expected"), CASES.items())
def test_a_level_is_written_where_libvirt_reads_it(setting: str, expected: str) -> None:
    name, _, written = setting.partition("=")
    made = draft(cpus=(4, 5, 8), nodes={0: (4, 5), 1: (8, 9), 2: (0, 1)})
    apply_to(made, {name: read_level(name, written)})
    whole = ElementTree.tostring(made.domain, encoding="unicode", short_empty_elements=True)
    assert whole.replace(" />", "/>") == (f"<domain>{expected}</domain>" if expected else "<domain/>")


def test_what_libvirt_says_one_way_is_told_to_qemu_where_kvm_runs_the_guest() -> None:
    made = draft(accelerator="kvm")
    apply_to(made, {"kvm.poll-control": "off", "kvm.pv-ipi": "on", "kvm.pv-tlb-flush": "off"})
    assert [one.get("value") for one in made.domain.iter(f"{{{QEMU_NAMESPACE}}}arg")] == [
        "-global", "x86_64-cpu.kvm-poll-control=off",
        "-global", "x86_64-cpu.kvm-pv-ipi=on",
        "-global", "x86_64-cpu.kvm-pv-tlb-flush=off",
    ]  # fmt: skip


def test_a_level_takes_the_place_of_an_older_one() -> None:
    made = draft('<domain><clock><timer name="rtc" tickpolicy="delay"/><timer name="hpet"/></clock></domain>')
    apply_to(made, {"clock.rtc": "catchup"})
    assert [timer.attrib for timer in made.at("clock")] == [
        {"name": "hpet"},
        {"name": "rtc", "tickpolicy": "catchup"},
    ]


def test_words_for_the_guests_kernel_stand_once() -> None:
    made = draft()
    made.kernel_words += ["idle=halt", "quiet"]
    apply_to(made, {"guest.mitigations": "auto,nosmt", "guest.idle": "poll"})
    assert made.kernel_words == ["quiet", "mitigations=auto,nosmt", "idle=poll"]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ('<domain><cpu mode="maximum"/></domain>', "<domain />"),
        (
            '<domain><cpu mode="maximum"><topology/></cpu></domain>',
            "<domain><cpu><topology /></cpu></domain>",
        ),
    ],
)
def test_by_default_a_domain_says_nothing_of_its_processor(written: str, left: str) -> None:
    made = draft(written)
    apply_to(made, {"cpu.mode": "default"})
    assert ElementTree.tostring(made.domain, encoding="unicode") == left
