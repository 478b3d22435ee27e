"""Kills of QEMU: a guest of its own for each, nothing left of it, and figures or a reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities.tuning import kills
from assay.activities.tuning.kills import Wanted, kill_guests
from assay.activities.tuning.records import RECORD_BYTES, make_record
from assay.activities.tuning.writer import FILE, writer_command
from assay.design import plan_trials
from assay.machines import UnreachableError
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, NoRoomError
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.data import DataFile, DataSet
from assay.pages.tuning import Kill
from assay.platforms.claims import is_live
from assay.platforms.errors import GuestBootError, PlatformError
from tests.activities.doubles import Door, Probe, Watcher, visit_at
from tests.builders import plan_of

CURRENT = Wanted("current", None, 0, 0.5)
SAFE = Wanted("safe", 0, 2, 1.5)
DATA = (("data.access", "9p"),)


def arm(label: str) -> PlannedArm:
    guest = PlannedGuest(1, 1 << 30, "none", "aaaa", restored=True)
    return PlannedArm(label, Machine("local"), Limits((1,)), guest=guest, data=DATA)


PLAN = plan_of(
    plan_trials(("spin",), blocks=3, seed=1),
    baseline=arm("guest"),
    treatment=arm("guest with none"),
    data=DataSet((DataFile("f", 1),)),
)


def content(wanted: Wanted, records: int) -> bytes:
    token = f"{PLAN.id}-{wanted.name}-{wanted.number}"
    return b"".join(make_record(token, number) for number in range(records))


@dataclass
class World:
    """Guests that acknowledge four records: what is done with them is noted.

    Attributes:
        disk: What the file holds afterwards; ``None`` where it is gone.
        fails: By the name of an act, how it fails.
    """

    acts: list[Any] = field(default_factory=list)
    disk: bytes | None = b""
    fails: dict[str, BaseException] = field(default_factory=dict)
    plan: Any = None

    def act(self, what: str) -> None:
        self.acts.append(what)
        if what.partition(" ")[0] in self.fails:
            raise self.fails[what.partition(" ")[0]]

    # What stands for an environment.
    def open(self) -> None:
        self.act("open")

    def close(self) -> None:
        self.act("close")

    def end_left(self) -> None:
        self.act("end left")

    @contextmanager
    def visit(self, trial: Any) -> Iterator[Any]:
        label = self.plan.arm_of(trial).label
        self.act(f"boot {label}")
        try:
            yield visit_at(Door(name=label), Probe(), guest="guest", talk=self.talk)
        finally:
            self.acts.append(f"destroy {label}")

    def talk(self, command: list[str]) -> Any:
        assert command == writer_command("/far/0123abcd")
        return SimpleNamespace(close=lambda: self.acts.append("hang up"))

    def write(self, channel: Any, token: str, *, after_s: float, kill: Any) -> int:
        del channel
        self.act(f"write {token} for {after_s}")
        kill()
        return 4 * RECORD_BYTES

    @contextmanager
    def again(self, guest: Any, label: str, activity: str, *, home: Path) -> Iterator[Any]:
        del home
        assert (guest, activity) == ("guest", PLAN.id)
        self.act(f"look at {label}")
        yield visit_at(Door(name=label), self)

    def size(self, path: str) -> int | None:
        assert path == f"/far/0123abcd/{FILE}"
        return None if self.disk is None else len(self.disk)

    def bring(self, path: str, here: Path) -> None:
        self.act(f"bring {path}")
        here.write_bytes(self.disk or b"")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()

    def environment(plan: Any, *_: Any) -> World:
        made.plan = plan
        return made

    monkeypatch.setattr(kills, "Environment", environment)
    monkeypatch.setattr(kills, "qemu_of", lambda _guest: "its QEMU")
    monkeypatch.setattr(kills, "kill_qemu", lambda _guest, qemu: made.act(f"kill {qemu}"))
    monkeypatch.setattr(kills, "start_again", lambda _guest: made.act("start"))
    monkeypatch.setattr(kills, "guest_visit", made.again)
    monkeypatch.setattr(kills, "write_until_killed", made.write)
    return made


def made(home: Path, *wanted: Wanted, watcher: Watcher | None = None) -> list[tuple[Wanted, Kill]]:
    """Make kills, and return what was told of."""
    left, told = list(wanted), []

    def following() -> Wanted | None:
        return left[0] if left else None

    def done(one: Wanted, kill: Kill) -> None:
        told.append((one, kill))
        left.remove(one)

    kill_guests(PLAN, following, done, home=home, watcher=watcher or Watcher())  # type: ignore[arg-type]
    assert not is_live(home, PLAN.id)
    return told


def test_each_kill_has_a_guest_of_its_own_that_is_gone_before_it_is_told_of(
    world: World, tmp_path: Path
) -> None:
    world.disk = content(CURRENT, 4)
    told = made(tmp_path, CURRENT, SAFE)
    assert world.acts == [
        "open",
        "boot guest", "write 0123abcd-current-0 for 0.5", "kill its QEMU", "hang up", "start",
        "look at guest", f"bring /far/0123abcd/{FILE}", "destroy guest",
        "boot guest with none", "write 0123abcd-safe-2 for 1.5", "kill its QEMU", "hang up", "start",
        "look at guest with none", f"bring /far/0123abcd/{FILE}", "destroy guest with none",
        "close",
    ]  # fmt: skip
    assert told == [
        (CURRENT, Kill(0.5, 4 * RECORD_BYTES, 0, 0)),
        (SAFE, Kill(1.5, 4 * RECORD_BYTES, 4 * RECORD_BYTES, 4 * RECORD_BYTES)),
    ]


def test_guests_boot_without_the_data_and_the_scripts_of_their_scene(world: World, tmp_path: Path) -> None:
    made(tmp_path, CURRENT)
    assert (world.plan.data, world.plan.scripts) == (None, ())
    assert [(one.data, one.boots) for one in world.plan.arms] == [((), True)] * 2
    assert world.plan.workloads == PLAN.workloads


def test_a_file_that_is_cut_off_or_gone_has_lost_what_is_missing(world: World, tmp_path: Path) -> None:
    world.disk = content(CURRENT, 3)[:-1]
    ((_, kill),) = made(tmp_path, CURRENT)
    assert (kill.lost_bytes, kill.damaged_bytes) == (2 * RECORD_BYTES, RECORD_BYTES - 1)
    world.disk = None
    ((_, kill),) = made(tmp_path, CURRENT)
    assert (kill.lost_bytes, kill.damaged_bytes) == (4 * RECORD_BYTES, 0)


@pytest.mark.parametrize(
    ("act", "error", "acknowledged"),
    [
        ("boot", GuestBootError("g", "it gave up", log=Path("/l"), last_lines=()), None),
        ("write", UnreachableError("cannot talk with sh", machine="g"), None),
        ("kill", PlatformError("cannot kill QEMU: another user's"), None),
        ("start", GuestBootError("g", "it gave up", log=Path("/l"), last_lines=()), 4 * RECORD_BYTES),
        ("look", UnreachableError("cannot reach g", machine="g"), 4 * RECORD_BYTES),
        ("bring", UnreachableError("cannot get records", machine="g"), 4 * RECORD_BYTES),
    ],
)
def test_a_kill_that_fails_says_why_has_no_figure_that_was_not_seen_and_leaves_no_guest(
    world: World, tmp_path: Path, act: str, error: AssayError, acknowledged: int | None
) -> None:
    world.fails[act] = error
    ((_, kill),) = made(tmp_path, CURRENT)
    assert kill == Kill(0.5, acknowledged, None, None, error.message)
    assert world.acts[-1] == "close"
    assert act == "boot" or world.acts[-2] == "destroy guest"


def test_a_full_disk_ends_it_so_that_it_can_be_gone_on_with(world: World, tmp_path: Path) -> None:
    world.fails["boot"] = NoRoomError("cannot make the guest's disk")
    with pytest.raises(NoRoomError):
        made(tmp_path, CURRENT)
    assert world.acts[-1] == "close"
    assert not is_live(tmp_path, PLAN.id)


@pytest.mark.parametrize("act", ["open", "boot", "write", "start", "look", "bring"])
def test_a_stop_at_any_act_leaves_no_guest_and_tells_of_no_kill(
    world: World, tmp_path: Path, act: str
) -> None:
    world.fails[act] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        made(tmp_path, CURRENT)
    assert world.acts[-1] == "close"
    assert act in {"open", "boot"} or world.acts[-2] == "destroy guest"
    assert not is_live(tmp_path, PLAN.id)


def test_where_no_kill_is_left_what_a_former_process_left_is_ended(world: World, tmp_path: Path) -> None:
    watcher = Watcher()
    assert made(tmp_path, watcher=watcher) == []
    assert world.acts == ["end left", "close"]
    world.fails["end"] = PlatformError("cannot look for guests that were left")
    assert made(tmp_path, watcher=watcher) == []
    assert watcher.warned == [
        "a guest of this search may still be there: cannot look for guests that were left"
    ]


def test_an_arm_that_is_no_guest_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="BUG: far is no guest"):
        kills._own(visit_at(Door()))


def test_a_file_that_is_larger_than_what_was_written_is_not_brought(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "MOST_BYTES", 5 * RECORD_BYTES)
    world.disk = bytes(6 * RECORD_BYTES)
    ((_, kill),) = made(tmp_path, Wanted("safe", 0, 0, 1.0))
    assert kill.acknowledged_bytes == 4 * RECORD_BYTES
    assert kill.lost_bytes is None
    assert kill.reason.startswith("cannot read back what a guest wrote")
    assert not any(act.startswith("bring") for act in world.acts)
