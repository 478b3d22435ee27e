"""What of processors, clocks and hints is refused before anything runs, and why."""

from __future__ import annotations

import pytest

from assay.factors.base.levels import LevelError
from assay.factors.catalogue import FACTORS, read_level, refused
from tests.factors.parts import FakeHost

TCG = FakeHost()
KVM = FakeHost(accelerator="kvm")
NO_COUNTERS = FakeHost({"/sys/module/kvm/parameters/enable_pmu": "N"}, accelerator="kvm")
FLAGS = FakeHost(
    {"/proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu pcid avx2 avx512_vbmi\n"}, accelerator="kvm"
)
CPU_MAP = {
    "/usr/share/libvirt/cpu_map/index.xml": "<cpus><arch name='x86'><include filename='x86_vendors.xml'/>"
    "<include filename='x86_Westmere.xml'/></arch><arch name='arm'><include filename='arm_a64fx.xml'/>"
    "</arch></cpus>"
}
MODELS = FakeHost({"/proc/cpuinfo": "flags\t\t: fpu\n", **CPU_MAP}, accelerator="kvm")
MODELS_OF_ARM = FakeHost({"/proc/cpuinfo": "Features\t: fp asimd\n", **CPU_MAP}, accelerator="kvm")
UNIFIED = FakeHost({"/sys/fs/cgroup/cgroup.controllers": "cpu memory"}, accelerator="kvm")
NO_REAL_TIME = FakeHost({"/sys/fs/cgroup/cpu/cpu.rt_runtime_us": "950000"})
EXACT = "cpu.vcpupin=1:1"


@pytest.mark.parametrize(
    ("settings", "host", "reason"),
    [
        ("cpu.mode=host-passthrough", TCG, "the emulator cannot pass the host's processor through"),
        ("cpu.mode=host-model", TCG, "a named model of it that lacks features"),
        (
            "cpu.model=Haswell-noTSX",
            TCG,
            "the emulator of QEMU 7.2 lacks pcid, x2apic, tsc-deadline, invpcid",
        ),
        ("cpu.model=Westmear", MODELS, "libvirt knows no such model; nearest: 'Westmere'"),
        ("cpu.model=a64fx", MODELS, "libvirt knows no such model"),
        ("cpu.feature=avx2=require,avx512f=require,pcid=require", TCG, "lacks avx512f, pcid"),
        ("cpu.feature=avx512-vnni=require", FLAGS, "this processor lacks avx512-vnni"),
        ("cpu.pmu=on", TCG, "no performance counters"),
        ("cpu.pmu=on", NO_COUNTERS, "kvm.enable_pmu=N"),
        ("cpu.mode=custom", KVM, "needs a model: cpu.model=NAME"),
        ("cpu.mode=default cpu.feature=avx2=disable", KVM, "a domain that names no processor has no list"),
        ("cpu.mode=default cpu.cache=passthrough", KVM, "for cpu.mode=host-passthrough and maximum"),
        ("cpu.mode=default cpu.model=Nehalem", KVM, "cpu.model=Nehalem is of mode custom"),
        ("cpu.mode=maximum cpu.model=Nehalem", KVM, "cpu.model=Nehalem is of mode custom"),
        ("cpu.model=Nehalem cpu.cache=passthrough", KVM, "for cpu.mode=host-passthrough and maximum"),
        ("cpu.mode=host-model cpu.cache=passthrough", KVM, "for cpu.mode=host-passthrough and maximum"),
        ("cpu.topology=cores=3 cpu.vcpus=2", TCG, "sockets=1,cores=3,threads=1 makes 3 vCPUs, cpu.vcpus=2"),
        ("cpu.vcpupin=7", TCG, "processor 7 is not there"),
        ("cpu.vcpupin=node", TCG, "one memory node"),
        ("cpu.vcpupin=0/1 cpu.vcpus=3", TCG, "pins of absent vCPUs"),
        (f"{EXACT} cpu.vcpus=3", TCG, "1:1 pins 3 vCPUs, this machine has 2 processors"),
        ("cpu.emulatorpin=0-2", TCG, "processor 2 is not there"),
        ("cpu.iothreadpin=0", TCG, "disk.iothread=on"),
        ("cpu.vcpusched=fifo", FakeHost(cpus=(0,)), "the only processor"),
        ("cpu.vcpusched=rr", NO_REAL_TIME, "no real-time share"),
        ("cpu.vcpusched=fifo cpu.vcpus=2", KVM, "leaves no processor to anything else"),
        ("cpu.shares=20000", UNIFIED, "weights from 1 to 10000"),
        ("clock.pit=delay", TCG, "knows no policy"),
        ("clock.kvmclock=yes", TCG, "the emulator has none"),
        ("clock.tsc=2500000000", TCG, "keeps its own rate"),
        (f"kvm.hint-dedicated=on {EXACT}", TCG, "the emulator has none"),
        ("kvm.hint-dedicated=on", KVM, "true only with cpu.vcpupin=1:1"),
        ("kvm.poll-control=on", TCG, "the emulator has none"),
        ("cpu.pvspinlock=on", TCG, "the emulator has none"),
        ("apic.eoi=on", TCG, "the emulator has none"),
        ("tcg.tb-cache=64MiB", KVM, "guests run by KVM here"),
        ("tcg.thread=single", TCG, "QEMU heeds the first -accel alone"),
        ("guest.clocksource=kvm-clock", TCG, "the emulator has none"),
        ("guest.clocksource=hpet clock.hpet=no", TCG, "clock.hpet=no takes away"),
    ],
)
def test_what_cannot_be_or_would_be_something_else_is_refused(
    settings: str, host: FakeHost, reason: str
) -> None:
    (refusal,) = refused(_levels(settings), host)
    assert reason in refusal.reason


@pytest.mark.parametrize(
    ("settings", "host"),
    [
        ("cpu.mode=host-passthrough cpu.cache=passthrough", KVM),
        ("cpu.mode=host-model cpu.cache=emulate", KVM),
        ("cpu.mode=custom cpu.model=Haswell-noTSX", KVM),
        ("cpu.feature=avx2=require,sse4.2=require,avx512f=disable", TCG),
        ("cpu.feature=avx512vbmi=require,pcid=require,x2apic=require", FLAGS),
        ("cpu.model=Nehalem", TCG),
        ("cpu.model=Westmere", MODELS),
        ("cpu.model=ThunderX299xx", MODELS_OF_ARM),
        ("cpu.topology=cores=2 cpu.vcpus=2 cpu.vcpupin=0/1", TCG),
        (f"kvm.hint-dedicated=on {EXACT} cpu.vcpus=2", KVM),
        ("kvm.hint-dedicated=off cpu.pmu=off clock.kvmclock=no", TCG),
        ("cpu.vcpusched=fifo cpu.vcpus=1", KVM),
        ("cpu.shares=20000", KVM),
        ("guest.clocksource=tsc clock.hpet=no", TCG),
    ],
)
def test_what_can_be_is_let_through(settings: str, host: FakeHost) -> None:
    assert refused(_levels(settings), host) == ()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("cpu.topology", "2x1"),
        ("cpu.topology", "cores=0"),
        ("cpu.topology", "clusters=2"),
        ("cpu.topology", "sockets=999999999"),
        ("cpu.topology", "sockets=32,cores=32,threads=2"),
        ("numa.cell", f"0:{10**400} GiB"),
        ("cpu.feature", "avx2"),
        ("cpu.feature", "avx2=off"),
        ("cpu.feature", "avx2=require,avx2=disable"),
        ("cpu.vcpupin", "3-1"),
        ("cpu.vcpupin", "0,^0"),
        ("cpu.vcpupin", "^"),
        ("cpu.vcpupin", "0//1"),
        ("cpu.emulatorpin", "none"),
        ("cpu.quota", "0.5 %"),
        ("cpu.quota", "50"),
        ("cpu.model", "a model"),
    ],
)
def test_what_is_no_level_is_not_read(name: str, written: str) -> None:
    with pytest.raises(LevelError) as error:
        read_level(name, written)
    assert FACTORS[name].levels.words in error.value.expected


def _levels(settings: str) -> dict[str, str]:
    pairs = (text.partition("=") for text in settings.split())
    return {name: read_level(name, level) for name, _, level in pairs}
