"""What a result says of how it was measured: gathered from a plan and its records, and put into words."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.report.method import container, domain, guest, host, layout, method, own, place
from assay.results.methods.container import containers_of
from assay.results.methods.domain import domain_of
from assay.results.methods.guest import guests_of
from assay.results.methods.host import host_settings_of, host_watches_of
from assay.results.methods.layout import layouts_of
from assay.results.methods.method import method_of, own_of
from assay.results.methods.place import below_of


def below_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> list[str]:
    return list(place.below_sentences(below_of(plan, records)))


def container_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> list[str]:
    return list(container.container_sentences(containers_of(plan, records)))


def domain_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> list[str]:
    return list(domain.domain_sentences(domain_of(plan, records)))


def guest_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> list[str]:
    return list(guest.guest_sentences(guests_of(plan, records)))


def host_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> list[str]:
    return list(host.host_sentences(host_settings_of(plan, records)))


def host_watch_sentences(records: Sequence[Trial]) -> list[str]:
    return list(host.host_watch_sentences(host_watches_of(records)))


def layout_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> list[str]:
    return list(layout.layout_sentences(layouts_of(plan, records)))


def method_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[str, ...]:
    return method.method_sentences(method_of(plan, records))


def own_sentences(plan: ActivityPlan) -> list[str]:
    return list(own.own_sentences(own_of(plan)))
