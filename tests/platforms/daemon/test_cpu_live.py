"""Levels of processors, clocks and hints on a real paused guest under TCG: what takes, and what
is in vain.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from platform import machine

import pytest

from assay.factors.catalogue import FACTORS, LevelCheck, read_setting, refused
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.host.this_host import ThisHost
from assay.platforms.libvirt.rehearsal import LevelsRefusedError, try_settings
from tests.in_gate import in_gate
from tests.passing import Hardware, lack
from tests.platforms.guest_parts import PROBE, fresh_home

pytestmark = pytest.mark.live


class Emulated(ThisHost):
    """This machine with guests under TCG, also where it has KVM."""

    accelerator = "tcg"


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """Return a home that QEMU's user can enter, with one connection that keeps the daemon."""
    with fresh_home() as folder, libvirt_connection(folder, subreaper=PROBE):
        yield folder


class ByKvm(ThisHost):
    """This machine with guests by KVM; a paused one needs no more than the device."""

    accelerator = "kvm"


EMULATED = Emulated()
PLAIN = "cpu.feature=arch-capabilities=disable"
"""KVM without hardware support (PVM) shows that feature and refuses its register."""


@pytest.fixture(scope="module")
def by_kvm(home: Path) -> ThisHost:
    """Return this machine with KVM, or pass by where it starts not even a paused guest."""
    try:
        attempt(PLAIN, home, ByKvm())
    except LevelsRefusedError as error:
        lack(Hardware.KVM, error.reason)
    return ByKvm()


def attempt(settings: str, home: Path, host: ThisHost = EMULATED) -> dict[str, LevelCheck]:
    """Try levels written as on a command line, ``;`` between; rules are not asked."""
    levels = dict(map(read_setting, settings.split(";")))
    found = try_settings(levels, home=home, host=host, subreaper=PROBE)
    return {one.name: one for one in found}


TAKEN = (
    "cpu.vcpus=3;clock.hpet=yes;cpu.shares=512;cpu.vcpusched=other;cpu.quota=none;cpu.pmu=off",
    "cpu.topology=sockets=1,cores=2,threads=1;cpu.mode=maximum;cpu.cache=emulate;cpu.vcpupin=none;clock.hpet=no",
    "cpu.topology=sockets=2,cores=1,threads=1;cpu.mode=default;cpu.quota=50 %;clock.rtc=catchup",
    "cpu.topology=sockets=1,cores=1,threads=2;cpu.cache=disable;cpu.vcpusched=batch;tcg.thread=multi",
    (
        "cpu.topology=sockets=2,cores=2,threads=2;cpu.cache=passthrough;cpu.emulator_quota=25 "
        "%;tcg.tb-cache=8 MiB"
    ),
    "cpu.mode=custom;cpu.model=Nehalem;cpu.quota=12.5 %;cpu.vcpupin=0;cpu.emulatorpin=0;cpu.vcpusched=idle",
    "cpu.model=qemu64;cpu.vcpupin=0/1;cpu.emulatorpin=0-1;clock.rtc=delay;clock.kvmclock=no",
    "cpu.model=Westmere;cpu.vcpupin=1/0;cpu.iothread_quota=50 %;cpu.iothreadpin=0;cpu.global_quota=150 %",
    "cpu.feature=avx2=disable;cpu.iothreadpin=0;cpu.vcpupin=1;tcg.tb-cache=2 GiB",
    "cpu.feature=avx2=disable,fma=disable,sse4.2=require;cpu.vcpupin=1:1;cpu.vcpus=2",
    "cpu.model=Nehalem;cpu.feature=avx2=require,popcnt=disable;tcg.tb-cache=64 MiB;cpu.vcpus=16",
    "cpu.model=Nehalem;cpu.cache=disable",
    "kvm.hint-dedicated=off;kvm.poll-control=off;kvm.pv-ipi=off;cpu.pvspinlock=off;apic.eoi=off",
)
"""As many levels in one guest as go together; each stands in one of them."""


@pytest.mark.parametrize("settings", in_gate(TAKEN, 4))
def test_a_level_takes(settings: str, home: Path) -> None:
    found = attempt(settings, home)
    assert {name: one.actual for name, one in found.items()} == {
        name: one.wanted for name, one in found.items()
    }


@pytest.mark.parametrize(
    ("settings", "seen"),
    in_gate(
        [
            ("cpu.feature=pcid=require", "pcid=disable"),
            ("cpu.feature=avx512f=require,x2apic=require", "avx512f=disable,x2apic=disable"),
            ("cpu.pmu=on", "off"),
            ("cpu.vcpupin=0/1;cpu.vcpus=1", "0"),
            ("cpu.vcpupin=1:1;cpu.vcpus=3", "0/1/0"),
            ("clock.kvmclock=yes", "no"),
            ("clock.pit=delay", "a timer without policy"),
            ("kvm.hint-dedicated=on", "off"),
            ("kvm.poll-control=on", "off"),
            ("kvm.pv-ipi=on", "off"),
            ("apic.eoi=on", "off"),
            ("tcg.thread=single", "multi"),
            (
                "guest.mitigations=auto,nosmt;guest.clocksource=tsc",
                "given on the command line; only a booted guest tells",
            ),
            (
                "guest.idle=poll;guest.numa_balancing=disable",
                "given on the command line; only a booted guest tells",
            ),
        ],
        4,
    ),
)
def test_what_libvirt_takes_in_vain_is_not_in_effect(settings: str, seen: str, home: Path) -> None:
    (one, *_) = attempt(settings, home).values()
    assert (one.actual, one.ok) == (seen, False)


def test_the_hosts_model_is_not_had_from_the_emulator(home: Path) -> None:
    (mode,) = attempt("cpu.mode=host-model", home).values()
    assert mode.actual.endswith(", as the emulator has it")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("cpu.mode=host-passthrough", "is not supported by hypervisor"),
        ("cpu.model=Haswell-noTSX", "does not provide required features: pcid, x2apic"),
        ("cpu.model=nonesuch", "Unknown CPU model"),
        ("cpu.feature=invtsc=require", "invariant TSC"),
        ("cpu.model=Nehalem;cpu.cache=passthrough", "can only be used with"),
        ("cpu.topology=cores=3;cpu.vcpus=2", "doesn't match maximum vcpu count"),
        ("cpu.vcpupin=1023", "out of range"),
        ("cpu.pvspinlock=on", "doesn't support paravirtual spinlocks"),
    ],
)
def test_what_libvirt_refuses_is_told_in_its_words(settings: str, words: str, home: Path) -> None:
    with pytest.raises(LevelsRefusedError) as error:
        attempt(settings, home)
    assert words in error.value.reason


def test_a_model_is_refused_beforehand_only_where_libvirt_does_not_know_it(home: Path) -> None:
    needs = FACTORS["cpu.model"].needs
    with libvirt_connection(home, subreaper=PROBE) as connection:
        known = connection.getCPUModelNames(machine())
    assert known
    assert [name for name in known if "libvirt knows no" in (needs(EMULATED, name) or "")] == []
    if machine() == "x86_64":
        assert needs(EMULATED, "Westmear") == "libvirt knows no such model; nearest: 'Westmere'"


def test_a_real_time_scheduler_is_refused_where_control_groups_get_no_share_of_it(home: Path) -> None:
    reason = [one.reason for one in refused({"cpu.vcpusched": "fifo"}, ThisHost())]
    if reason:
        with pytest.raises(LevelsRefusedError, match="Operation not permitted"):
            attempt("cpu.vcpusched=fifo", home)
    else:
        assert attempt("cpu.vcpusched=fifo", home)["cpu.vcpusched"].ok


@pytest.mark.parametrize(
    "settings",
    in_gate(
        [
            "cpu.mode=host-passthrough;cpu.cache=passthrough;cpu.pmu=on;clock.hpet=no;clock.rtc=catchup",
            "cpu.mode=maximum;cpu.cache=disable;cpu.pmu=off;clock.kvmclock=yes;clock.pit=delay",
            "cpu.quota=50 %;cpu.vcpupin=1:1;cpu.vcpus=2;cpu.vcpusched=batch;clock.kvmclock=no",
            "kvm.hint-dedicated=on;clock.pit=discard",
            "kvm.hint-dedicated=off",
            "kvm.poll-control=on;kvm.pv-ipi=on;kvm.pv-tlb-flush=on;cpu.pvspinlock=on;apic.eoi=on",
            "kvm.poll-control=off;kvm.pv-ipi=off;kvm.pv-tlb-flush=off;cpu.pvspinlock=off;apic.eoi=off",
            "cpu.model=kvm64;kvm.poll-control=on;kvm.pv-ipi=on;kvm.pv-tlb-flush=on",
        ],
        2,
    ),
)
def test_what_is_kvms_takes_by_kvm(settings: str, home: Path, by_kvm: ThisHost) -> None:
    found = attempt(f"{settings};{PLAIN}", home, by_kvm)
    for what_this_kvm_masks in ("cpu.feature", "cpu.model"):
        found.pop(what_this_kvm_masks, None)
    assert {name: one.actual for name, one in found.items()} == {
        name: one.wanted for name, one in found.items()
    }


def test_what_is_the_emulators_is_not_in_effect_by_kvm(home: Path, by_kvm: ThisHost) -> None:
    assert not attempt(f"tcg.thread=multi;{PLAIN}", home, by_kvm)["tcg.thread"].ok
