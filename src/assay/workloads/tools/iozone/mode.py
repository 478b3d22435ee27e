"""What the head of an IOzone output says of all its figures: unit, and whether a disk was measured."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.marks import marked

TOOL = "iozone"
END = "iozone test complete."
FILE, RECORD = "file_size_kib", "record_size_kib"
"""Labels; both are numbers of 1024 bytes."""

_VERSION = re.compile(r"Version \$Revision: ([^ $]+) \$")
_STDIO = ("fwrite", "frewrite", "fread", "freread")
"""They go through the C library, which opens without O_DIRECT and O_SYNC whatever the options say: seen with
3.489 and ``-I``, 300 MB/s by write and 6 GB/s by fwrite."""
_WRITES = ("write", "rewrite", "random_write", "record_rewrite", "pwrite", "repwrite", "fwrite", "frewrite")
_WRITERS = ("initial writers", "rewriters", "random writers", "pwrite writers", "fwriters")
_COMMAND = re.compile(r"\s*Command line used:(.*)")
_TEST = re.compile(r"\s-[A-Za-z]*i\s*(\d{1,9})\b")
_POOR = re.compile(r"Sizes (\d{1,9}) kBytes and below", re.IGNORECASE)


@dataclass(frozen=True)
class Mode:
    """Modes of a run, by what its head says.

    Attributes:
        version: ``3.510``.
        unit: Of its rates; ``us/op`` with ``-N``.
        direct: ``-I``, past the page cache.
        sync: ``-o`` or ``-+r``, each write waits for the disk.
        flush: ``-e``, the flush is in the time of writes.
        invalid: iozone says that what it measures is not valid.
        poor_kib: The timer was too coarse for records of this size and below; 0 where it was not.
        tests: Numbers of the tests that its command line asks for (``-i``); empty is "all".
    """

    version: str | None = None
    unit: str = "KiB/s"
    direct: bool = False
    sync: bool = False
    flush: bool = False
    invalid: bool = False
    poor_kib: int = 0
    tests: frozenset[int] = frozenset()

    @property
    def direction(self) -> Direction:
        """Return which way its rates are better; microseconds an operation are better low."""
        return Direction.LOWER if self.unit == "us/op" else Direction.HIGHER

    def judged(self, figure: Figure, memory_bytes: int | None) -> Figure:
        """Return a figure with the reason why it cannot be compared, if there is one."""
        return marked(figure, self._reason(figure, memory_bytes))

    def _reason(self, figure: Figure, memory_bytes: int | None) -> str | None:
        if self.invalid:
            return "iozone says that its figures are not valid in this mode"
        record, size = int(figure.labels.get(RECORD, "0")), int(figure.labels.get(FILE, "0"))
        if record and record <= self.poor_kib:
            return f"iozone says that its timer is too coarse for sizes of {self.poor_kib} kB and below"
        if self._past_cache(figure):
            return None
        if memory_bytes is None:
            return (
                f"the page cache may have served a file of {size} kB: no direct I/O (-I), and "
                "the output does not tell the machine's memory"
            )
        whole = size * int(figure.labels.get("processes", "1"))
        if whole * 1024 > memory_bytes:
            return None
        return (
            f"the page cache served it: {whole} kB of files in {memory_bytes // 1024} kB of memory, "
            "no direct I/O (-I)"
        )

    def _past_cache(self, figure: Figure) -> bool:
        operation = figure.labels.get("operation", figure.metric.removesuffix("_cpu"))
        writes = operation in _WRITES or operation in _WRITERS
        if operation in (*_STDIO, "fwriters", "freaders"):
            return writes and self.flush
        return self.direct or (writes and (self.sync or self.flush))


_SAYS: tuple[tuple[str, dict[str, object]], ...] = (
    (r"OPS Mode", {"unit": "ops/s"}),
    (r"Microseconds/op Mode", {"unit": "us/op"}),
    (r"^(?>.*?(?:O_DIRECT|DIRECTIO|VX_DIRECT)).*enabled", {"direct": True}),
    (r"SYNC Mode|Read & Write sync mode active|O_DSYNC mode enabled", {"sync": True}),
    (r"Include fsync in write timing", {"flush": True}),
    (r"Performance measurements (are|may be) invalid", {"invalid": True}),
)


def mode_of(lines: list[tuple[int, str]]) -> tuple[Mode, list[tuple[int, str]]]:
    """Return the modes that a run's lines tell, and the lines themselves."""
    mode, ended = Mode(), False
    for _, text in lines:
        ended = ended or END in text
        for pattern, changes in () if ended else _SAYS:
            mode = replace(mode, **changes) if re.search(pattern, text) else mode  # type: ignore[arg-type]
        if match := _VERSION.search(text):
            mode = replace(mode, version=match[1])
        if match := _COMMAND.match(text):
            mode = replace(mode, tests=frozenset(map(int, _TEST.findall(match[1]))))
        if match := _POOR.search(text):
            mode = replace(mode, poor_kib=int(match[1]))
    return mode, lines
