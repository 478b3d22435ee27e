"""hepscore: its JSON (1.x and 2.x), and the HEP Benchmark Suite's report with all its profiles.

The duration of a run holds the time to fetch and unpack its image, so that it is not to be compared; the
scores are.

Source: https://gitlab.cern.ch/hep-benchmarks/hep-score (``hepscore.py``) and .../hep-benchmark-suite.
Limits: scores of another configuration (``settings.name``) are another unit. HEPscore prints neither the
    spread of a score nor an interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.document import Document, read_document
from assay.workloads.outputs.numbered import because
from assay.workloads.tools.db12.reader import suite_figure
from assay.workloads.tools.hep.hs06 import PROFILES, read_profile
from assay.workloads.tools.hep.plugins import read_plugins
from assay.workloads.tools.hep.workloads import RATE, read_report

TOOL = "hepscore"
PULLED = "the duration of a run holds the time to fetch and unpack its image"
UNKNOWN = "a profile of the suite that is not known here"
_RUN = ("copies", "threads_per_copy", "events_per_thread")


@dataclass
class Collected:
    """What was read so far."""

    figures: list[Figure] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def read(output: bytes) -> ToolOutput:
    """Return all scores; of the suite's report those of every profile.

    Raises:
        OutputError: not HEPscore's, or a figure that is no number.
    """
    document, collected = read_document(output, tool=TOOL), Collected()
    profiles = document.at("profiles")
    if isinstance(profiles, dict):
        for name in profiles:
            _profile(document, collected, name)
        collected.figures += read_plugins(document)
        if (
            collected.refused
            and not collected.figures
            and all(one.reason == UNKNOWN for one in collected.refused)
        ):
            document.fail(
                f"expected a profile of the suite, got '{collected.refused[0].labels['profile']:.40}'"
            )
    else:
        _hepscore(document, (), collected)
    if not collected.figures and not collected.refused:
        document.fail("expected a score, got none")
    return ToolOutput(TOOL, _version(document), tuple(collected.figures), tuple(collected.refused))


def _version(document: Document) -> str | None:
    for path in (("app_info", "hepscore_ver"), ("profiles", "hepscore", "app_info", "hepscore_ver")):
        if isinstance(version := document.at(*path), str):
            return version
    version = document.at("suite", "version")
    return version if isinstance(version, str) else None


def _profile(document: Document, collected: Collected, name: str) -> None:
    place = ("profiles", name)
    if name.lower() == "hepscore":
        _hepscore(document, place, collected)
    elif name.upper() == "DB12":
        unit = document.at(*place, "unit")
        collected.figures.append(
            suite_figure(document.number(*place, "value"), unit if isinstance(unit, str) else "DB12")
        )
    elif name.lower() in PROFILES:
        collected.figures += read_profile(document, place, {"profile": name})
    else:
        collected.refused.append(Refused("profile", UNKNOWN, {"profile": name}))


def _hepscore(document: Document, place: tuple[str, ...], collected: Collected) -> None:
    benchmarks = document.at(*place, "benchmarks")
    if benchmarks is None and document.at(*place, "score") is not None:
        benchmarks = {}  # a summary for the suite's message queue leaves the runs out
    if not isinstance(benchmarks, dict):
        document.fail(f"expected '{'.'.join((*place, 'benchmarks'))}', got none")
    _total(document, place, collected)
    for name in benchmarks:
        _benchmark(document, (*place, "benchmarks", name), collected, name)
    scores = document.at(*place, "wl-scores")
    for name in scores if isinstance(scores, dict) else ():
        collected.figures += _chosen(document, (*place, "wl-scores", name), {"benchmark": name})


def _total(document: Document, place: tuple[str, ...], collected: Collected) -> None:
    name = document.at(*place, "settings", "name") or document.at(*place, "app_info", "name")
    unit = name if isinstance(name, str) else "HEPscore"
    status, error = document.at(*place, "status"), document.at(*place, "error")
    for metric in ("score", "score_per_core"):
        value = document.at(*place, metric)
        good = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if good and status in (None, "success") and not error:
            collected.figures.append(Figure(metric, document.number(*place, metric), unit, Direction.HIGHER))
        elif value is not None or metric == "score":
            collected.refused.append(Refused(metric, _why(status, error, value)))
    collected.figures += _optional(document, (*place, "environment", "duration"), "duration", "s", PULLED, {})


def _why(status: object, error: object, value: object) -> str:
    if error:
        words = ", ".join(map(str, error)) if isinstance(error, list) else str(error)
        return f"HEPscore says '{words:.200}'"
    return f"HEPscore says status '{status}' and score '{value}'"


def _optional(
    document: Document,
    path: tuple[str, ...],
    metric: str,
    unit: str,
    reason: str | None,
    labels: Mapping[str, str],
) -> Iterator[Figure]:
    if document.at(*path) is not None:
        direction = Direction.LOWER if reason else None
        yield Figure(metric, document.number(*path), unit, direction, because(reason, labels))


def _benchmark(document: Document, place: tuple[str, ...], collected: Collected, name: str) -> None:
    labels = {"benchmark": name}
    collected.figures += _optional(document, (*place, "weight"), "weight", "1", None, labels)
    for metric in _RUN:
        collected.figures += _optional(document, (*place, "run_info", metric), metric, "1", None, labels)
    content = document.at(*place)
    for key in content if isinstance(content, dict) else ():
        if key.startswith("run") and key[3:].isdigit():
            _run(document, (*place, key), collected, {**labels, "run": key[3:]})


def _run(document: Document, place: tuple[str, ...], collected: Collected, labels: dict[str, str]) -> None:
    collected.figures += _optional(document, (*place, "duration"), "duration", "s", PULLED, labels)
    if document.at(*place, "report") is None:
        collected.refused.append(Refused("wl_score", "the run has no report: it did not end well", labels))
        return
    figures, refused = read_report(document, (*place, "report"), labels)
    collected.figures += figures
    collected.refused += refused


def _chosen(document: Document, place: tuple[str, ...], labels: dict[str, str]) -> Iterator[Figure]:
    """Yield what HEPscore chose of the runs: the median, or the mean of the middle two, and its
    references.
    """
    scores = document.at(*place)
    for name in scores if isinstance(scores, dict) else ():
        value = document.number(*place, name)
        if name.endswith("_ref"):
            yield Figure("wl_score_ref", value, RATE, None, {**labels, "score": name.removesuffix("_ref")})
        else:
            yield Figure("wl_score_chosen", value, RATE, Direction.HIGHER, {**labels, "score": name})
