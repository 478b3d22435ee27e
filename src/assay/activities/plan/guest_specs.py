"""The guests of an arm as libvirt is asked for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from assay.activities.data.sharing import share_of
from assay.factors.base.places import dealt
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.platforms.data import Levels
from assay.model.platforms.layout import GuestShare
from assay.platforms.bench_network.network import BenchNetwork
from assay.platforms.data_servers.serve import data_folder
from assay.platforms.guests.guest import Accelerator, GuestSpec
from assay.platforms.guests.spec import PLACE
from assay.platforms.images.content import image_by_digest


def _own(settings: Levels, number: int) -> Levels:
    """Return the levels of one of several guests: places are dealt out."""
    return tuple((name, dealt(level, number) if name == PLACE else level) for name, level in settings)


class Card(NamedTuple):
    """A guest's place on the bench network: its tap, and its address with the length of the prefix."""

    tap: str
    address: str


def cards(network: BenchNetwork | None, guests: int) -> tuple[Card | None, ...]:
    """Return the places of so many guests on the bench network; without one they stay off it."""
    if network is None:
        return (None,) * guests
    return tuple(
        Card(tap, f"{network.address_of(number)}/{network.prefix}")
        for number, tap in enumerate(network.taps[:guests])
    )


@dataclass(frozen=True)
class GuestSpecs:
    """What all guests of an activity on this machine share.

    Attributes:
        activity: Identity of the activity.
        home: Folder of all state.
        accelerator: What runs their instructions.
    """

    activity: str
    home: Path
    accelerator: Accelerator

    def spec(
        self, arm: PlannedArm, share: GuestShare, *, name: str, port: int, card: Card | None
    ) -> GuestSpec:
        """Return one guest of an arm.

        Args:
            arm: The arm, which has a guest.
            share: What this guest gets of the arm's processors and memory.
            name: Name of its domain.
            port: Port on 127.0.0.1 that leads to its SSH server.
            card: Its place on the bench network; ``None`` stays off it.
        """
        guest = arm.place_as(PlannedGuest)
        return GuestSpec(
            name=name,
            activity=self.activity,
            vcpus=len(share.cpus),
            memory_bytes=share.memory_bytes,
            cpus=share.cpus,
            disk_cache=guest.disk_cache,
            image=image_by_digest(self.home, guest.image),
            accelerator=self.accelerator,
            tap=card.tap if card else None,
            address=card.address if card else None,
            port=port,
            folder=self.home / "guests" / name,
            settings=_own(guest.settings, share.number),
            share=share_of(arm, data_folder(self.home, self.activity) / "files"),
        )
