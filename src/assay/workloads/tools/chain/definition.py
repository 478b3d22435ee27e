"""The reference HEP chain: each step, all steps in turn, and the event generator with many small writes.

What each does and how far it stands for real experiment software: ``docs/chain.md``. A step's input files are
made by the steps before it, outside the clock (``Workload.prepare``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.model.units import format_bytes
from assay.model.work.phase import Mark, PhaseRules
from assay.model.work.workload import Workload
from assay.workloads.command import CPU, WALL
from assay.workloads.parameters import Parameters
from assay.workloads.phases import phase_metrics
from assay.workloads.sizes import MIB, Sizes
from assay.workloads.tools.chain.report import metrics
from assay.workloads.tools.chain.steps import STEPS, WRITTEN_BYTES, Step

TABLES_BYTES = 64 * MIB
"""Read whole in each step's initialization, so that it can be seen beside the event loop."""
TABLES_BYTES_PER_S = 1e9
"""Read, hashed and kept in memory: 0.4 to 0.5 s of 500 MiB in ``docs/evidence/character.md``."""
LINES = 20
"""Lines of progress in a run: each is a write and wakes the probe."""
TIME_LIMIT_S = 3600.0
"""Of the trial, and of each command that makes its input: emulated processors take ten times as long."""

NO_OUTPUT = "--no-output"
"""All is done and nothing written."""
PHASES = PhaseRules(marks=(Mark("init", "init begins$"), Mark("event-loop", "event loop begins$")))
"""By its log; those of several steps are added up."""


def parameters(name: str) -> tuple[str, ...]:
    """Return what a scene may give: events, of a step that reads tables their size, and of one that writes
    what no other needs that it writes none.
    """
    step = STEPS[name]
    size = () if step.before is None else ("size",)
    return ("events", *size, *(("output",) if _can_leave_out(step) else ()))


def _can_leave_out(step: Step) -> bool:
    """Tell whether a step writes an output and can do without: all steps in turn cannot."""
    return step.report != "run" and WRITTEN_BYTES[" ".join(step.words[:2])] > 0


def workload(name: str, sizes: Sizes, given: Parameters) -> Workload:
    """Return a workload of the chain, with a thread a processor."""
    step = STEPS[name]
    events = step.events if given.events is None else given.events
    tables = given.size_bytes or TABLES_BYTES
    every = str(max(1, events // LINES))
    init_s = 0.0 if step.before is None else tables / TABLES_BYTES_PER_S
    return Workload(
        name=name,
        command=(
            *("{chain}", *step.words, *((NO_OUTPUT,) if given.no_output else ())),
            *(*_options(sizes), *_events(step, events), "--every", every),
        ),
        parser=name,
        metrics=(*metrics(name), *phase_metrics(PHASES), WALL, CPU),
        seconds=max(0.2, init_s + step.event_s * events / sizes.cpus),
        time_limit_s=TIME_LIMIT_S,
        note="" if step.before is None else f"tables of {format_bytes(tables)} read at initialization",
        phases=PHASES,
        prepare=tuple(_preparation(step, sizes, events=events, tables=tables)),
        keeps_inputs=True,
    )


def disk_bytes(workload: Workload) -> tuple[int, int]:
    """Return the bytes of what is prepared for all copies, and of what each copy writes."""
    step = STEPS[workload.parser]
    words = (*workload.command, *(word for command in workload.prepare for word in command))
    given = dict(pairwise(words))
    events = int(given.get("--events", step.events))
    made = sum(WRITTEN_BYTES[name] for name in step.before or ())
    written = 0 if NO_OUTPUT in workload.command else WRITTEN_BYTES[" ".join(step.words[:2])]
    return int(given.get("--tables", 0)) + events * made, events * written


def _options(sizes: Sizes) -> tuple[str, ...]:
    return ("--directory", "{directory}", "--threads", str(sizes.cpus))


def _events(step: Step, events: int) -> tuple[str, ...]:
    """Say how many to those that read none; the others take all that their input holds."""
    return ("--events", str(events)) if not step.before else ()


def _preparation(step: Step, sizes: Sizes, *, events: int, tables: int) -> Sequence[tuple[str, ...]]:
    if step.before is None:
        return ()
    make = ("{chain}", "tables", "--directory", "{directory}", "--tables", str(tables))
    first = ("--events", str(events), "--every", str(max(1, events)))
    return (
        make,
        *(
            ("{chain}", word, *_options(sizes), *(first if place == 0 else ()))
            for place, word in enumerate(step.before)
        ),
    )
