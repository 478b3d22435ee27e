"""lmbench 3, and 2 where it prints alike: standard error of its programs, and the file of ``make results``.

Its MB are 1,000,000 bytes. A line of a figure stands alone (``Simple read: 0.2210 microseconds``) or in a
section, whose title says what its pairs of numbers are (``"size=16k ovr=2.26``, ``Memory read bandwidth``).

Source: lmbench 3.0-a9: ``lib_timing.c``, the programs' sources and ``scripts/lmbench``.
Limits: pairs without a title are what ``bw_mem``, ``bw_file_rd`` or ``lat_mmap`` print alone; which operation
    of memory it was, they do not tell. In a file of results a program that failed is in ``refused``; anywhere
    else it is an error.
"""

from __future__ import annotations

import errno
import os
import re

from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.whole import whole
from assay.workloads.tools.lmbench.forms import forms
from assay.workloads.tools.lmbench.sections import Section, section_of

TOOL = "lmbench"
_VERSION = re.compile(r"\[lmbench(\d+\.\d+) results for |\[LMBENCH VERSION: ([^\]<]+)\]")
_INFORMATION = re.compile(
    r"\s*$|\[.*\]\s*$|mhz: should take approximately|(\d+MB OK)+\d*\s*$|\[(?:net|if|mount): .*$"
)
_FAILED = re.compile(
    r"RPC: |unable to register|Segmentation fault|core dumped|not found|[Cc]annot |[Cc]ould not |[Cc]an't |"
    + "|".join(re.escape(os.strerror(number)) for number in errno.errorcode)
)
"""What a program or the shell says when it could not do its work: the system's own words, too."""


def read(output: bytes) -> ToolOutput:
    """Return every figure.

    Raises:
        OutputError: a line that is not lmbench's, a program that failed, or no figure.
    """
    lines = output.decode("utf-8-sig", "replace").splitlines()
    versions = [match[1] or match[2] for line in lines if (match := _VERSION.match(line))]
    entries: list[Figure | Refused] = []
    section: Section | None = None
    for number, line in enumerate(lines, start=1):
        if _INFORMATION.match(line):
            continue
        if (begun := section_of(line, section)) is not None:
            section = begun
            entries += begun.reported
        elif (rows := forms(line) or (section or Section()).row(line)) is not None:
            entries += rows
        elif versions and _FAILED.search(line):
            reason = f"a program of the suite says '{line.strip():.120}'"
            entries.append(Refused("failed", reason, {"line": str(number)}))
        else:
            raise OutputError(TOOL, number, f"expected a line of lmbench, got '{line.strip():.100}'")
    if not any(isinstance(entry, Figure) for entry in entries):
        raise OutputError(TOOL, len(lines) or 1, "expected figures, got none")
    refuse_cut(output, tool=TOOL)
    return whole(TOOL, versions[-1] if versions else None, entries)
