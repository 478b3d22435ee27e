"""What speaks against trusting a whole result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from assay.activities.level_doubts import level_doubts
from assay.activities.rejections import rejection_doubts
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt
from assay.model.estimate import Verdict
from assay.model.trial import Arm, State, Trial
from assay.model.workload import File, Program, Workload
from assay.report.context import DoubtCount, Row


def result_doubts(
    plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row], rejected: Sequence[Trial] = ()
) -> tuple[DoubtCount, ...]:
    """Return what only the whole shows, then the doubts of the trials, counted by code."""
    ordered = sorted(records, key=lambda record: record.planned.index)
    whole = (*_planned(plan), *_failed(plan, ordered), *_emulated(records), *_virtual_host(records))
    whole = (*whole, *_hardware(plan, records), *_changed(ordered), *_programs(plan, records))
    whole = (
        *whole,
        *_gains(rows),
        *_noise(rows),
        *level_doubts(plan, records),
        *rejection_doubts(records, rejected),
    )
    return (
        *(DoubtCount(doubt.code, doubt.sentence, 1, doubt.next) for doubt in whole),
        *_of_trials(plan, ordered),
    )


def _of_trials(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[DoubtCount]:
    """Count the doubts of trials by code; the sentence is the first one's, with its place."""
    held: dict[str, list[tuple[Trial, Doubt]]] = defaultdict(list)
    for record in records:
        for doubt in {d.code: d for d in record.doubts}.values():
            held[doubt.code].append((record, doubt))
    for code, found in held.items():
        record, doubt = found[0]
        names = sorted({r.planned.workload for r, _ in found})
        where = f"{_label(plan, record)}, block {record.planned.block}, {record.planned.workload}"
        others = f"; in all: {', '.join(names)}" if len(found) > 1 else ""
        yield DoubtCount(code, f"{doubt.sentence} ({where}{others})", len(found), doubt.next)


def _label(plan: ActivityPlan, record: Trial) -> str:
    return (plan.baseline if record.planned.arm is Arm.BASELINE else plan.treatment).label


def _failed(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Doubt]:
    """Failed trials are in no figure: what is left may be the lucky part."""
    failed = [record for record in records if record.state is State.FAILED]
    if failed:
        first = failed[0]
        names = sorted({f"{record.planned.workload} on {_label(plan, record)}" for record in failed})
        sentence = (
            f"{len(failed)} of {len(records)} trials failed and are in no figure ({_some(names)}); "
            f"the first, in block {first.planned.block}: {first.cause}."
        )
        yield Doubt("trials-failed", sentence)


def _changed(records: Sequence[Trial]) -> Iterator[Doubt]:
    """Compare each arm's machine with itself over the activity: it may have been resumed after a change."""
    for arm in Arm:
        seen = [record.facts for record in records if record.planned.arm is arm]
        for name in ("hostname", "cpu_model", "kernel", "memory_bytes", "governor", "thp", "clock_source"):
            values = list(dict.fromkeys(str(getattr(facts, name)) for facts in seen))
            if len(values) > 1 and not (name == "hostname" and arm is Arm.TREATMENT):
                sentence = f"The {arm}'s machine changed during the activity: {name} was {' and then '.join(values)}."
                yield Doubt("machine-changed", sentence)


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


HARDWARE = ("cpu_model", "cache_bytes", "governor")
"""Facts whose difference a reference workload may stand for; a kernel's is none of the hardware."""
LINK = (
    "Name a workload that shows nothing but the hardware in the scene, design: {reference: flops}: each loss is "
    "then also shown corrected by it."
)


def _hardware(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Doubt]:
    """Compare two machines; a guest shows another processor by design."""
    if plan.treatment.guest is not None:
        return
    seen = {record.planned.arm: record.facts for record in records}
    if len(seen) < 2:
        return
    here, there = seen[Arm.BASELINE], seen[Arm.TREATMENT]
    names = (("cpu_model", "processors"), ("cache_bytes", "caches"), ("kernel", "kernels"))
    settings = (("governor", "frequency governors"), ("thp", "THP modes"), ("clock_source", "clock sources"))
    for name, what in (*names, *settings):
        if getattr(here, name) != getattr(there, name):
            sentence = (
                f"The {what} differ ({getattr(here, name)} and {getattr(there, name)}): "
                "the loss is between these two machines, not of a platform."
            )
            step = LINK if name in HARDWARE and plan.goal.reference is None else None
            yield Doubt(f"{what.replace(' ', '-')}-differ".lower(), sentence, next=step)


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
