"""Guests on another machine than this one: planned, and their hypervisor opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.activities.visits.settings import check_drivers
from assay.activities.visits.visit import CONNECT_S
from assay.machines import open_door
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Machine, Reach
from assay.platforms.guests.spec import Accelerator, GuestSpec
from assay.platforms.images.content import image_by_digest
from assay.platforms.images.image import Image
from assay.platforms.remote.accelerator import choose_remote_accelerator
from assay.platforms.remote.claims import remote_claim
from assay.platforms.remote.clean import clean_there, leftovers_there
from assay.platforms.remote.connect import remote_connection
from assay.platforms.remote.guest import RemoteGuest, find_remote_guest, start_remote_guest
from assay.platforms.remote.host import RemoteHost
from assay.platforms.remote.hypervisor import (
    Hypervisor,
    end_guests,
    open_hypervisor,
    require_tools,
)
from assay.platforms.remote.image import bring_image
from assay.platforms.remote.port import pick_port_there
from assay.platforms.remote.refused import why_not_there
from assay.scenes import Guest, Scene, made_elsewhere

if TYPE_CHECKING:
    from assay.activities.events import Watcher
    from assay.machines.ssh.door import SshDoor
    from assay.model.activity import PlannedGuest
    from assay.model.platforms.layout import GuestShare
    from assay.platforms.leftovers.clean import Leftover


@dataclass
class RemoteSite:
    """A hypervisor that an activity holds, ready for its guests.

    Attributes:
        hypervisor: The machine.
        door: To it; guests are reached through it.
        activity: Identity of the activity.
        images: The images that its guests boot, as they lie there, by digest.
        accelerator: What runs guests' instructions there.
    """

    hypervisor: Hypervisor
    door: SshDoor
    activity: str
    images: Mapping[str, Image]
    accelerator: Accelerator

    def boot(self, wanted: PlannedGuest, share: GuestShare, name: str) -> RemoteGuest:
        """Make a guest on its share of an arm's processors and memory."""
        spec = GuestSpec(
            name=name,
            activity=self.activity,
            vcpus=len(share.cpus),
            memory_bytes=share.memory_bytes,
            cpus=share.cpus,
            disk_cache=wanted.disk_cache,
            image=self.images[wanted.image],
            accelerator=self.accelerator,
            tap=None,
            address=None,
            port=pick_port_there(self.hypervisor.door),
            folder=self.hypervisor.home / "guests" / name,
            settings=wanted.settings,
        )
        return start_remote_guest(self.hypervisor, spec)

    def clear(self) -> None:
        """End guests that nobody needs any more; raises ``ClaimedError`` where one is needed."""
        end_guests(self.hypervisor, self.activity)

    def find(self, name: str) -> RemoteGuest | None:
        """Find a guest that an earlier process made."""
        return find_remote_guest(self.hypervisor, name)


def is_remote(arm: PlannedArm) -> bool:
    """Tell whether an arm's guests are made on another machine than this one."""
    return arm.guest is not None and arm.machine.reach is not Reach.LOCAL


def guests_here(plan: ActivityPlan) -> bool:
    """Tell whether guests of an activity are made on this machine."""
    return any(arm.guest is not None and not is_remote(arm) for arm in plan.arms)


@contextmanager
def remote_site(plan: ActivityPlan, machine: Machine, home: Path, watcher: Watcher) -> Iterator[RemoteSite]:
    """Hold a hypervisor of an activity, with the images of its guests there.

    Raises:
        MissingError: QEMU or libvirt is not there, or we are not root.
        UnreachableError: The machine cannot be reached.
        ClaimedError: Guests of another activity run there.
    """
    watcher.step(f"reaching the hypervisor on {machine.name}")
    with (
        ssh_door(machine, home) as door,
        open_hypervisor(door, machine, home=home) as hypervisor,
        remote_claim(door, hypervisor.home, plan.id),
    ):
        guests = [arm.guest for arm in plan.arms if arm.guest is not None and arm.machine == machine]
        images = _bring_images(hypervisor, guests, watcher)
        first = next(iter(images.values()))
        accelerator = choose_remote_accelerator(hypervisor, first, activity=plan.id)
        watcher.step(accelerator.why)
        yield RemoteSite(hypervisor, door, plan.id, images, accelerator)


def _bring_images(
    hypervisor: Hypervisor, guests: Iterable[PlannedGuest], watcher: Watcher
) -> Mapping[str, Image]:
    home = hypervisor.here
    digests = dict.fromkeys(guest.image for guest in guests)
    return {
        digest: bring_image(hypervisor.door, image_by_digest(home, digest), hypervisor.home, say=watcher.step)
        for digest in digests
    }


@contextmanager
def ssh_door(machine: Machine, home: Path) -> Iterator[SshDoor]:
    """Open the door to another machine.

    Raises:
        UnreachableError: It cannot be reached, or its host key is refused.
    """
    door = open_door(machine, home=home, connect_timeout_s=CONNECT_S)
    try:
        yield door  # type: ignore[misc]  # by SSH, as it is not this machine
    finally:
        door.close()


@contextmanager
def remote_host(machine: Machine, home: Path) -> Iterator[RemoteHost]:
    """Look at another machine as a carrier of guests, and make sure that its libvirt answers.

    Raises:
        MissingError: QEMU or libvirt is not there, or we are not root.
        UnreachableError: The machine cannot be reached.
    """
    with ssh_door(machine, home) as door:
        host = RemoteHost(door)
        require_tools(host, machine.name)
        with remote_connection(door, machine, home=home):
            yield host


def clean_machine(machine: Machine, home: Path, *, dry_run: bool) -> tuple[tuple[Leftover, bool], ...]:
    """Return what crashes left of our guests on another machine, each with whether it was removed.

    Raises:
        AssayError: It is this machine.
        MissingError: QEMU or libvirt is not there, or we are not root.
        UnreachableError: The machine cannot be reached.
    """
    if machine.reach is Reach.LOCAL:
        msg = f"cannot clean up on {machine.name} from afar: it is this machine"
        raise AssayError(msg, hint="assay platform clean")
    with ssh_door(machine, home) as door, open_hypervisor(door, machine, home=home) as hypervisor:
        left = leftovers_there(hypervisor)
        removed = () if dry_run else clean_there(hypervisor)
    return tuple((item, item in removed) for item in left)


def check_remote(scene: Scene, machine: Machine) -> None:
    """Refuse what a baseline on another machine cannot have beside its guests, itself, and places that a
    service makes.

    Raises:
        AssayError: The first of it, with the reason.
    """
    plain = scene.baseline_guest is None and scene.baseline_container is None
    if not (plain and (scene.on_itself or made_elsewhere(scene))):
        check_remote_guests(scene, machine)
    elif scene.data is not None and not scene.several_machines:
        msg = f"cannot use data on {machine.name}: their servers and folders are on this machine only"
        raise MissingError(msg, hint="measure with baseline: {machine: local} on that machine")


def check_remote_guests(scene: Scene, machine: Machine) -> Guest:
    """Refuse what guests on another machine cannot have; returns the first treatment.

    Raises:
        AssayError: The first of it, with the reason.
    """
    guests = [one for one in (*scene.guests, scene.baseline_guest) if one is not None]
    if not isinstance(scene.treatment, Guest) or scene.baseline_container is not None:
        msg = f"cannot use {machine.name} as baseline: only guests are made on another machine"
        raise AssayError(msg, hint="treatment: {platform: guest}, or baseline: {machine: local}")
    for guest in guests:
        check_drivers(guest)
        refused = _not_there(scene, guest)
        if refused is not None:
            what, why = refused
            msg = f"cannot use {what} for guests on {machine.name}: {why}"
            raise MissingError(msg, hint="measure with baseline: {machine: local} on that machine")
    return scene.treatment


def _not_there(scene: Scene, guest: Guest) -> tuple[str, str] | None:
    """Return the first thing that a guest on another machine cannot have, with the reason."""
    if scene.data is not None:
        return "data", "their servers and folders are on this machine only"
    if guest.restored:
        return "a saved state", "states are saved and restored on this machine only"
    return why_not_there(name for name, _ in guest.settings)
