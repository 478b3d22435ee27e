"""What the chain's files hold of events, as columns with names and units, a run of events at a time.

Source: ``chain/src/model.rs`` and ``docs/chain.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assay.exchange.chain.frame import ChainFileError, Header, Kind

if TYPE_CHECKING:
    import numpy as np

TRUTH = (("true_energy_mev", "<f8"), ("true_x_m", "<f8"), ("true_y_m", "<f8"), ("true_z_m", "<f8"))
"""What was generated: energy that becomes light, and its place from the detector's centre."""
FIT = (
    ("energy_mev", "<f8"),
    ("x_m", "<f8"),
    ("y_m", "<f8"),
    ("z_m", "<f8"),
    ("time_ns", "<f8"),
    ("cost", "<f8"),
)
"""What was found by likelihood; cost is its negative logarithm."""
_PULSE = (("pmt", "<u4"), ("charge_pe", "<f4"), ("time_ns", "<f4"), ("true_charge_pe", "<f4"))


@dataclass(frozen=True)
class Layout:
    """An event's content: numbers of the event, then rows of one kind, as many as the last number says.

    Attributes:
        head: Names and types of the event's numbers, without the number of rows.
        rows: Name before each column of rows; ``None`` where there are none.
        columns: Names and types of a row's numbers.
        title: What the tree is.
    """

    head: tuple[tuple[str, str], ...]
    rows: str | None
    columns: tuple[tuple[str, str], ...]
    title: str


LAYOUTS: Mapping[Kind, Layout] = MappingProxyType(
    {
        Kind.PARTICLES: Layout((*TRUTH, ("kinetic_mev", "<f8")), None, (), "generated particles"),
        Kind.HITS: Layout(
            (*TRUTH, ("photons", "<u8")), "hit", (("pmt", "<u4"), ("time_ns", "<f4")), "photoelectrons"
        ),
        Kind.WAVEFORMS: Layout(
            TRUTH, "waveform", (("pmt", "<u4"), ("charge_pe", "<f4")), "digitised waveforms, 1 ns a sample"
        ),
        Kind.PULSES: Layout(TRUTH, "pulse", _PULSE, "charge and time of photomultipliers"),
        Kind.EVENTS: Layout((*FIT, *TRUTH), "pulse", _PULSE, "vertex and energy by likelihood"),
    }
)


@dataclass(frozen=True)
class Columns:
    """A run of events.

    Attributes:
        flat: One value an event, by name.
        rows: Name of the rows -> one value a row, by name.
        counts: Rows of each event; empty where there are none.
        samples: Samples of all waveforms of an event one after the other; ``None`` where there are none.
        sample_counts: Samples of each event.
    """

    flat: dict[str, np.ndarray]
    rows: dict[str, np.ndarray]
    counts: np.ndarray
    samples: np.ndarray | None = None
    sample_counts: np.ndarray | None = None


def parse_events(header: Header, contents: Sequence[bytes], *, first: int, path: str) -> Columns:
    """Return a run of events as columns.

    Args:
        header: Of their file.
        contents: One an event.
        first: Number of the first.
        path: For messages.

    Raises:
        ChainFileError: A content is not that of its kind of file.
    """
    import numpy as np

    layout = LAYOUTS[header.kind]
    head, row = np.dtype(_fields(header, layout)), np.dtype(_row(header, layout))
    heads, runs = [], []
    for number, content in enumerate(contents, first):
        if len(content) < head.itemsize:
            raise ChainFileError(path, f"event {number}: its content is not that of this step")
        record = np.frombuffer(content, head, 1)[0]
        count = _count(record, header, len(content))
        if count is None or len(content) != head.itemsize + count * row.itemsize:
            raise ChainFileError(path, f"event {number}: its content is not that of this step")
        heads.append(record)
        runs.append(np.frombuffer(content, row, count, head.itemsize))
    return _columns(layout, np.array(heads, head), runs, row, first=first)


def _fields(header: Header, layout: Layout) -> list[tuple[str, str]]:
    count = "<u4" if header.kind is Kind.WAVEFORMS else "<u8"
    rows = [("_count", count)] if layout.rows else []
    return [*layout.head, *rows, *([("_samples", "<u4")] if header.kind is Kind.WAVEFORMS else [])]


def _row(header: Header, layout: Layout) -> list[Any]:
    samples = [("_sample", "<u2", (header.samples,))] if header.kind is Kind.WAVEFORMS else []
    return [*layout.columns, *samples]


def _count(record: Any, header: Header, length: int) -> int | None:
    """Return the number of rows; ``None`` where waveforms have another length than the file says."""
    if "_count" not in record.dtype.names:
        return 0
    count = int(record["_count"])
    if header.kind is Kind.WAVEFORMS and count and int(record["_samples"]) != header.samples:
        return None
    return count if count <= length else None


def _columns(layout: Layout, heads: Any, runs: list[Any], row: Any, *, first: int) -> Columns:
    import numpy as np

    counts = np.array([len(run) for run in runs], np.int64)
    every = np.concatenate(runs) if runs else np.empty(0, row)
    event = np.arange(first, first + len(heads), dtype=np.int64)
    flat = {"event": event} | {name: heads[name].astype(kind[1:]) for name, kind in layout.head}
    rows = {name: every[name].astype(kind[1:]) for name, kind in layout.columns}
    if row.names is None or "_sample" not in row.names:
        return Columns(flat, rows, counts)
    samples = every["_sample"]
    return Columns(flat, rows, counts, samples.reshape(-1), counts * samples.shape[1])
