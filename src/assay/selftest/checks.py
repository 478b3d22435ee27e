"""The checks: each a small scene, with what it needs of the machine and what must hold of its trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.activities.visits.cpu_allocation import threads_per_core
from assay.factors.base.evidence import Host
from assay.factors.host.huge_pages import free_pages
from assay.model.activity import ActivityPlan
from assay.model.machines.machine import Facts
from assay.model.trial import Arm, State, Trial

SECONDS = 60.0
"""About what a check takes."""
HUGE_PAGES = 256
"""Of 2 MiB: a guest of 512 MiB."""
PLANTED, NEAR = 0.5, 0.15
"""A quota of half of the CPU time, and how far from it the loss may be found in three blocks."""
_ENTERPRISE = ("rhel", "centos", "almalinux", "rocky", "ol")


@dataclass(frozen=True)
class Node:
    """The machine on which the checks run.

    Attributes:
        facts: What the probe sees of it.
        host: What factors see of it.
    """

    facts: Facts
    host: Host


@dataclass(frozen=True)
class Check:
    """One thing that is tried.

    Attributes:
        name: For the command line and the file.
        what: One line: what holds where it is well.
        why_not: Tells why it cannot be tried on a machine; ``None`` where it can.
        scene: The scene that is evaluated.
        fault: Tells what did not hold, of the plan and its records; ``None`` where all did.
        run_before: It was run where assay is built; else nowhere that its authors know of.
    """

    name: str
    what: str
    why_not: Callable[[Node], str | None]
    scene: str
    fault: Callable[[ActivityPlan, Sequence[Trial]], str | None]
    run_before: bool = False


def _scene(name: str, baseline: str, treatment: str, *lines: str) -> str:
    head = [f"scene: selftest-{name}", f"title: 'Self-test: {name}'", f"baseline: {{{baseline}}}"]
    work = "workloads: [{use: flops, parameters: {runtime: 1 s}}]"
    rest = lines if any(line.startswith("workloads:") for line in lines) else (work, *lines)
    design = "design: {blocks: 3, shape: pairs}"
    return "\n".join([*head, f"treatment: {{{treatment}}}", *rest, design, ""])


HERE = "machine: local"
GUEST = "platform: guest, factors: {cpu.vcpus: auto, memory.size: 1 GiB"
NETWORK = "workloads: [{use: iperf3, parameters: {runtime: 1 s}}]"
TWO_PHASE = "workloads: [{use: two-phase, parameters: {events: 100}}]"


def _always(_node: Node) -> str | None:
    return None


def _needs_root(node: Node) -> str | None:
    return None if node.host.root else "it needs root"


def _needs_kvm(node: Node) -> str | None:
    return None if node.host.accelerator == "kvm" else "guests do not run by KVM here"


def _needs_siblings(node: Node) -> str | None:
    return None if threads_per_core(node.facts, node.facts.cpus) > 1 else "no core has a second processor"


def _needs_cores(node: Node) -> str | None:
    cores = len(node.facts.siblings or node.facts.cpus)
    return None if cores > 1 else "there is one core"


def _needs_pmu(node: Node) -> str | None:
    devices = ("cpu", "cpu_core", "armv8_pmuv3_0")
    there = any(node.host.read(f"/sys/bus/event_source/devices/{one}/type") for one in devices)
    return None if there else "the kernel shows no hardware counters"


def _needs_second_version(node: Node) -> str | None:
    return None if node.facts.cgroup == "v2" else f"control groups are {node.facts.cgroup or 'not to be had'}"


def _needs_vhost(node: Node) -> str | None:
    if not Path("/dev/vhost-net").exists():
        return "there is no /dev/vhost-net: modprobe vhost_net"
    return _needs_root(node)


def _needs_huge_pages(node: Node) -> str | None:
    free = free_pages(node.host, "2 MiB") or 0
    if free < HUGE_PAGES:
        act = f"sysctl vm.nr_hugepages={HUGE_PAGES}"
        return f"{HUGE_PAGES} free pages of 2 MiB are needed, there are {free}: {act}"
    return None


def _needs_nodes(node: Node) -> str | None:
    return None if len(node.host.nodes) > 1 else "there is one memory node"


def _needs_enterprise(node: Node) -> str | None:
    text = node.host.read("/etc/os-release") or ""
    words = {
        word.strip('"')
        for line in text.splitlines()
        if line.startswith(("ID=", "ID_LIKE="))
        for word in line.partition("=")[2].strip('"').split()
    }
    return None if words.intersection(_ENTERPRISE) else "this is no Enterprise Linux"


def ended(_plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    """Tell which trial failed."""
    failed = next((record for record in records if record.state is not State.ENDED), None)
    return None if failed is None else f"{failed.planned.name}: {failed.cause}"


def _on_all(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    every = plan.sharing.processors if plan.sharing else ()
    for record in records:
        if set(record.limits.cpus) != set(every):
            return f"{record.planned.name} ran on {len(record.limits.cpus)} of {len(every)} processors"
    return ended(plan, records)


def _on_siblings(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    if plan.treatment.threads_per_core < 2:
        return "no two processors of a core were measured"
    return ended(plan, records)


def _counted(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    for record in records:
        silent = [count.name for count in record.counts if not count.value]
        if silent or not record.counts:
            return f"{record.planned.name} has no count of {', '.join(silent) or 'anything'}"
    return ended(plan, records)


def _by_kvm(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    for record in _of_guests(records):
        if record.platform is not None and record.platform.accelerator != "kvm":
            return f"{record.planned.name} ran by {record.platform.accelerator}"
    return ended(plan, records)


def _exits(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    for record in _of_guests(records):
        cpu = record.hypervisor_cpu
        if cpu is None or cpu.exits is None:
            return f"{record.planned.name} does not tell of exits from its guest"
    return ended(plan, records)


def _of_guests(records: Sequence[Trial]) -> list[Trial]:
    return [record for record in records if record.planned.arm is Arm.TREATMENT]


def _half(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    rates = {arm: [_rate(one) for one in records if one.planned.arm is arm] for arm in Arm}
    base, treated = (sum(value or 0.0 for value in rates[arm]) for arm in Arm)
    if (fault := ended(plan, records)) or not base:
        return fault or "nothing was measured"
    loss = 1 - treated / base * len(rates[Arm.BASELINE]) / max(1, len(rates[Arm.TREATMENT]))
    if abs(loss - PLANTED) > NEAR:
        return f"a quota of half of the CPU time cost {loss:.0%}"
    return None


def _rate(record: Trial) -> float | None:
    return next((figure.value for figure in record.measurements), None)


CHECKS = (
    Check(
        "whole-node",
        "all processors are measured, and the controller shares them",
        _always,
        _scene("whole-node", HERE, HERE, "processors: all", "controller: shared"),
        _on_all,
        run_before=True,
    ),
    Check(
        "layouts",
        "the whole node cut into one guest and two, pinned, their jobs started together",
        _needs_cores,
        _scene(
            "layouts", HERE, f'{GUEST}, cpu.vcpupin: "1:1"}}, layout: {{guests: [1, 2]}}', TWO_PHASE,
            "placement: {copies: 2}", "processors: all-cores",
        ).replace(", shape: pairs", ""),  # several treatments
        ended,
        run_before=True,
    ),
    Check(
        "smt-siblings",
        "both processors of each core are measured",
        _needs_siblings,
        _scene("smt-siblings", f"{HERE}, processors: all, threads: one-per-core", f"{HERE}, processors: all"),
        _on_siblings,
    ),
    Check(
        "hardware-counters",
        "cycles and instructions are counted",
        _needs_pmu,
        _scene("hardware-counters", HERE, HERE, "counters: [cycles, instructions]"),
        _counted,
    ),
    Check(
        "cgroup-v2",
        "a quota by control groups of version 2 alone costs what it should",
        _needs_second_version,
        _scene("cgroup-v2", HERE, f"{HERE}, factors: {{cpu.quota: 50 %}}"),
        _half,
    ),
    Check(
        "kvm-guests",
        "guests of each CPU mode run by KVM",
        _needs_kvm,
        _scene(
            "kvm-guests", HERE, f"{GUEST}, cpu.mode: [host-passthrough, host-model, maximum]}}"
        ).replace(", shape: pairs", ""),
        _by_kvm,
    ),
    Check(
        "vm-exits",
        "exits from a guest are counted",
        _needs_kvm,
        _scene("vm-exits", HERE, f"{GUEST}}}"),
        _exits,
    ),
    Check(
        "vhost",
        "a guest's packets are carried by vhost",
        _needs_vhost,
        _scene(
            "vhost", HERE, f"{GUEST}, net.driver: vhost}}", NETWORK
        ),
        ended,
    ),
    Check(
        "host-huge-pages",
        "a guest's memory is in the host's pool of huge pages",
        _needs_huge_pages,
        _scene(
            "host-huge-pages", HERE,
            f"{GUEST}, memory.source: memfd, memory.hugepages: 2 MiB}}".replace("1 GiB", "512 MiB"),
        ),
        ended,
    ),
    Check(
        "numa-binding",
        "guests are bound to the memory nodes of their own processors",
        _needs_nodes,
        _scene(
            "numa-binding", HERE,
            f'{GUEST}, cpu.vcpupin: "1:1", numa.memory: "strict:own"}}, layout: {{guests: 2}}', TWO_PHASE,
            "placement: {copies: 2}", "processors: all-cores",
        ),
        ended,
    ),
    Check(
        "enterprise-linux",
        "trials run under Enterprise Linux",
        _needs_enterprise,
        _scene("enterprise-linux", HERE, HERE, "workloads: [{use: two-phase, parameters: {events: 100}}]"),
        ended,
    ),
)  # fmt: skip
"""In the order in which they run."""
