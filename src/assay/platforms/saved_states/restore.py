"""A guest from its saved state: under a name, a port and a disk of its own, with the right time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from assay.platforms.errors import PlatformError, asking_libvirt
from assay.platforms.guests.disk import copy_disk
from assay.platforms.guests.domain import draft_guest, to_xml
from assay.platforms.guests.domains import define_domain, start_domain
from assay.platforms.guests.files import lay_keys, lend_files, make_guest_folder
from assay.platforms.guests.guest import Guest, remove_failed, remove_old
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.guests.specfile import write_origin, write_spec
from assay.platforms.host.this_host import ThisHost
from assay.platforms.readback.cpu import node_cpus
from assay.platforms.readers import qemu_group
from assay.platforms.saved_states.memory_state import INCOMING, load_memory
from assay.platforms.saved_states.resume_setup import WORDS, Talk, wake
from assay.platforms.saved_states.saved import holds_keys, must_boot, saved_digest
from assay.platforms.saved_states.saved_store import SavedState

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain

_LOADING_S = 120.0


@asking_libvirt("restore a guest")
def restore_guest(connection: virConnect, saved: SavedState, spec: GuestSpec, *, talk: Talk) -> Guest:
    """Make a guest from a saved state and wait until it is usable; whatever goes wrong, nothing of it is
    left.

    It may run beside others of the same state: name, port, folder, cores and tap are its own. Its processors,
    memory, MAC addresses and what its programs hold are the saved one's; the words on its kernel's command
    line still tell the old name.

    Args:
        connection: libvirt's system daemon.
        saved: ``find_saved`` of this spec.
        spec: What it shall be.
        talk: Starts a program in it by SSH.

    Returns:
        The guest; ``boot_s`` is the time until its clock was set and checked.

    Raises:
        PlatformError: the state is of another spec, image, kernel or QEMU; the guest must boot; libvirt or
            QEMU refuses it; its clock cannot be set; or one of this name runs and holds a record.
        UnreachableError: it does not answer.
    """
    _refuse(connection, saved, spec)
    begun = time.monotonic()
    remove_old(connection, spec)
    make_guest_folder(spec.folder, qemu_group(connection))
    try:
        domain = _load(connection, saved, spec)
        guest = Guest(domain, spec, boot_s=None, saved=saved.digest)
        domain.resume()
        with talk(guest.machine, WORDS) as channel:
            guest.clock = wake(channel, name=spec.name)
    except BaseException as error:
        remove_failed(connection, spec, error)
        raise
    guest.boot_s = time.monotonic() - begun
    return guest


def _refuse(connection: virConnect, saved: SavedState, spec: GuestSpec) -> None:
    why = must_boot(spec)
    if why is None and saved.digest != saved_digest(connection, spec):
        why = "it was saved with other settings, another image, kernel, processor, QEMU or libvirt"
    if why is None and not holds_keys(saved, spec):
        why = "it was saved by an earlier assay, without the guest's keys"
    if why is not None:
        msg = f"cannot restore guest {spec.name} from {saved.digest}: {why}"
        raise PlatformError(msg, hint="boot it, then save it anew")


def _load(connection: virConnect, saved: SavedState, spec: GuestSpec) -> virDomain:
    copy_disk(saved.disk, spec.disk)
    write_spec(spec)
    lay_keys(spec, saved=saved.folder)  # the saved guest has that initrd and that seed, too
    lend_files(spec, qemu_group(connection))
    write_origin(spec.folder, saved.digest)
    draft = draft_guest(spec, nodes=node_cpus(), memory_nodes=ThisHost().nodes)
    draft.qemu_argument(*INCOMING)
    domain = define_domain(connection, spec.name, to_xml(draft))
    start_domain(domain, paused=True)
    load_memory(domain, saved.memory, timeout_s=_LOADING_S)
    return domain
