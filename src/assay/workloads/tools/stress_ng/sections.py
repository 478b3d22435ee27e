"""What stress-ng's log says beside its table: counters (``--perf``), times (``--times``), rates of older
versions.
"""

from __future__ import annotations

import re

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.numbered import Line, slug
from assay.workloads.tools.stress_ng.words import described, of_the_run, power, temperature

_COUNTER = re.compile(
    r"\s*([\d,.'\u202f\u00a0]+)\s+(\S.*?\S)\s+([\d.]+)\s+([KMBGTPE]?/sec)\s*+(?:\(\s*([\d.]+)\s*(%|instr\. "
    r"per cycle)\))?\s*"
)
_BILLIONS = "B/sec"
"""Of events: no bytes."""
_SENSOR = re.compile(r"\s*(\S+)\s+(-?\d+\.\d+) (?:(W)|C(?: \(-?\d+\.\d+ K\))?)\s*")
_TIME = re.compile(
    r"\s*([\d.]+)s (available CPU time|user time|system time|total time)\s*(?:\(\s*([\d.]+)%\))?"
)
_SPAN = re.compile(r"for a ([\d.]+)s run time:")
_LOAD = re.compile(r"load average: ([\d.]+) ([\d.]+) ([\d.]+)")
_SPOKEN = re.compile(
    r"(?:stress-ng-)?(stream|memrate): (?:memory rate:|(\S+):) (.*?)(?: \(instance (\d+)\))?"
)
_MINUTES = ((1, "1"), (2, "5"), (3, "15"))


def read_counter(owner: str | None, text: str, line: Line) -> tuple[Figure, ...]:
    """Return what ``--perf`` counted of a stressor; none where the line is none of its."""
    if owner is None or (match := _COUNTER.fullmatch(text)) is None:
        return ()
    name, labels = slug(match[2]), {"stressor": owner}
    unit = "ns" if name in ("cpu_clock", "task_clock") else "1"
    total = line.value(re.sub(r"[^\d.]", "", match[1].replace(",", "")))
    rate = "10^9/s" if match[4] == _BILLIONS else match[4].strip()
    figures = (
        Figure(f"{name}_total", total, unit, None, labels),
        Figure(f"{name}_per_second", line.value(match[3]), rate, None, labels),
    )
    if match[5] is None:
        return figures
    if match[6] == "%":
        return (*figures, Figure(f"{name}_percent", line.value(match[5]), "%", Direction.LOWER, labels))
    return (*figures, Figure("instr_per_cycle", line.value(match[5]), "1", Direction.HIGHER, labels))


def read_sensor(owner: str | None, text: str, line: Line) -> tuple[Figure, ...]:
    """Return the power of a domain (``--rapl``) or the temperature of a zone (``--tz``); none where it is
    neither.
    """
    if owner is None or (match := _SENSOR.fullmatch(text)) is None:
        return ()
    of = power if match[3] else temperature
    return (of(match[1], line.value(match[2]), owner),)


def read_rates(text: str, line: Line) -> tuple[Figure, ...]:
    """Return the rates that the stressors stream and memrate of older versions say beside the table."""
    if (spoken := _SPOKEN.fullmatch(text)) is None:
        return ()
    labels = {"stressor": spoken[1]}
    labels |= {"method": spoken[2]} if spoken[2] else {}
    labels |= {"instance": spoken[4]} if spoken[4] else {}
    parts = [part.strip().partition(" ") for part in spoken[3].split(",")]
    return tuple(
        described(f"memory rate {unit}", line.value(number), labels)
        for number, _, unit in parts
        if "/sec" in unit
    )


def read_times(text: str) -> tuple[Figure, ...]:
    """Return what ``--times`` says; none where the line is none of it."""
    if (span := _SPAN.fullmatch(text.strip())) is not None:
        return (of_the_run("run_time", float(span[1])),)
    if (load := _LOAD.fullmatch(text.strip())) is not None:
        return tuple(of_the_run(f"load_average_{name}_minute", float(load[i])) for i, name in _MINUTES)
    if (time := _TIME.fullmatch(text)) is None:
        return ()
    name = slug(time[2])
    share = (of_the_run(f"{name}_percent", float(time[3])),) if time[3] else ()
    return (of_the_run(name, float(time[1])), *share)
