"""The ready workloads and the readable tools, for people."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.model.units import format_bytes, format_seconds
from assay.model.work.workload import Workload
from assay.report.tables.tables import plain, table


@dataclass(frozen=True)
class Ready:
    """A ready workload with what is known of it here.

    Attributes:
        workload: As it would run here.
        title: What it measures.
        parameters: What a scene may give.
        reason: Why it cannot run here; ``None`` where it can.
    """

    workload: Workload
    title: str
    parameters: tuple[str, ...]
    reason: str | None


def ready_json(one: Ready) -> dict[str, object]:
    """Return what the list says of a workload, as data."""
    workload = one.workload
    return {
        "name": workload.name,
        "title": one.title,
        "program": workload.program,
        "package": workload.package,
        "metrics": [
            {"name": metric.name, "unit": metric.unit, "direction": str(metric.direction)}
            for metric in workload.metrics
        ],
        "parameters": list(one.parameters),
        "needs": needs(workload),
        "runs_here": one.reason is None,
        "reason": one.reason,
    }


def shown_json(one: Ready) -> dict[str, object]:
    """Return all that is known of a workload, as data."""
    workload = one.workload
    return ready_json(one) | {
        "command": list(workload.command),
        "note": workload.note or None,
        "rule_met": workload.rule_met,
        "expected_s": workload.seconds,
        "time_limit_s": workload.time_limit_s,
        "output_limit_bytes": workload.output_limit_bytes,
    }


def needs(workload: Workload) -> list[str]:
    """Return what a workload needs beside its program: the bench network, a scene's data."""
    return [*(["network"] if workload.needs_network else []), *(["data"] if workload.needs_data else [])]


def ready_table(rows: Sequence[Ready], tools: Mapping[str, str]) -> str:
    """Return a line for each workload, and below one for each tool whose output can be read."""
    cells = [(one.workload.name, one.title, _units(one.workload), one.reason or "can run") for one in rows]
    workloads = table(("workload", "what it measures", "in", "here"), cells)
    readers = table(("tool", "what can be read (assay workload parse TOOL FILE)"), list(tools.items()))
    return f"{workloads}\n\n{readers}"


def shown_text(one: Ready) -> str:
    """Return all that is known of a workload."""
    workload = one.workload
    metrics = [f"{m.name} {m.unit}, better {m.direction}" for m in workload.metrics]
    own = "the reference chain" if workload.command[0] == "{chain}" else "the probe's own"
    program = workload.program or own
    package = f" (Debian package {workload.package})" if workload.package else ""
    lines = [
        *(("made first by", shlex.join(command)) for command in workload.prepare),
        ("command", shlex.join(workload.command)),
        ("program", f"{program}{package}"),
        ("parameters", ", ".join(one.parameters) or "none"),
        *(("metric", line) for line in metrics),
        ("size", workload.note + ("" if workload.rule_met else " (its rule is not met)")),
        (
            "time",
            (
                f"about {format_seconds(workload.seconds)}, stopped after "
                f"{format_seconds(workload.time_limit_s)}"
            ),
        ),
        ("output", f"at most {format_bytes(workload.output_limit_bytes)} on each stream of a copy"),
        ("needs", ", ".join(_NEEDS[word] for word in needs(workload))),
        ("here", one.reason or "can run"),
    ]
    reported = [f"  {name:10} {plain(text)}" for name, text in lines if text]
    return "\n".join([f"{workload.name}: {one.title}", *reported])


_NEEDS = {"network": "the bench network", "data": "the data of a scene"}


def _units(workload: Workload) -> str:
    return ", ".join(dict.fromkeys(metric.unit for metric in workload.metrics))
