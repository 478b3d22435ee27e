"""Where the trials of a result ran, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.method.place import Place
from assay.report.method.below import below_sentences
from assay.report.method.container import container_sentences
from assay.report.method.domain import domain_sentences
from assay.report.method.emulator import clock_sentences, emulator_sentences
from assay.report.method.guest import guest_sentences
from assay.report.method.layout import layout_sentences
from assay.report.method.machine import machine_sentences


def place_sentences(place: Place) -> Iterator[str]:
    """Yield what the treatments were, and what is known of them from outside."""
    yield from domain_sentences(place.domain)
    yield from guest_sentences(place.guests)
    yield from layout_sentences(place.layouts)
    yield from container_sentences(place.containers)
    yield from machine_sentences(place.machines)
    yield from below_sentences(place.below)
    yield from emulator_sentences(place.emulators)
    yield from clock_sentences(place.clocks)
