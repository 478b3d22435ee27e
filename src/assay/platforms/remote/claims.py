"""Who works with guests of ours on another machine: a process there that ends with the connection.

The claim lies there as this machine's claims lie here (``claims``), so that an assay on that machine sees
that the guests' activity lives, and lets its guests alone.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.model.errors import AssayError
from assay.model.files.json_text import parse_json
from assay.platforms.errors import WAIT, ClaimedError, PlatformError
from assay.platforms.node import BOOT, Claimant, Node, read_claimant
from assay.platforms.process import ProcessMark, stat_fields
from assay.platforms.remote.door import Held, RemoteDoor
from assay.platforms.remote.files import STEP_S, parse_texts, read_texts

_NAME, _BOOT = "/proc/sys/kernel/hostname", str(BOOT)
_HOLD = f'echo $$; cat "/proc/$$/stat" {_NAME} {_BOOT}; exec cat >/dev/null'
"""Says who it is and where, and stays, as the same process, until its input ends."""
_CLAIMS = 'grep -asHZ "" -- "$1"/*.pid; true'


@contextlib.contextmanager
def remote_claim(door: RemoteDoor, home: Path, activity: str) -> Iterator[None]:
    """Hold an activity on another machine while inside.

    Raises:
        ClaimedError: Another activity works with guests there.
    """
    _refuse_second(door, home, activity)
    place = f"{home}/run/{activity}.pid"
    held = door.open(["sh", "-c", _HOLD])
    try:
        _write(door, place, _holder(door, held))
        _refuse_second(door, home, activity)  # again: of two that came at once, each sees the other's now
        yield
    finally:
        with contextlib.suppress(AssayError):  # the machine may be lost
            door.run(["rm", "-f", "--", place], timeout_s=STEP_S)
        held.close()


def _holder(door: RemoteDoor, held: Held) -> Claimant:
    pid, stat = held.receive(STEP_S), held.receive(STEP_S)
    try:
        mark = ProcessMark(int(pid), int(stat_fields(stat.decode())[19]))
        return Claimant(mark, Node(held.receive(STEP_S).decode(), held.receive(STEP_S).decode()))
    except (ValueError, IndexError) as error:
        msg = f"cannot claim guests on {door.name}: expected the number of a process, got {pid[:80]!r}"
        raise PlatformError(msg) from error


def _refuse_second(door: RemoteDoor, home: Path, activity: str) -> None:
    others = [name for name in live_there(door, home, shared=False) if name != activity]
    if others:
        msg = (
            f"cannot start: activity {others[0]} works with guests on {door.name}, and would be "
            "measured with it"
        )
        raise ClaimedError(msg, hint=WAIT)


def live_there(door: RemoteDoor, home: Path, *, shared: bool = True) -> tuple[str, ...]:
    """Return the activities whose guests somebody works with there, sorted.

    Args:
        door: To the machine.
        home: Folder of all state there.
        shared: With those that further machines have claimed in that folder: what is theirs must stay.
    """
    claims = parse_texts(door.run(["sh", "-c", _CLAIMS, "sh", f"{home}/run"], timeout_s=STEP_S))
    by = {Path(name).stem: _claimant(door, name, text) for name, text in claims.items()}
    seen = read_texts(door, _NAME, _BOOT, *(f"/proc/{one.mark.pid}/stat" for one in by.values()))
    there = Node(seen.get(_NAME, "").strip(), seen.get(_BOOT, "").strip())
    others = {name for name, one in by.items() if one.elsewhere(there) is not None}
    own = {name for name, one in by.items() if name not in others and _lives(one, there, seen)}
    return tuple(sorted(own | others if shared else own))


def _claimant(door: RemoteDoor, name: str, text: str) -> Claimant:
    try:
        return read_claimant(parse_json(text))
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        msg = f"cannot read the claim {name} on {door.name}: expected pid and start_ticks, got {text[:80]!r}"
        raise PlatformError(msg, hint=f"where no assay runs on {door.name}: rm {name}") from error


def _lives(claimant: Claimant, there: Node, seen: dict[str, str]) -> bool:
    stat = seen.get(f"/proc/{claimant.mark.pid}/stat")
    alive = stat is not None and _start_ticks(stat) == claimant.mark.start_ticks
    return alive and not claimant.has_gone(there)


def _start_ticks(stat: str) -> int | None:
    """Return when a process was started; ``None`` where the line is none of ``/proc``."""
    try:
        return int(stat_fields(stat)[19])
    except (ValueError, IndexError):
        return None


def _write(door: RemoteDoor, place: str, by: Claimant) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "claim"
        file.write_text(json.dumps(by.as_json()))
        door.put(file, place)
