"""How the arms of a result came by their data, and where their jobs wrote, in sentences: as seen while trials
ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.platforms.data import DataSet
from assay.pages.method.settings import ArmSettings
from assay.pages.method.work import Data
from assay.report.method.settings import settings_text


def data_sentences(data: Data) -> Iterator[str]:
    """Yield what the data are, and for each arm, in the order of the plan, how it came by them and where it
    wrote.
    """
    if data.files is not None:
        yield _files(data.files)
    yield from _ways("The way to the data for", data.ways)
    yield from _ways("The scratch folders of", data.scratch)


def _files(data: DataSet) -> str:
    count, origin = len(data.files), data.path or f"made from seed {data.seed}"
    return f"The data: {count} file{'s' if count > 1 else ''} of {data.bytes:,} bytes together, {origin}."


def _ways(what: str, arms: Sequence[ArmSettings]) -> Iterator[str]:
    for arm in arms:
        yield f"{what} {arm.label}, seen at the start of each of its visits: {settings_text(arm.seen)}."
