"""No guest of ours runs: the condition of every trial on the host."""

from __future__ import annotations

from pathlib import Path

from assay.platforms.claims import Collected, is_live, not_known
from assay.platforms.errors import WAIT, ClaimedError, asking_libvirt
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.guests.domains import marked_domains, remove_domain, runs
from assay.platforms.guests.mark import Mark
from assay.platforms.leftovers.others import refuse_others
from assay.platforms.libvirt.traces import domains_of, passing_connection


@asking_libvirt("look for guests that still run")
def end_guests(home: Path, activity: str, *, subreaper: Path, collected: Collected = not_known) -> None:
    """End every running guest of ours that nobody needs, of this home or another.

    Args:
        home: Folder of assay's state.
        activity: The activity that is about to run; guests that it left itself go.
        subreaper: The native probe, for a daemon that has to be started to look into.
        collected: Tells of a home and an activity whether all its records are home.

    Raises:
        ClaimedError: a guest works for a living process, or holds a record not yet collected, or is another
            libvirt's, to which we have no access.
    """
    with passing_connection(home, subreaper=subreaper) as connection:
        for domain, mark in marked_domains(connection) if connection is not None else []:
            if not runs(domain):
                continue
            if (mark.home, mark.activity) != (home, activity):
                _refuse_needed(str(domain.name()), mark, collected)
            remove_domain(domain)
            remove_folder(mark.home / "guests" / str(domain.name()))
    refuse_others()


@asking_libvirt("look for guests that were left")
def end_own_guests(home: Path, activity: str, *, subreaper: Path) -> None:
    """End the guests that an activity left itself: all its records are home.

    Args:
        home: Folder of assay's state.
        activity: The activity.
        subreaper: The native probe, for a daemon that has to be started to look into.
    """
    with passing_connection(home, subreaper=subreaper) as connection:
        for domain, mark in domains_of(connection, home) if connection is not None else []:
            if mark.activity == activity:
                remove_domain(domain)
    remove_guest_folders(home, activity)


def remove_guest_folders(home: Path, activity: str) -> None:
    """Remove the folders of an activity's guests, of which none is there any more: a kill may have spared
    one.
    """
    for folder in (home / "guests").glob(f"assay-{activity}-*"):
        remove_folder(folder)


def _refuse_needed(name: str, mark: Mark, collected: Collected) -> None:
    if is_live(mark.home, mark.activity):
        msg = f"cannot start: guest {name} runs for activity {mark.activity} under {mark.home}"
        raise ClaimedError(msg, hint=WAIT)
    if mark.pending and not collected(mark.home, mark.activity):
        msg = f"cannot start: guest {name} still runs and holds a record of activity {mark.activity}"
        raise ClaimedError(msg, hint=f"assay activity resume {mark.activity}")
