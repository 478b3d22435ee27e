"""What each guest of a layout did in a trial, as a trial of its own: on its clock, beside its series."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.model.machines.machine import Limits
from assay.model.trial import Member, Trial
from assay.probe import ResultError, parse_result

RESULT = "probe.json"


def parts_of(trial: Trial, place: Path) -> list[tuple[Trial, Path]]:
    """Return the parts of a trial, each with the folder of its series; one that ran in one place is that.

    Args:
        trial: Its record.
        place: Its folder.

    Limits: its figures are those of all guests together, which no part has alone. Empty where the result of
        one guest is gone or damaged.
    """
    if not trial.members:
        return [(trial, place)]
    parts = []
    for one in trial.members:
        part = _part(trial, one, place / one.name)
        if part is None:
            return []
        parts.append((part, place / one.name))
    return parts


def _part(trial: Trial, member: Member, folder: Path) -> Trial | None:
    try:
        result = parse_result((folder / RESULT).read_bytes(), origin=str(folder / RESULT))
    except (OSError, ResultError):
        return None
    return replace(
        trial,
        boot=member.boot,
        usage=result.usage,
        copies=result.copies,
        phases=result.phases,
        probe=result.cost,
        clock=member.clock,
        limits=Limits(),
        hypervisor_cpu=member.hypervisor_cpu,
        weight=member.weight,
        members=(),
    )
