"""How trials of several guests were run, in sentences: their common start, and how well it was kept."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.pages.method.place import Layouts, Preload


def layout_sentences(layouts: Layouts | None) -> Iterator[str]:
    """Yield how the guests of layouts shared the work; nothing where no trial ran in several."""
    if layouts is None:
        return
    made = "booted afresh" if layouts.of == "guest" else "made afresh"
    yield (
        f"Layouts: the {layouts.of}s of one share the cores, the memory and the copies evenly; each was "
        f"{made} in each visit, and all were usable before any job began. Rates of {layouts.of}s are summed, "
        "times averaged; a wall time is from the first release to the last end, on the host's clock."
    )
    if layouts.worst_s is not None:
        yield (
            "Their jobs were released at one moment, or the stagger apart: seen on the host's "
            f"clock, {layouts.releases} "
            f"releases were at most {layouts.worst_s * 1e3:+.1f} ms off what was asked."
        )
    if layouts.preload is not None:
        yield (
            f"Preload: the files that the workload's 'cache' counts were read into each {layouts.of}'s "
            f"page cache before the start{_preload_text(layouts.preload)}."
        )


def _preload_text(files: Preload) -> str:
    if files.least is None:
        return "; whether they were found there is not told"
    share = math.floor(1000 * files.least) / 10
    cached = "found there" if files.least >= 1 else f"at least {share:g}% of them found there"
    lack = files.starts - files.reported
    return f", and {cached}" + (f"; for {lack} of {files.starts} starts it is not told" if lack else "")
