"""What crashes left of ours, and its removal: by mark, and never a guest that holds a record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.model.files.activities import activity_folder
from assay.model.files.marker import may_go
from assay.places.catalogue import PLACES
from assay.platforms.bench_network.network import (
    network_in_use,
    network_owner,
    network_token,
    network_tokens,
    remove_network,
)
from assay.platforms.claims import Collected, forget_dead, is_live, live_activities, not_known
from assay.platforms.containers.leftover import end_container, left_containers
from assay.platforms.containers.spec import read_note
from assay.platforms.daemon.daemon import stop_idle_daemons
from assay.platforms.daemon.state import kept_aside, read_state
from assay.platforms.data_servers.serve import end_data, holds_trial, left_data
from assay.platforms.errors import DamagedJournalError, asking_libvirt
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.guests.domains import remove_domain
from assay.platforms.guests.specfile import read_activity
from assay.platforms.host.journal import read_changes
from assay.platforms.host.undo import ROOT_RESTORES, Outcome, Undone, look, restore_ours
from assay.platforms.leftovers.groups import group_processes, is_new, our_groups, remove_group
from assay.platforms.libvirt.traces import domains_of, passing_connection
from assay.platforms.plugin_places import Note, left_places, remove_place
from assay.platforms.saved_states.saved_store import half_saved

_ROOT_CLEANS = "sudo assay platform clean"
_UNKNOWN_NETWORK = (
    "named like a network of assay, but no note tells who made it; look at it: ip link; ip netns"
)


@dataclass(frozen=True)
class Leftover:
    """One thing of ours that no living process of assay holds.

    Attributes:
        kind: ``guest``, ``container``, ``place``, ``folder``, ``network``, ``group``, ``daemon`` or ``host
            setting``.
        name: Name of the domain or container, path, or mark of the network.
        why: One sentence: why it is there, and for one that stays, what to do.
        removable: ``clean`` removes it.
    """

    kind: str
    name: str
    why: str
    removable: bool = True


@asking_libvirt("look for leftovers")
def leftovers(home: Path, *, subreaper: Path, collected: Collected = not_known) -> tuple[Leftover, ...]:
    """Return what was left; changes nothing, and asks libvirt only where guests may be.

    Args:
        home: Folder of assay's state.
        subreaper: The native probe, for a daemon that has to be started to look into.
        collected: Tells of a home and an activity whether all its records are home.

    Raises:
        MissingError: there may be guests, but libvirt is not there or refuses this user.
    """
    guests = _guests(home, subreaper, collected)
    going = {token for guest in guests if guest.removable for token in _network_of(home, guest)}
    folders = _folders(home, {guest.name for guest in guests})
    held = any(not guest.removable for guest in guests)
    daemon, boxes = _daemon(held=held), [*_containers(home), *_plugin_places(home)]
    return (*guests, *boxes, *folders, *_networks(going), *_groups(home), *daemon, *_host_settings(home))


@asking_libvirt("clean up")
def clean(home: Path, *, subreaper: Path, collected: Collected = not_known) -> tuple[Leftover, ...]:
    """Remove what was left and can be removed; what a living process holds is not touched.

    Args:
        home: Folder of assay's state.
        subreaper: The native probe.
        collected: As for ``leftovers``.

    Returns:
        What was removed.

    Raises:
        MissingError: as ``leftovers``; or not root where a network was left.
    """
    removable = [item for item in leftovers(home, subreaper=subreaper, collected=collected) if item.removable]
    _remove_guests(home, subreaper, collected, {item.name for item in removable if item.kind == "guest"})
    removed = tuple(item for item in removable if _remove(home, item))
    forget_dead(home)
    return removed


def _network_of(home: Path, guest: Leftover) -> tuple[str, ...]:
    activity = read_activity(home / "guests" / guest.name)
    return () if activity is None else (network_token(activity),)


def _remove(home: Path, item: Leftover) -> bool:
    """Remove one thing, and tell whether it is gone; guests are by now."""
    return item.kind == "guest" or _REMOVERS[item.kind](home, item.name)


def _remove_folder(home: Path, path: str) -> bool:
    """Remove a folder, of an activity's data with their servers, and tell whether nothing of it is left."""
    folder = Path(path)
    if folder.parent == (home / "data").resolve():
        # asked again: an activity may have taken it up since it was listed
        return folder in left_data(home) and end_data(folder, home=home)
    return remove_folder(folder)


def _remove_container(home: Path, name: str) -> bool:
    folder = home / "containers" / name
    end_container(folder, read_note(folder))
    return True


def _remove_place(home: Path, name: str) -> bool:
    for folder, note in left_places(home):
        if folder.name == name:
            if note is None:
                remove_folder(folder)
            else:
                remove_place(note)
    return not (home / "places" / name).exists()


def _remove_network(_home: Path, token: str) -> bool:
    if network_in_use(token):  # a guest came to it since it was listed
        return False
    remove_network(token)
    return True


def _restore(home: Path, path: str) -> bool:
    restore_ours(home)  # all of them with the first, in their order
    return path not in {change.path for change in read_changes(home)}


_REMOVERS: Mapping[str, Callable[[Path, str], bool]] = {
    "container": _remove_container,
    "place": _remove_place,
    "folder": _remove_folder,
    "network": _remove_network,
    "group": lambda _home, path: remove_group(Path(path)),
    "daemon": lambda _home, _name: stop_idle_daemons(),
    "host setting": _restore,
}
"""By kind: removes the one of that name, and tells whether it is gone."""


def _guests(home: Path, subreaper: Path, collected: Collected = not_known) -> list[Leftover]:
    with passing_connection(home, subreaper=subreaper) as connection:
        if connection is None:
            return []
        marks = [(str(domain.name()), mark) for domain, mark in domains_of(connection, home)]
    return [
        _pending(name, mark.activity)
        if mark.pending and not collected(home, mark.activity)
        else Leftover("guest", name, f"left by activity {mark.activity}")
        for name, mark in marks
        if not is_live(home, mark.activity)
    ]


def _pending(name: str, activity: str) -> Leftover:
    why = f"holds a record not yet collected; assay activity resume {activity}"
    return Leftover("guest", name, why, removable=False)


def _remove_guests(home: Path, subreaper: Path, collected: Collected, names: set[str]) -> None:
    if not names:
        return
    with passing_connection(home, subreaper=subreaper) as connection:
        for domain, mark in domains_of(connection, home) if connection is not None else []:
            name = str(domain.name())
            # asked again: an activity may have taken it up, or marked it, since it was listed
            held = mark.pending and not collected(home, mark.activity)
            if name in names and not held and not is_live(home, mark.activity):
                remove_domain(domain)
                remove_folder(home / "guests" / name)


def _folders(home: Path, guests: set[str]) -> list[Leftover]:
    folders = []
    for folder in filter(may_go, sorted((home / "guests").glob("*"))):
        activity = read_activity(folder)
        held = bool(live_activities(home)) if activity is None else is_live(home, activity)
        if folder.name not in guests and not held:
            folders.append(Leftover("folder", str(folder), "the disk of a guest that is gone"))
    return [*folders, *_scratch(home), *_half_saved(home), *_data(home)]


def _data(home: Path) -> Iterator[Leftover]:
    for folder in left_data(home):
        kept = holds_trial(home, folder.name)
        why = f"read by a trial not yet collected; assay activity resume {folder.name}"
        yield Leftover("folder", str(folder), why if kept else "an activity's data", removable=not kept)


def _half_saved(home: Path) -> list[Leftover]:
    why = "a guest's state that was not saved to its end"
    return [Leftover("folder", str(path), why) for path in half_saved(home)]


def _containers(home: Path) -> list[Leftover]:
    notes = ((folder.name, note) for folder, note in left_containers(home))
    return [
        Leftover("container", name, f"left by activity {note.activity}" if note else "was never started")
        for name, note in notes
    ]


def _plugin_places(home: Path) -> list[Leftover]:
    return [_plugin_place(folder, note) for folder, note in left_places(home)]


def _plugin_place(folder: Path, note: Note | None) -> Leftover:
    if note is None:
        return Leftover("place", folder.name, "was never started")
    if note.kind not in PLACES:
        why = f"no plug-in adds '{note.kind}', which would remove it; install it, and clean again"
        return Leftover("place", folder.name, why, removable=False)
    return Leftover("place", folder.name, f"left by activity {note.activity}")


def _scratch(home: Path) -> Iterator[Leftover]:
    """Yield folders in which trials of activities worked that no process conducts any more."""
    for folder in filter(may_go, sorted((home / "work").glob("*"))):
        activity = folder.name
        if not is_live(home, activity):
            # what is under way may have left a record in it
            kept = (activity_folder(home, activity) / "inflight.json").exists()
            why = f"holds a trial not yet collected; assay activity resume {activity}"
            yield Leftover("folder", str(folder), why if kept else "a trial's scratch", removable=not kept)


def _networks(going: set[str]) -> list[Leftover]:
    networks = []
    for token in network_tokens():
        owner = network_owner(token)
        if owner is None:
            networks.append(Leftover("network", token, _UNKNOWN_NETWORK, removable=False))
            continue
        if owner.live:
            continue
        made = f"made for {owner.name}"
        # a guest whose tap is taken away spins; one that goes itself lets go of it
        used = network_in_use(token) and token not in going
        why = f"{made}; a guest is still on it" if used else made
        roots = "" if os.geteuid() == 0 else f"; it is root's: {_ROOT_CLEANS}"
        networks.append(Leftover("network", token, why + roots, removable=not used and not roots))
    return networks


def _groups(home: Path) -> list[Leftover]:
    if live_activities(home):
        return []
    groups = []
    # a group is empty for a moment before its trial starts, also one of another home
    for group in (group for group in our_groups() if not is_new(group)):
        pids = group_processes(group)
        why = f"{len(pids)} processes still run in it" if pids else "no process runs in it"
        others = "" if os.access(group.parent, os.W_OK) else f"; it is another user's: {_ROOT_CLEANS}"
        groups.append(Leftover("group", str(group), why + others, removable=not pids and not others))
    return groups


def _daemon(*, held: bool) -> list[Leftover]:
    try:
        return [*_daemon_left(held=held), *map(_damaged, kept_aside())]
    except DamagedJournalError as error:
        return [Leftover("daemon", str(error.file), f"{error.message}; {error.hint}", removable=False)]


def _damaged(file: Path) -> Leftover:
    why = f"damaged, and kept aside: daemons of ours may run, or /dev/kvm be lent; look, then: rm {file}"
    return Leftover("daemon", str(file), why, removable=False)


def _daemon_left(*, held: bool) -> list[Leftover]:
    state = read_state()
    if state is None or state.live_users:
        return []
    name, what = ("libvirtd", "started") if state.running else ("/dev/kvm", "lent to group kvm")
    needed = "; a guest that holds a record needs it" if held else ""
    return [
        Leftover("daemon", name, f"{what} by a process of assay that is gone{needed}", removable=not held)
    ]


def _host_settings(home: Path) -> list[Leftover]:
    try:
        return _settings_left(home)
    except DamagedJournalError as error:
        return [Leftover("host setting", str(error.file), f"{error.message}; {error.hint}", removable=False)]


def _settings_left(home: Path) -> list[Leftover]:
    left = (one for one in look(home) if one.undone is not Undone.HELD)
    ours = read_changes(home)
    return [_host_setting(one, removable=one.change in ours) for one in left]


def _host_setting(one: Outcome, *, removable: bool) -> Leftover:
    why = one.reported if removable else f"{one.reported}; it is root's: {ROOT_RESTORES}"
    return Leftover("host setting", one.change.path, why, removable=removable)
