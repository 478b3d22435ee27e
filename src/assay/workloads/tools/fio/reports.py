"""fio's JSON: every number of every job, client and disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.model.work.tool_output import Figure, ToolOutput
from assay.workloads.document import Document
from assay.workloads.outputs.leaves import Path, Rule, figure, leaves
from assay.workloads.outputs.marks import marked
from assay.workloads.tools.fio.idle import idle, unsampled
from assay.workloads.tools.fio.words import (
    BYTES,
    DISK,
    JOB,
    KIB,
    OPERATION,
    OPERATIONS,
    SETTINGS,
    TOOL,
    error_words,
)


def read_report(report: Document) -> ToolOutput:
    """Return all figures of fio's JSON.

    Raises:
        OutputError: it has no jobs, one of them ended with an error, or a figure is no number.
    """
    figures = [figure for place, labels in _jobs(report) for figure in _job(report, place, labels)]
    version = report.at("fio version")
    return ToolOutput(
        TOOL,
        version.removeprefix("fio-") if isinstance(version, str) else None,
        (*figures, *_disks(report)),
    )


def _jobs(report: Document) -> Iterator[tuple[Path, dict[str, str]]]:
    lists = [name for name in ("jobs", "client_stats") if isinstance(report.at(name), list)]
    if not lists:
        report.fail("expected a list 'jobs' or 'client_stats', got neither")
    places: list[Path] = [(name, at) for name in lists for at in range(_count(report, name))]
    if not places:
        report.fail(f"expected jobs in '{lists[0]}', got none")
    all_labels = [_labels(report, place) for place in places]
    times = Counter(tuple(labels.values()) for labels in all_labels)
    seen: Counter[tuple[str, ...]] = Counter()
    for place, labels in zip(places, all_labels, strict=True):
        _refuse_failed(report, place)
        if times[tuple(labels.values())] > 1:
            yield place, labels | {"index": str(seen[tuple(labels.values())])}
            seen[tuple(labels.values())] += 1
        else:
            yield place, labels


def _count(report: Document, name: str) -> int:
    entries = report.at(name)
    return len(entries) if isinstance(entries, list) else 0


def _labels(report: Document, place: Path) -> dict[str, str]:
    name, host = report.at(*place, "jobname"), report.at(*place, "hostname")
    if not isinstance(name, str):
        report.fail(f"expected a job with a 'jobname' at {place[0]}[{place[1]}], got none")
    return {"job": name} if host is None else {"job": name, "host": str(host)}


def _refuse_failed(report: Document, place: Path) -> None:
    if (code := int(report.number(*place, "error"))) != 0:
        name = report.at(*place, "jobname")
        report.fail(f"job '{name}' ended with error {code} ({error_words(code)})")


def _job(report: Document, place: Path, labels: Mapping[str, str]) -> Iterator[Figure]:
    content = report.at(*place)
    for part in content if isinstance(content, dict) else ():
        if part in OPERATIONS:
            yield from _operation(report, (*place, part), {**labels, "operation": part})
        else:
            for path, _ in leaves(report.at(*place, part)):
                yield from _leaf(report, (*place, part, *path), JOB, labels, len(place))


def _operation(report: Document, place: Path, labels: Mapping[str, str]) -> Iterator[Figure]:
    not_done, missing = idle(report, place), unsampled(report, place)
    rules = (*(KIB if _counts_kib(report, place) else BYTES), *OPERATION)
    for path, _ in leaves(report.at(*place)):
        reason = not_done or missing.get(str(path[0]) if path else "")
        for leaf in _leaf(report, (*place, *path), rules, labels, len(place)):
            yield marked(leaf, reason)


def _leaf(
    report: Document, path: Path, rules: tuple[Rule, ...], labels: Mapping[str, str], depth: int
) -> Iterator[Figure]:
    words = "/".join(map(str, path[2:]))
    if SETTINGS.fullmatch(words) is None and (leaf := figure(report, path, rules, depth=depth)) is not None:
        yield replace(leaf, labels={**labels, **_shown(report, path, leaf.labels)})


def _shown(report: Document, path: Path, labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels as people write them: ``99`` for ``99.000000``, class and level for the place of a
    priority.
    """
    shown = dict(labels)
    if "percentile" in shown:
        shown["percentile"] = percentile(shown["percentile"])
    if "priority" in shown:
        entry = path[: path.index("prios") + 2]
        shown["priority"] = f"{report.at(*entry, 'prioclass')}/{report.at(*entry, 'prio')}"
    return shown


def percentile(text: str) -> str:
    """Return a percentile without the zeros at its end."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _counts_kib(report: Document, place: Path) -> bool:
    """Tell whether ``io_bytes`` is in KiB, as until the release that printed ``io_kbytes`` beside it.

    Bandwidth times run time tells the unit of what was moved; where they are too small for that, the version
    does.
    """
    present = [report.at(*place, name) is not None for name in ("io_kbytes", "io_bytes", "bw", "runtime")]
    if present != [False, True, True, True]:
        return False
    moved_kib = report.number(*place, "bw") * report.number(*place, "runtime") / 1000
    if moved_kib < 1:
        return str(report.at("fio version")).startswith("fio-2.")
    return report.number(*place, "io_bytes") < 32 * moved_kib


def _disks(report: Document) -> Iterator[Figure]:
    for at in range(_count(report, "disk_util")):
        labels = {"disk": str(report.at("disk_util", at, "name"))}
        for path, _ in leaves(report.at("disk_util", at)):
            yield from _leaf(report, ("disk_util", at, *path), DISK, labels, 2)
