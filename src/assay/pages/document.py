"""``docs/report.md``: the contexts' documentation, written from the dataclasses and compared by a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from assay.pages.advice import Advice
from assay.pages.analysis import AnalysisPage
from assay.pages.comparison import ComparisonPage
from assay.pages.context import Page
from assay.pages.explanation import Explanation
from assay.pages.fleet import FleetPage
from assay.pages.schema import help_of, kinds
from assay.pages.several import SeveralPage
from assay.pages.tuning import Tuning

HEAD = """# The JSON of a report

Every page of `assay report`, `assay result compare` and `assay analyse` is a pure function of one JSON context, which
`--json` prints and a result keeps beside its page. Losses are fractions (0.1 = 10 %), times seconds, all at full double precision; rounding is for people.
`null` is "not measured"; 0 is a measurement.

The format has a name (`schema`) and a version `[major, minor]`. A newer minor only adds fields; readers pass over
those that they don't know. A newer major is refused. The same as JSON Schema:
`contracts/report-v1.schema.json`, `contracts/comparison-v1.schema.json`, `contracts/analysis-v1.schema.json`
([data measured elsewhere](analyse.md)), `contracts/explanation-v1.schema.json` (`assay explain --json`, whose budgets
are those of the report: [explain](explain.md)), `contracts/advice-v1.schema.json` (`assay advise --json`:
[advice](advise.md)) and `contracts/fleet-report-v1.schema.json` ([several machines](fleet.md)). `assay report A B …` has that of several results,
`contracts/several-results-v1.schema.json`; `assay tune show --json` has `contracts/tuning-v1.schema.json`
([which settings pay](tune.md)).

## Long tables of losses

Of more than 20 metrics, text, Markdown and HTML show one row for the time of each job, and fold what else is known of that time. The row is
the one that published figures stand beside, else the first of event rate, phases, wall time and CPU time; other figures of a job are never folded. A line
says what was found in the folded rows. HTML shows them on a click, Markdown in a section of its own, `assay report RESULT --table
estimates` all rows; the chart `loss` has those that are not folded. `estimates` has them all.

## Recipe

Under *Recipe* the HTML and the Markdown report give the commands that make their numbers again: the scene as it was measured
and its evaluation, the page from the records, the values of all trials as a table, and for each loss
`assay analyse` over these values alone. What values do not tell is not in that interval: the site's floor,
earlier looks, the resolution of a counter.

`assay result scene RESULT` writes that scene, of a command of your own too: with all that was asked for by options, at its scale, with the seed, and
with the copies of its inputs that lie with the records; of an extended result with all of its blocks. Data that it reads is where it was. The page of several
results and that of several machines name the commands of their own numbers, and of each result or machine its report, which has the recipe of the others.

## What is shown over time

`timelines` holds one block of each workload: the first in which both arms ended, or the one that `assay report --block`
names. A track is one trial. Moments are seconds of the controller's clock since the release of the trial's job: a
guest's monotonic clock is mapped by the trial's clock check, `here = before.here_ns + (there - before.there_ns) / rate`.
Both moments of a difference are mapped alike, so that only the rate counts, and `uncertainty_s` is what it may be off by
at the end of the job. Both tracks are drawn on the same scales.

A step lies between two samples; `bounds_s` has its ends. Its value is what a cumulative quantity grew by, over the
step's time, hence exact means: with more than 240 steps neighbours are joined, and value times length still adds up to
the whole. CPU seconds are divided by the clock's rate as moments are. A step whose ends were not both measured, or in which a
total went down (the kernel says that iowait may), is `null` and drawn as a gap. Of joined neighbours the smallest and the
largest rate between two samples are in `least` and `most` (of memory the smallest and the largest value), and drawn as a band of each quantity
by itself, from the axis up: a spike of one sample stays visible ([why both are drawn](decisions/0081-a-step-has-its-growth-and-its-range.md)). A panel of nothing but zeros is left
out, save CPU and memory of the job. Events are those that the phases' file tells of until each sample.

Beside a guest's own cores stands the mean that the hypervisor counted for its vCPUs (`vcpu_s` over `wall_s`): where it
is lower, the guest believed to run while it waited. `vcpu_s` counts from shortly before the start of the job until its
record was collected, and so holds what the guest did around the job.

Times and shares of phases are in `trials[].phases`, what the probe itself took in `trials[].probe`.

## Host and guest

While a job runs in a guest on the controller's machine, a second probe there watches the host ([measuring](measuring.md#host-and-guest-on-one-clock)),
on the controller's processors; what it takes is in `trials[].host_probe`. Its clock is the controller's. The release of the
job is known on that clock by the trial's clock check, to the larger uncertainty of its two readings. Lines `vcpu_…`,
`qemu_…` and `net_…` of a track are the host's totals at the ends of the guest's steps, between two samples taken to grow
evenly, as rates.

`host` of a track has the same by phase. Each amount has bounds that hold whatever a total did between two samples, and a
`value` that takes it to have grown evenly; where a phase is shorter than the time between samples, the value is `null`.
Amounts of several stays in a phase are added; of several copies the phases of the first one are shown, while the host
counts the whole guest.

Flame graphs are no part of the JSON: the page draws them where trials brought a profile, for each arm and as a difference
(baseline against treatment), as images in which no script runs; `profiles/` beside the page has the pictures to zoom,
the folded stacks and files for speedscope ([profiles](profiles.md)).

## Landscapes

Workloads of one family that differ in the size of their file or of their records ([file tools](workloads-files.md#landscapes))
make `landscapes`: one for each metric, and for each treatment where there are several; those whose files are cold and those
whose files are warm, of other numbers of copies or of other times are landscapes apart, and their titles say so. A cell has the figures of its row in
`estimates`. Where `not_comparable` gives a reason (Bonnie++ on a file below twice the memory), they are kept in the JSON and
shown nowhere in a landscape. A cell without a loss has its `reason`; a point of the grid that was not run has no cell.

The page draws three panels side by side: the baseline's values, the treatment's on the same colours (by their logarithm, of
this landscape alone), and the loss on colours that are white at zero and alike in all landscapes of the page; they end at its
largest loss, at least at the margin and at 1 %, at most at 100 %. A dashed border
says that the interval of a loss holds zero; a slash stands for what cannot be compared, a cross for what is not there.

## Clock-corrected and not

Figures are on the host's clock: those of a machine whose own clock ran off by at most 1 %, and by more than is known of it, are
corrected (`clock-corrected` in the [doubts](doubts.md)). `trials[].metrics[].uncorrected` is what its own clock said;
`estimates[].uncorrected` has the means and the loss from these. The page shows them in the section *Clock-corrected and not*
and in the table of all trials. Both are `null` where nothing was corrected, where several guests ran a trial together, and
where a clock ran off by more: such a figure is not used, and only the output that the record keeps has it.

## Source

This page is written from the code: `REGENERATE=1 pytest tests/report`.
"""  # noqa: E501


def context_document() -> str:
    """Return the Markdown of all contexts: one heading a kind of object, one line a field."""
    pages = (Page, ComparisonPage, AnalysisPage, Explanation, Advice, FleetPage, SeveralPage, Tuning)
    seen: dict[type[Any], None] = dict.fromkeys(kind for page in pages for kind in kinds(page))
    return "\n".join([HEAD, *(_kind(kind) for kind in seen)])


def _kind(kind: type[Any]) -> str:
    hints = get_type_hints(kind)
    rows = [f"| `{item.name}` | {type_text(hints[item.name])} | {help_of(item)} |" for item in fields(kind)]
    return "\n".join(
        [
            f"## {kind.__name__}",
            "",
            str(kind.__doc__),
            "",
            "| field | type | meaning |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def type_text(hint: Any) -> str:
    """Return a type in JSON's words: ``number or null``, ``array of [Row](#row)``."""
    if is_dataclass(hint) and isinstance(hint, type):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(f"`{item.value}`" for item in hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return ", ".join(f"`{item}`" for item in inner)
    if origin is Mapping:
        return f"object of {type_text(inner[1])}"
    if origin in (UnionType, Union):
        return " or ".join(type_text(item) for item in inner)
    return f"array of {type_text(inner[0])}" if origin is tuple else WORDS[hint]


WORDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
