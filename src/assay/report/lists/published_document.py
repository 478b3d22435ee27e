"""``docs/published.md``: which published figures come with the package, written from the data and compared by
a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.model.figures.published import Publication, PublishedFigure
from assay.report.render.markdown_words import markdown_table
from assay.report.tables.published import range_text, source_words
from assay.scenes import publications, published_figures

HEAD = """# Published figures beside ours

Whoever knows the papers wants to see their figures beside his own. `assay` brings the figures of six publications, and a
scene names those that its own may stand beside: its report shows them right after the losses, in the section *Published*
(in JSON `published`, [fields](report.md)).

Nothing is concluded from them. They are of other hardware, mostly of other programs, and of their time. One plain word says
whether their range lies *inside* our interval, *partly inside* or *outside*; it is no verdict. An interval wider than 50
points (of other figures than losses: than the figure itself) would hold almost any: *not comparable*.

## How a scene names them

```yaml
scene: my-detsim
title: What a guest costs my detector simulation
baseline: {machine: local}
treatment: {platform: guest}
workloads:
  - {name: detsim, command: "/opt/job/detsim --events 100"}
published:
  - figures: juno-2017/detsim-loss   # one of the names below
    beside: detsim wall_time         # a workload and a metric of it; or a workload alone; or a list
    differs: Our geometry is another one.
```

| word | what it says |
| --- | --- |
| `figures` | the name of published figures |
| `beside` | what of ours they stand beside; left out, they are shown alone (say in `differs` why) |
| `treatments` | of several treatments those that are meant, by their label in the report without ` on 1 core`; left out, all |
| `differs` | what is not alike, one sentence: another program, another baseline, a stand-in |
| `turned` | `true`: theirs are from our treatment to our baseline, and the loss of the way back is shown |

- A **loss** stands beside the loss of a metric, as it is printed. Some print the overhead (slowdown - 1) under that name: what is
  10 % so printed, is a loss of 9.1 %.
- A **gain** stands beside a loss, too, read as throughput won: 80 % more is a loss of -80 %.
- **Memory** stands beside `weight`, what QEMU holds [beside its guest's memory](guest-weight.md), in MB (1,000,000 bytes).
- **Events** stand beside a workload at [several event numbers](scenes.md#event-numbers): the number from which its loss is within
  the margin of what it tends to.
- Times, rates, shares, scores and numbers of workers stand beside nothing: those of another machine say nothing of this one.

`published` changes nothing of what is measured and is not in the digest of a scene. A result of an older version is shown with the
figures of its ready scene, if it asked the same apart from its design and from what was looked at.

## What is not in it

The tables are what we have of the publications: figures, who published them where, and what is known here of the machines, the
number of events and the repetitions. *Not known here* means that neither our notes nor the public pages that we could read tell
it; nothing is guessed. The publications have more than that:

- the processors and disks of JUNO's H1, H2 and H3, and of BOSS's and ATLAS's machines;
- what JUNO's gain of 10 to 20 % by several guests is of;
- IJCLab's figures of memory, and its result of XFS in a loop file;
- titles, where none is named, and DOIs: not one is known here.

None of them prints an interval that is known here. Nobody here has repeated the publications' own programs: where a scene stands in
for one, `differs` says so. [Figure by figure](publications.md): which scene makes each table and figure of the five papers, and what
cannot be had here.
"""  # noqa: E501

MOST_LISTED = 4
"""Of one row of the table, figures that are told one by one."""
TAIL = """
## Source

This page is written from `src/assay/scenes/reference`: `REGENERATE=1 pytest tests/report`. A test holds each figure to the recorded
tables in `tests/reference`.
"""  # noqa: E501


def published_document() -> str:
    """Return the Markdown of the published figures that come with the package."""
    known = publications()
    by_key: dict[str, list[Sequence[PublishedFigure]]] = {}
    for several in published_figures().values():
        by_key.setdefault(several[0].publication, []).append(several)
    parts = [part for key, several in by_key.items() for part in _publication(known[key], several)]
    return "\n".join([HEAD, "## The publications", "", *parts]) + TAIL


def _publication(one: Publication, named: Sequence[Sequence[PublishedFigure]]) -> Iterator[str]:
    known = [part for part in (one.title, one.venue) if part is not None]
    where = f" <{one.url}>" if one.url else ""
    yield f"### {one.key}\n"
    yield (
        f"{', '.join([f'{one.authors} ({one.year})', *known])}.{where} "
        f"{one.about[0].upper()}{one.about[1:]}.\n"
    )
    yield "".join(f"- {words}.\n" for words in source_words(one.machines, one.runs))
    headers = ("name", "what", "figures", "on what, how", "where")
    yield markdown_table(headers, [_row(several) for several in named]) + "\n"
    yield from _notes(named)


def _notes(named: Sequence[Sequence[PublishedFigure]]) -> Iterator[str]:
    """Yield what else is to be known, each sentence once with the figures that it holds for."""
    noted: dict[str, dict[str, None]] = {}
    for figure in (one for several in named for one in several if one.note is not None):
        noted.setdefault(str(figure.note), {})[figure.name] = None
    lines = [f"- {', '.join(f'`{name}`' for name in names)}: {sentence}" for sentence, names in noted.items()]
    if lines:
        yield "\n".join(lines) + "\n"


def _row(several: Sequence[PublishedFigure]) -> tuple[str, ...]:
    first = several[0]
    low, high = min(one.low for one in several), max(one.high for one in several)
    each = [_figure_text(one, alone=not 1 < len(several) <= MOST_LISTED) for one in several]
    return (
        first.full_name,
        first.what,
        _printed(first) if len(several) == 1 else range_text(low, high, first.unit),
        "; ".join(dict.fromkeys(filter(None, each))),
        ", ".join(dict.fromkeys(one.place for one in several)),
    )


def _figure_text(one: PublishedFigure, *, alone: bool) -> str:
    """Return what a figure is of, and the figure itself where few stand in one row."""
    how = ", ".join(part for part in (one.hardware, one.condition) if part is not None)
    return re.sub(r", row \d+$", "", how) if alone else f"{how}: {_printed(one)}"


def _printed(one: PublishedFigure) -> str:
    return one.printed or range_text(one.low, one.high, one.unit)
