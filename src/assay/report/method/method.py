"""How a result was measured, in sentences with the figures of its own records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.pages.method.method import Method
from assay.report.method.data import data_sentences
from assay.report.method.design import design_sentences
from assay.report.method.disturbances import controller_sentences, disturbance_sentences
from assay.report.method.host import host_sentences, host_watch_sentences
from assay.report.method.jobs import (
    cache_sentences,
    copy_sentences,
    exit_sentences,
    phase_sentences,
    probe_sentences,
)
from assay.report.method.machine import baseline_sentences
from assay.report.method.own import own_sentences
from assay.report.method.place import place_sentences


def method_sentences(method: Method) -> tuple[str, ...]:
    """Return the sentences, in the order in which a reader asks."""
    return tuple(_sentences(method))


def _sentences(method: Method) -> Iterator[str]:
    yield from design_sentences(method.design)
    yield from baseline_sentences(method.baseline)
    yield from place_sentences(method.place)
    yield from host_sentences(method.host_settings)
    yield from data_sentences(method.data)
    yield from (f"{workload}: {note}." for workload, note in method.notes)
    yield from copy_sentences(method.copies)
    yield from phase_sentences(method.phases)
    yield from own_sentences(method.own)
    yield from result_sentences(method.same_results)
    yield from cache_sentences(method.caches)
    yield from exit_sentences(method.exits)
    yield from disturbance_sentences(method.disturbances)
    yield from probe_sentences(method.probe)
    yield from controller_sentences(method.controller)
    yield from host_watch_sentences(method.host_watches)


def result_sentences(same: Mapping[str, str]) -> Iterator[str]:
    """Say which workloads came to one result on all arms, and to which.

    Args:
        same: Digests of the results by workload.
    """
    if same:
        reported = ", ".join(f"{workload} ({digest})" for workload, digest in same.items())
        yield f"The same result in every trial, on all arms, by its digest: {reported}."
