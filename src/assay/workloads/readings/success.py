"""Whether a job that came to its end has succeeded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.work.reading import Success
from assay.workloads.readings.pattern import matches
from assay.workloads.readings.wrote import Wrote, lines_of, shown

_SHOWN = 120
"""Letters of a line in a message."""


def exit_is_good(success: Success | None, code: int | None) -> bool:
    """Tell whether an exit code is one of a job that succeeded; 0 where nothing is said."""
    return code is not None and code in (success.exit if success else (0,))


def unmet(success: Success | None, copies: Sequence[Wrote]) -> str | None:
    """Return what lines of a copy say against its success, ``None`` for nothing.

    Exit codes (``exit_is_good``) and files that must be there are looked at where the job ran.
    """
    if success is None:
        return None
    for number, wrote in enumerate(copies):
        if (fault := _fault(success, wrote)) is not None:
            return f"copy {number}: {fault}" if len(copies) > 1 else fault
    return None


def _fault(success: Success, wrote: Wrote) -> str | None:
    texts = dict(_texts(success, wrote))
    if success.log is not None and success.log not in wrote.files:
        return f"expected the file '{success.log}' that tells of its success, got none"
    if success.absent is not None:
        for place, lines in texts.items():
            for number, match in matches(lines, success.absent)[:1]:
                line = match.string.strip()
                return (
                    f"expected no line that matches '{shown(success.absent)}', "
                    f"got line {number} of {place}: '{shown(line, _SHOWN)}'"
                )
    if success.pattern is not None and not any(matches(lines, success.pattern) for lines in texts.values()):
        return f"expected a line that matches '{shown(success.pattern)}' in {' or '.join(texts)}, got none"
    return None


def _texts(success: Success, wrote: Wrote) -> Iterator[tuple[str, list[str]]]:
    if success.log is not None:
        yield f"'{success.log}'", lines_of(wrote.files.get(success.log, b""))
    else:
        yield "standard output", lines_of(wrote.output)
        yield "standard error", lines_of(wrote.errors)
