"""Several guests on this machine as one place: made together, and their trials run in all of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.activities.places.guest import GuestPlace
from assay.activities.plan.guest_specs import cards
from assay.activities.plan.layout import shares_of
from assay.activities.trials.inflight import is_collected
from assay.activities.visits.guests import several_visits
from assay.activities.visits.visit import Visit
from assay.model.files.native import PROBE
from assay.model.trial import PlannedTrial
from assay.platforms.guests.guest import pick_ports
from assay.platforms.leftovers.quiet import end_guests


@dataclass(frozen=True)
class GuestGroupPlace(GuestPlace):
    """The guests of a layout (``Place``)."""

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Boot the guests and open their visits; the first has the others beside it."""
        shared, name = self.shared, self.shared.name(trial.block)
        parts = shares_of(self.arm, self.guest)
        shared.watcher.step(f"booting the {len(parts)} guests of block {trial.block}")
        each = zip(parts, pick_ports(len(parts)), cards(shared.network, len(parts)), strict=True)
        specs = [
            self.specs.spec(self.arm, share, name=f"{name}-{number}", port=port, card=card)
            for number, (share, port, card) in enumerate(each)
        ]
        host = shared.carrier.probe
        with several_visits(
            shared.connection(), specs, self.arm, host=host, interrupts=shared.interrupts
        ) as visit:
            for one in (visit, *visit.beside):
                one.server = shared.network.server_address if shared.network else None
            yield visit

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """End what is left, and yield ``None``: a common start cannot be taken up again."""
        del trial, made
        end_guests(self.shared.home, self.shared.plan.id, subreaper=PROBE.path(), collected=is_collected)
        yield None
