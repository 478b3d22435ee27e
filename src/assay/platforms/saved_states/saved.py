"""Guests saved while they are usable: memory, devices and disk, under the digest of all that they hang on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.factors.base.draft import Draft
from assay.factors.catalogue import apply_to
from assay.factors.data.share import SHARES
from assay.model.files.marker import make_marked
from assay.platforms.durable import write_json
from assay.platforms.errors import PlatformError, asking_libvirt
from assay.platforms.guests.disk import copy_disk
from assay.platforms.guests.domain import bare_draft, draft_guest, to_xml
from assay.platforms.guests.domains import read_mark
from assay.platforms.guests.guest import Guest
from assay.platforms.guests.keys import copy_keys, has_keys
from assay.platforms.guests.mark import Mark
from assay.platforms.guests.spec import HOST_FILESYSTEM, GuestSpec
from assay.platforms.images.stored import BUILDING
from assay.platforms.locks import locked
from assay.platforms.removal import remove_tree, scratch_folder
from assay.platforms.saved_states.memory_state import save_memory
from assay.platforms.saved_states.resume_setup import WORDS, Talk, wake
from assay.platforms.saved_states.saved_store import (
    FORMAT,
    SAVING_S,
    SavedState,
    clear_half_saved,
    read_saved,
    saved_folder,
    saved_lock,
)

if TYPE_CHECKING:
    from libvirt import virConnect

_SAVING_S = 600.0
_LAYOUT = ("memory.", "host.")
"""Groups of factors that take hold while a guest boots and first touches its memory: a state loaded in has
not.
"""


def must_boot(spec: GuestSpec) -> str | None:
    """Return why a guest can be measured only when it has booted; ``None`` where a restored one may serve."""
    shared = (("data.access", spec.share.kind),) if spec.share is not None else ()
    return levels_that_boot((*spec.settings, *shared))


def levels_that_boot(settings: Sequence[tuple[str, str]]) -> str | None:
    """Return why a guest with some levels can be measured only when it has booted; ``None`` as in
    ``must_boot``.
    """
    draft = bare_draft("", mark=Mark("", Path()), accelerator="tcg", vcpus=1, cpus=(0,), disk=Path("disk"))
    draft.disk_depth = 1
    apply_to(draft, {name: level for name, level in settings if name.startswith("disk.")})
    if draft.disk_depth != 1 or HOST_FILESYSTEM in dict(settings):
        return "its disk is not one overlay over its image, and a copy of it would be laid out anew"
    if (way := dict(settings).get("data.access")) in SHARES:
        return f"QEMU does not save a guest with a folder shared by {way}"
    early = [name for name, _ in settings if name.startswith(_LAYOUT)]
    return f"{early[0]} takes hold while it boots" if early else None


def saved_digest(connection: virConnect, spec: GuestSpec) -> str:
    """Return the digest under which a guest of a spec is saved on this machine, as it is now."""
    return _digest(spec, _host(connection))


def find_saved(connection: virConnect, spec: GuestSpec) -> SavedState | None:
    """Return the saved state that a guest of a spec can be restored from; ``None`` where there is none."""
    state = read_saved(spec.home / "saved" / saved_digest(connection, spec))
    return state if state is not None and holds_keys(state, spec) else None


def holds_keys(saved: SavedState, spec: GuestSpec) -> bool:
    """Tell whether a saved state has the keys that its guest needs; those of an earlier assay have none."""
    return not spec.image.keyed or has_keys(saved.folder)


@asking_libvirt("save a guest")
def save_guest(guest: Guest, *, talk: Talk) -> SavedState:
    """Save a usable guest and end it; the one saved before under the same digest is replaced.

    What a restored one will be asked is asked once before: it must work, and its programs are then in memory.

    Args:
        guest: A guest that booted.
        talk: Starts a program in it by SSH.

    Raises:
        PlatformError: it must boot (``must_boot``), holds a record, or QEMU cannot save it. It is ended
            in each case but the first two.
        UnreachableError: it does not answer.
    """
    mark = read_mark(guest.domain)
    why = "it holds a record" if mark is not None and mark.pending else must_boot(guest.spec)
    if why is not None:
        msg = f"cannot save guest {guest.name}: {why}"
        raise PlatformError(msg, hint="start it anew where it is needed")
    host = _host(guest.domain.connect())
    folder = saved_folder(guest.spec.home)
    with locked(saved_lock(guest.spec.home), limit_s=SAVING_S):
        clear_half_saved(folder)
        scratch = scratch_folder(BUILDING, folder)
        try:
            return _save(guest, scratch, host, talk)
        finally:
            guest.destroy()
            remove_tree(scratch)


def _save(guest: Guest, scratch: Path, host: dict[str, str], talk: Talk) -> SavedState:
    spec, digest = guest.spec, _digest(guest.spec, host)
    made, place = scratch / digest, scratch.parent / digest
    make_marked(made)
    with talk(guest.machine, WORDS) as channel:
        wake(channel, name=guest.name)
    guest.domain.suspend()
    save_memory(guest.domain, made / "memory", timeout_s=_SAVING_S)
    copy_disk(spec.disk, made / "disk.img")
    (made / "disk.img").chmod(0o600)
    if spec.image.keyed:
        copy_keys(spec.folder, made)
    size = sum(path.stat().st_blocks * 512 for path in made.iterdir())
    facts = SavedState(
        digest, place, spec.image.digest, spec.vcpus, spec.memory_bytes, time.time(), size, host
    )
    write_json(made / "manifest.json", {**asdict(facts), "folder": spec.home.as_posix(), "format": FORMAT})
    if place.exists():
        remove_tree(place)
    made.rename(place)
    return facts


def _digest(spec: GuestSpec, host: dict[str, str]) -> str:
    """Return the digest of a spec without what may differ between guests of one state: name, ports, cores."""
    same = replace(
        spec,
        name="saved",
        activity="saved",
        folder=spec.home / "guests" / "saved",
        port=1,
        cpus=tuple(range(len(spec.cpus))),
        tap="saved" if spec.tap else None,
    )
    draft: Draft = draft_guest(same)
    parts: list[Any] = [FORMAT, to_xml(draft), spec.image.digest, host]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _host(connection: virConnect) -> dict[str, str]:
    cpuinfo = Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    lines = [line for line in cpuinfo.splitlines() if line.startswith(("model name", "microcode", "flags"))]
    return {
        "kernel": os.uname().release,
        "cpu": hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
        "qemu": str(connection.getVersion()),
        "libvirt": str(connection.getLibVersion()),
    }
