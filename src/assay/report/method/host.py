"""What the host of a result's arms was set to, in sentences: as seen in force while their trials ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.pages.method.settings import ArmSettings, HostWatched
from assay.report.method.settings import settings_text


def host_sentences(arms: Iterable[ArmSettings]) -> Iterator[str]:
    """Yield for each arm what its visits held of the host's settings."""
    for arm in arms:
        yield (
            f"Settings of the host for {arm.label}, seen in force at the start of each of its visits: "
            f"{settings_text(arm.seen)}."
        )


def host_watch_sentences(watches: Iterable[HostWatched]) -> Iterator[str]:
    """Say where a guest's host was watched from, and what that took of it."""
    for watch in watches:
        cpus = ", ".join(map(str, watch.cpus))
        took = "" if watch.most_share is None else f"; it took at most {watch.most_share:.2%} of one core"
        yield (
            f"A second probe watched the guest's host meanwhile, every {watch.interval_s:g} s, on host "
            f"core{'s' if len(watch.cpus) > 1 else ''} {cpus}{took}."
        )
