"""What stress-ng's log says against its own figures: failed, skipped and distrusted stressors, runs that were
too short.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.workloads.outputs.numbered import Line

_ENDED = re.compile(r"((?:un)?successful) run completed in .*")
_SUMMARY = re.compile(r"(skipped|passed|failed|metrics untrustworthy): (\d+)(?:: (.*))?")
_NAMED = re.compile(r"(?<![\w-])([a-z][\w-]*) \((\d+)\)")
_SKIP = (
    re.compile(r"([a-z][\w-]*):? stressor will be skipped,? ?(.*)"),
    re.compile(r"([a-z][\w-]*): skipping stressor,? ?(.*)"),
    re.compile(r"disabled '([\w-]+)' (.*)"),
)
_BROKEN = (
    re.compile(r"process \[?\d+\]? \((?:stress-ng-)?([\w-]+)\) terminated with an error, (.*)"),
    re.compile(r"(?:stress-ng-)?([a-z][\w-]*): \[\d+\] terminated with an error, (.*)"),
)
_FAIL = re.compile(r"(?:stress-ng-)?([a-z][\w-]*):? (.*)")
_SHORT = re.compile(r"(?:stress-ng-)?([a-z][\w-]*): (.*\btoo short\b.*)")


@dataclass
class Remarks:
    """What the log says of stressors, by name."""

    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    distrusted: dict[str, str] = field(default_factory=dict)
    too_short: dict[str, str] = field(default_factory=dict)
    unsuccessful: str | None = None
    corrupted: str | None = None
    ended: bool = False

    def reason(self, stressor: str) -> str | None:
        """Return why the figures of a stressor cannot be compared."""
        for reported in (self.failed, self.distrusted, self.too_short):
            if stressor in reported:
                return reported[stressor]
        return self.corrupted or (None if self.failed or self.skipped else self.unsuccessful)


def check(remarks: Remarks, text: str) -> None:
    """Keep what stress-ng says of all figures, as a failure or as a warning."""
    if "validated and sane" not in text and remarks.corrupted is None:
        remarks.corrupted = f"stress-ng says '{text}'"


def fail(remarks: Remarks, text: str) -> None:
    """Keep what a stressor found wrong when it verified its work."""
    if (match := _FAIL.fullmatch(text)) is not None:
        remarks.failed.setdefault(match[1], f"stress-ng says 'fail: {text}'")


def remark(remarks: Remarks, text: str, line: Line) -> bool:
    """Keep what a line says of stressors; tell whether it says anything.

    Raises:
        OutputError: a summary that is not known.
    """
    if (ended := _ENDED.match(text)) is not None:
        remarks.ended = True
        remarks.unsuccessful = f"stress-ng says '{text}'" if ended[1] == "unsuccessful" else None
    elif (short := _SHORT.fullmatch(text)) is not None:
        remarks.too_short[short[1]] = f"stress-ng says '{short[2]}'"
    elif (summary := _SUMMARY.fullmatch(text)) is not None:
        _summarise(remarks, summary[1], summary[3] or "", line)
    else:
        return _refusal(remarks, text)
    return True


def _summarise(remarks: Remarks, what: str, names: str, line: Line) -> None:
    reported = {
        "skipped": remarks.skipped,
        "failed": remarks.failed,
        "metrics untrustworthy": remarks.distrusted,
    }.get(what)
    if reported is not None:
        for name, count in _NAMED.findall(names):
            reported.setdefault(name, f"stress-ng says '{what}: {name} ({count})'")
    elif what != "passed":
        line.unknown()


def _refusal(remarks: Remarks, text: str) -> bool:
    for pattern in _SKIP:
        if (match := pattern.fullmatch(text)) is not None:
            remarks.skipped.setdefault(match[1], f"stress-ng skipped it: {match[2] or 'no reason told'}")
            return True
    for pattern in _BROKEN:
        if (match := pattern.fullmatch(text)) is not None:
            reported = remarks.distrusted if "untrustworthy" in match[2] else remarks.failed
            reported.setdefault(match[1], f"stress-ng says 'terminated with an error, {match[2]}'")
            return True
    return False
