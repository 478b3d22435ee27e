"""What the HEP Benchmark Suite's plugins sampled: power, frequency, load and the like, by phase.

Limits: the suite keeps no time of a sample, so that a sample is known by its place in its phase alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.model.work.tool_output import Figure
from assay.workloads.document import Document
from assay.workloads.outputs.numbered import slug


def read_plugins(document: Document) -> Iterator[Figure]:
    """Yield statistics and samples of every plugin.

    Raises:
        OutputError: one that is no number.
    """
    for plugin, phase, metric in _paths(document):
        place: tuple[str, ...] = ("plugins", plugin, phase, metric)
        reported = document.at(*place, "config", "unit")
        unit = reported if isinstance(reported, str) and reported else "1"
        labels = {"plugin": plugin, "phase": phase}
        for name in _names(document.at(*place, "statistics")):
            if document.at(*place, "statistics", name) is not None:
                value = document.number(*place, "statistics", name)
                own = "1" if name.endswith("count") else unit
                yield Figure(slug(metric), value, own, None, labels | {"statistic": name})
        yield from _samples(document, place, unit, labels)


def _paths(document: Document) -> Iterator[tuple[str, str, str]]:
    for plugin in _names(document.at("plugins")):
        for phase in _names(document.at("plugins", plugin)):
            for metric in _names(document.at("plugins", plugin, phase)):
                if isinstance(document.at("plugins", plugin, phase, metric), dict):
                    yield plugin, phase, metric


def _names(content: object) -> tuple[str, ...]:
    return tuple(content) if isinstance(content, dict) else ()


def _samples(
    document: Document, place: tuple[str, ...], unit: str, labels: Mapping[str, str]
) -> Iterator[Figure]:
    values = document.at(*place, "values")
    for number, value in enumerate(values if isinstance(values, list) else []):
        if value is not None:
            sample = document.number(*place, "values", number)
            yield Figure(slug(place[-1]), sample, unit, None, {**labels, "sample": str(number + 1)})
