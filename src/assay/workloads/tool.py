"""A tool as one value: the ready workloads made of it, the readers of what it prints, and what is known of
its work.

Adding a tool is one such value: in a folder of ``workloads/tools`` with a line in ``workloads/catalogue.py``,
or in a package of its own, by an entry point of the group ``assay.tools`` (``docs/extending.md``).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from assay.model.metric import Measurement
from assay.model.work.server import Server
from assay.model.work.tool_output import ToolOutput
from assay.model.work.workload import Workload
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

if TYPE_CHECKING:
    from assay.model.trial import Usage


class Work(StrEnum):
    """What a workload claims of the machine, where its purpose says it: what is doubted of a trial rests on
    it.
    """

    PROCESSOR = "processor"
    """It does nothing but compute: waiting is a fault."""
    KERNEL = "kernel"
    """Its work is the kernel's: waiting, and a large system share of its CPU time, are its purpose."""


class DiskUse(StrEnum):
    """How the files that a workload measures are reached."""

    DIRECT = "direct"
    """Past the page cache."""
    CACHED = "cached"
    """Through the page cache."""


class Stream(StrEnum):
    """The one stream between the machine and the network peer whose rate is a workload's first figure,
    Mbit/s: what the bare path carries.
    """

    RECEIVED = "received"
    """It comes from the peer."""
    SENT = "sent"
    """It goes to the peer."""


@dataclass(frozen=True)
class ReadyWorkload:
    """A workload that goes by a name.

    Attributes:
        name: Unique among those of all tools.
        title: What it measures, one line with its full stop.
        make: Returns the workload for the sizes of the arms and what a scene gives; its ``parser`` is the
            name of the ready workload that measures it, mostly this one.
        parse: Returns the figures of what one copy printed on standard output; raises ``OutputError``.
            ``None`` where ``measure`` has all figures.
        measure: Returns all figures of a job from the workload, what each copy printed, and the totals of its
            usage.
        parameters: Words that a scene may give (``Parameters``).
        fault: Returns the word of a parameter that the tool refuses, and a sentence: "expected …, got …".
        digest: Returns the digest of what the copies of a job computed; raises ``OutputError`` where they
            differ.
        usage: Wall and CPU time of the whole job are figures, too.
        reader: Reader of the tool that tells remarks on what was printed, and whether standard error is read
            with it.
        work: What it claims of the machine.
        disk: How the files are reached that it measures; ``None`` where it measures none.
        file_bytes: Returns the size of its file where a scene gives none.
        disk_bytes: Returns the bytes of what is prepared for all copies, and of what each copy writes; where
            there is no such function they follow from ``Workload.file_bytes``.
        data: Content of the data that it reads, ``noise`` where any will do; ``None`` where it reads none.
        data_bytes_per_s: Guess of the rate at which it reads them, for the plan's expected time.
        data_rate: Name of its metric that is the rate of what it reads of them, MB/s; ``None`` where none
            is.
        whole_data: Each copy reads all of them once; how many bytes that is stands in the planned workload's
            ``read_bytes``.
        stream: The stream that its first figure is the rate of; ``None`` where it measures another thing.
        most_copies: That can run at once: its server serves no more.
        together: Returns the figures of a job that several machines did together, by what the copies of each
            printed and what turns its monotonic clock into one of all; ``None`` where none does.
        one_job: All copies on a machine are one job over the whole data; several guests share its files.
        part: Returns what each of several guests runs of one copy that runs copies itself
            (``Workload.copies_inside``); ``None`` where they cannot share it evenly.
        as_asked: Returns what the reader said of a run, without the figures of other work than was asked for.
    """

    name: str
    title: str
    make: Callable[[Sizes, Parameters], Workload]
    parse: Callable[[bytes], tuple[Measurement, ...]] | None = None
    measure: Callable[[Workload, Sequence[bytes], Usage], tuple[Measurement, ...]] | None = None
    parameters: tuple[str, ...] = ()
    fault: Callable[[Parameters], tuple[str, str] | None] | None = None
    digest: Callable[[Sequence[bytes]], str] | None = None
    usage: bool = False
    reader: str | None = None
    work: Work | None = None
    disk: DiskUse | None = None
    file_bytes: Callable[[Sizes], int] | None = None
    disk_bytes: Callable[[Workload], tuple[int, int]] | None = None
    data: str | None = None
    data_bytes_per_s: float | None = None
    data_rate: str | None = None
    whole_data: bool = False
    stream: Stream | None = None
    most_copies: int | None = None
    one_job: bool = False
    part: Callable[[Workload, int], Workload | None] | None = None
    as_asked: Callable[[Workload, ToolOutput], ToolOutput] | None = None
    together: (
        Callable[
            [Workload, Sequence[tuple[Sequence[bytes], Callable[[float], float]]], Usage],
            tuple[Measurement, ...],
        ]
        | None
    ) = None


@dataclass(frozen=True)
class OutputReader:
    """A reader of what a program printed, or of a file that it wrote.

    Attributes:
        name: The program's, ``bonnie++``; unique among the readers of all tools.
        title: What can be read, one line without a full stop.
        module: Has ``read(output: bytes) -> ToolOutput``, pure and total: it returns what the output says, or
            raises ``OutputError`` with the line that it does not know. Imported when it is asked for.
        json: It writes one JSON document a report: the closing bracket is its end.
        last_line: Of a whole report, where the text has one that marks its end.
        reads_errors: It takes standard error before what was printed: there the tool says which figures it
            distrusts.
        asks_memory: ``read`` takes ``memory_bytes``, too: what a page cache may have served is not to be
            compared, and the tool does not print how much memory the machine has.
        of_files: Its rates are of files on a disk.
        of_network: Its figures are of a network.
        read_after: Metric of what reads a file, and of what wrote it.
    """

    name: str
    title: str
    module: str
    json: bool = False
    last_line: re.Pattern[bytes] | None = None
    reads_errors: bool = False
    asks_memory: bool = False
    of_files: bool = False
    of_network: bool = False
    read_after: Mapping[str, str] = field(default_factory=dict)

    def read(self, output: bytes, *, memory_bytes: int | None = None) -> ToolOutput:
        """Return what the output says.

        Args:
            output: As printed.
            memory_bytes: Memory of the machine that ran it; ``None`` where not known.

        Raises:
            OutputError: it is not the tool's, or has a line that is not known.
        """
        given = {"memory_bytes": memory_bytes} if self.asks_memory else {}
        read: Callable[..., ToolOutput] = importlib.import_module(self.module).read
        return read(output, **given)

    def marks_end(self, output: bytes) -> bool:
        """Tell whether an output ends with what closes a report, so that nothing behind it can have been cut
        off.
        """
        text = output.removeprefix(b"\xef\xbb\xbf").strip()
        if self.json and text.startswith(b"{") and text.endswith(b"}"):
            return True
        last = text[text.rfind(b"\n") + 1 :] + output[len(output.rstrip(b"\r\n")) :][:2].lstrip(b"\r")
        return self.last_line is not None and self.last_line.fullmatch(last) is not None


@dataclass(frozen=True)
class Tool:
    """A program, or a pack of programs, that workloads are made of.

    Attributes:
        name: Of the program or the pack.
        workloads: In the order shown.
        readers: Of its outputs.
        server: That clients of it are measured against; ``None`` where it has none.
    """

    name: str
    workloads: tuple[ReadyWorkload, ...] = ()
    readers: tuple[OutputReader, ...] = ()
    server: Server | None = None
