"""Room for a guest's disk on another machine, asked for before anything of it is made."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.model.errors import NoRoomError
from assay.model.units import format_bytes
from assay.platforms.filesystems.room import DiskNeeds
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.files import STEP_S, understood


def require_room_there(door: RemoteDoor, draft: Draft, spec: GuestSpec) -> None:
    """Refuse a disk that there is no room for.

    Raises:
        NoRoomError: there is too little; both figures are in the message.
    """
    image = ["stat", "-c", "%s %b %B", "--", str(spec.image.disk)]
    with understood(door, "the size of a file"):
        size, blocks, unit = map(int, door.run(image, timeout_s=STEP_S).split())
    level = draft.disk_options.get("preallocation", "off")
    needs = DiskNeeds(level, size, held_bytes=blocks * unit, depth=draft.disk_depth)
    table = door.run(["df", "--output=avail", "-B1", "--", str(spec.folder)], timeout_s=STEP_S)
    with understood(door, "a free size"):
        free = int(table.split()[-1])
    if free < needs.folder_bytes:
        needed = needs.folder_bytes
        room = f"{needed} bytes needed ({format_bytes(needed)}), {free} free ({format_bytes(free)})"
        msg = f"cannot make the guest's disk with {needs.levels}: {spec.folder} on {door.name}, {room}"
        raise NoRoomError(msg, hint=f"there: df -h {spec.folder}")
