"""What speaks against trusting a whole result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt
from assay.model.estimate import Verdict
from assay.model.trial import Arm, Trial
from assay.model.workload import File, Program, Workload
from assay.report.context import DoubtCount, Row


def result_doubts(
    plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row]
) -> tuple[DoubtCount, ...]:
    """Return the doubts of the trials, counted by code, and those that only the whole shows."""
    of_trials = [doubt for record in records for doubt in {d.code: d for d in record.doubts}.values()]
    counts = Counter(doubt.code for doubt in of_trials)
    first = {doubt.code: doubt.sentence for doubt in reversed(of_trials)}
    whole = (*_planned(plan), *_emulated(records), *_virtual_host(records), *_hardware(plan, records))
    whole = (*whole, *_programs(plan, records), *_gains(rows), *_noise(rows))
    return (
        *(DoubtCount(doubt.code, doubt.sentence, 1) for doubt in whole),
        *(DoubtCount(code, first[code], count) for code, count in counts.items()),
    )


def _planned(plan: ActivityPlan) -> Iterator[Doubt]:
    return (Doubt(code, sentence) for code, sentence in plan.doubts)


def _emulated(records: Sequence[Trial]) -> Iterator[Doubt]:
    platform = next((record.platform for record in records if record.platform), None)
    if platform is not None and platform.accelerator == "tcg":
        sentence = (
            "The guest ran under TCG, QEMU's emulator, not under KVM: "
            f"its loss is emulation's ({platform.why})."
        )
        yield Doubt("emulated", sentence)


def _virtual_host(records: Sequence[Trial]) -> Iterator[Doubt]:
    facts = next((r.facts for r in records if r.planned.arm is Arm.BASELINE), None)
    if facts is not None and facts.hypervisor:
        sentence = (
            f"The baseline {facts.hostname} is itself a virtual machine: the loss is over it, not over metal."
        )
        yield Doubt("host-is-virtual", sentence)


def _hardware(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Doubt]:
    """Compare two machines; a guest shows another processor by design."""
    if plan.treatment.guest is not None:
        return
    seen = {record.planned.arm: record.facts for record in records}
    if len(seen) < 2:
        return
    here, there = seen[Arm.BASELINE], seen[Arm.TREATMENT]
    for name, what in (("cpu_model", "processors"), ("cache_bytes", "caches"), ("kernel", "kernels")):
        if getattr(here, name) != getattr(there, name):
            sentence = (
                f"The {what} differ ({getattr(here, name)} and {getattr(there, name)}): "
                "the loss is between these two machines, not of a platform."
            )
            yield Doubt(f"{what}-differ", sentence)


def _programs(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Doubt]:
    """Compare the executables of both arms by digest."""
    differing = [f"{workload.name} ({_some(names)})" for workload, names in _differing(plan, records)]
    if differing:
        yield Doubt("programs-differ", f"Not the same files on both arms, by digest: {'; '.join(differing)}.")


def _differing(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[tuple[Workload, list[str]]]:
    for workload in plan.workloads:
        ours = [r for r in records if r.planned.workload == workload.name and r.program is not None]
        here, there = (_digests(ours, arm) for arm in Arm)
        if here and there and here != there:
            yield workload, sorted({name for name, _ in here ^ there})


def _digests(records: Iterable[Trial], arm: Arm) -> set[tuple[str, str]]:
    program = next((record.program for record in records if record.planned.arm is arm), None)
    return {(file.name, file.sha256) for file in _files(program)}


def _files(program: Program | None) -> Iterator[File]:
    if program is not None:
        yield program.executable
        yield from program.libraries


def _some(names: Sequence[str], most: int = 3) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _gains(rows: Sequence[Row]) -> Iterator[Doubt]:
    """A guest that beats its host does other work, or meets another cache: that is to be explained."""
    faster = [f"{row.workload} {row.metric}" for row in rows if row.verdict is Verdict.GAIN]
    if faster:
        sentence = (
            f"Faster than the baseline: {_some(faster)}. Look for a cache, a limit or other work behind it "
            "before believing in a gain."
        )
        yield Doubt("treatment-faster", sentence)


def _noise(rows: Sequence[Row]) -> Iterator[Doubt]:
    loud = [
        f"{row.workload} {row.metric}"
        for row in rows
        if row.floor and row.floor.low is not None and (row.floor.low > 0 or (row.floor.high or 0) < 0)
    ]
    if loud:
        sentence = (
            f"Host against host is not zero for {_some(loud)}: "
            "something changed between visits that has nothing to do with the platform."
        )
        yield Doubt("floor-not-zero", sentence)
