"""Waiting for others to leave the machine alone, against looks that are given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities import conductor as conducting
from assay.activities import quiet
from assay.activities.conductor import Conductor
from assay.activities.quiet import Look, NotQuietError, wait_quiet
from assay.machines.host.heat import Heat, read_heat
from assay.model.activity import ActivityPlan
from assay.model.errors import Exit
from assay.model.goal import WAIT_QUIET_S, Goal
from assay.model.machines.machine import Machine, Reach
from assay.model.work.disturbance import HostOver
from assay.report.doubts import worded
from assay.store.record import read_activity, write_activity
from tests.builders import plan_of

BUSY, STOLEN = {"foreign_s": 0.77}, {"steal_s": 0.4}


class Told:
    """A watcher that keeps what it is told."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.warnings: list[str] = []

    def step(self, text: str, *, fraction: float | None = None) -> None:
        self.steps.append(text)

    def warn(self, sentence: str) -> None:
        self.warnings.append(sentence)


class World:
    """A clock that only looks move, and what each look finds; the last goes on for ever."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *found: dict[str, float], guests: tuple[str, ...] = ()
    ) -> None:
        self.now, self.cpus, self.found, self.guests = 100.0, [], list(found), guests
        monkeypatch.setattr(quiet, "look", self.look)
        monkeypatch.setattr(quiet.time, "monotonic", lambda: self.now)

    def look(self, cpus: list[int]) -> Look:
        self.now += 1.0
        self.cpus.append(cpus)
        found = self.found.pop(0) if len(self.found) > 1 else self.found[0]
        over = HostOver(1.0, tuple(cpus), **{**dict.fromkeys(("foreign_s", "steal_s"), 0.0), **found},
        throttle_count=0,
                        below_base=None, swap_pages=0, clock_step_s=0.0)  # fmt: skip
        return Look(over, 1.5, self.guests)


def plan(**goal: object) -> ActivityPlan:
    return plan_of((), goal=Goal(**{"wait_quiet_s": WAIT_QUIET_S, **goal}))  # type: ignore[arg-type]


def test_a_plan_of_an_earlier_assay_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, BUSY)
    assert wait_quiet(plan_of((), goal=Goal()), Told()) == ()  # type: ignore[arg-type]
    assert world.cpus == []


def test_a_quiet_machine_is_looked_at_once_on_all_measured_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, reported = World(monkeypatch, {}), Told()
    assert wait_quiet(plan(), reported) == ()  # type: ignore[arg-type]
    assert (world.cpus, reported.steps) == ([[1]], [])


def test_one_that_becomes_quiet_is_waited_for_and_leaves_no_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    world, reported = World(monkeypatch, BUSY, STOLEN, {}), Told()
    assert wait_quiet(plan(), reported) == ()  # type: ignore[arg-type]
    assert len(world.cpus) == 3
    (step,) = reported.steps
    assert step.startswith("waiting for a quiet machine, 1 min at most: others had 77% of the measured")


def test_one_that_stays_busy_is_begun_on_with_the_median_and_the_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(monkeypatch, {"foreign_s": 0.2}, {"foreign_s": 0.93}, BUSY, guests=("qemu-system-x86",))
    (doubt,) = wait_quiet(plan(wait_quiet_s=4.0), Told())  # type: ignore[arg-type]
    assert world.now == 105.0  # the first look is before the waiting
    assert doubt.code == "not-quiet"
    assert worded(doubt).sentence == (
        "The machine was not quiet when it began: others had 77% (at most 93%) of the measured "
        "processors' time; load average 1.5; 1 other guest running."
    )


def test_what_a_hypervisor_below_takes_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    World(monkeypatch, STOLEN)
    (doubt,) = wait_quiet(plan(wait_quiet_s=1.0), Told())  # type: ignore[arg-type]
    assert "the host's own hypervisor took 40% (at most 40%) of" in worded(doubt).sentence


def test_only_a_scene_that_requires_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    World(monkeypatch, BUSY)
    with pytest.raises(
        NotQuietError, match=r"cannot start: the machine is not quiet, .* \(others had 77%"
    ) as caught:
        wait_quiet(plan(require_quiet=True, wait_quiet_s=0.0), Told())  # type: ignore[arg-type]
    assert caught.value.exit_code is Exit.MISSING
    assert "assay activity resume 0123abcd" in (caught.value.hint or "")


def test_nothing_is_looked_at_where_nobody_waits_or_another_machine_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(monkeypatch, BUSY)
    assert wait_quiet(plan(wait_quiet_s=0.0), Told()) == ()  # type: ignore[arg-type]
    far = plan()
    far = replace(far, treatment=replace(far.treatment, machine=Machine("n1", Reach.SSH)))
    assert wait_quiet(far, Told()) == ()  # type: ignore[arg-type]
    assert world.cpus == []
    strict = replace(far, goal=replace(far.goal, require_quiet=True))
    with pytest.raises(NotQuietError, match="cannot require a quiet machine: only one machine"):
        wait_quiet(strict, Told())  # type: ignore[arg-type]


def test_the_time_is_for_all_sessions_and_each_finding_is_kept_with_the_plan(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(conducting, "wait_quiet", wait_quiet)
    world, reported = World(monkeypatch, BUSY), Told()
    busy = plan(wait_quiet_s=5.0)
    write_activity(tmp_path, busy)
    conductor = Conductor(busy, folder=tmp_path, home=tmp_path, store=None, watcher=reported)  # type: ignore[arg-type]
    conductor._wait_quiet()
    first = world.now
    conductor._wait_quiet()
    assert (first - 100, world.now - first) == (6.0, 1.0)  # the second session has no patience left: one look
    assert [code for code, _ in read_activity(tmp_path).doubts] == ["not-quiet", "not-quiet"]
    assert len(reported.warnings) == 2


def test_a_look_reads_what_others_had_meanwhile_and_who_runs_guests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stats = iter(("cpu1 100 0 50 900 0 0 0 10 0 0\n", "cpu1 150 0 60 940 0 0 0 15 0 0\n"))
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/8").mkdir()
    (tmp_path / "proc/7/comm").write_text("qemu-system-x86\n")
    (tmp_path / "proc/8/comm").write_text("bash\n")

    def tick(_: float = 0.0) -> None:
        (tmp_path / "proc/stat").write_text(next(stats))

    tick()
    monkeypatch.setattr(quiet.time, "sleep", tick)
    found = quiet.look([1], root=tmp_path)
    assert (found.over.foreign_s, found.over.steal_s) == pytest.approx((0.6, 0.05))
    assert found.guests == ("qemu-system-x86",)


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the load out of what is said."""
    monkeypatch.setattr(quiet.os, "getloadavg", lambda: (1.5, 0.0, 0.0))


STAT = "cpu0 {0} 0 0 900 0 0 0 {1} 0 0\ncpu1 {0} 0 0 900 0 0 0 0 0 0\n"


def far(
    *stats: tuple[int, int],
    load: str = "1.50 1.2 1.0 1/200 4242",
    names: str = "bash\nqemu-system-x86\n",
    heat: tuple[str, ...] = ("", ""),
):
    """Return what runs commands on a machine that tells these ticks one after the other."""
    left, hot = list(stats), list(heat)

    def run(argv: list[str], *, timeout_s: float) -> bytes:
        assert timeout_s > 0
        if argv[0] == "ps":
            return names.encode()
        return f"{load}\n{STAT.format(*left.pop(0))}{hot.pop(0) if hot else ''}".encode()

    return run


def test_another_machine_is_looked_at_by_what_its_kernel_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "LOOK_S", 0.05)
    seen = quiet.far_look([0, 1], far((100, 0), (130, 20)))
    assert seen.over.foreign_s == pytest.approx(0.6)
    assert seen.over.steal_s == pytest.approx(0.2)
    assert (seen.load, seen.guests) == (1.5, ("qemu-system-x86",))
    assert not seen.quiet


def test_another_machine_is_waited_for_as_this_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "LOOK_S", 0.05)
    busy = far((100, 0), (130, 0), (130, 0), (130, 0))
    assert wait_quiet(plan(), Told(), run=busy) == ()  # type: ignore[arg-type]
    strict = plan(require_quiet=True, wait_quiet_s=0.0)
    with pytest.raises(NotQuietError, match="others had "):
        wait_quiet(strict, Told(), run=far((100, 0), (200, 0)))  # type: ignore[arg-type]


def test_a_machine_that_tells_nothing_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "LOOK_S", 0.05)
    seen = quiet.far_look([7], far((100, 0), (130, 0), load="", names=""))
    assert (seen.over.foreign_s, seen.load, seen.guests, seen.quiet) == (None, 0.0, (), True)


@pytest.mark.parametrize(
    ("heat", "said"),
    [
        (
            ("heat 45000 100000\n", "heat 45000 100000\nheat 91000 100000\n"),
            "a sensor is at 91 °C, of 100 °C",
        ),
        (("throttles 3\nthrottles 4\n", "throttles 3\nthrottles 6\n"), "slowed themselves down 2 times"),
        (("heat 89000 100000\nthrottles 3\n", "heat 89000 100000\nthrottles 3\n"), None),
        (("heat 99000 \nheat 0 0\nheat x y\nheat\n", "heat 99000 \nthrottles\nthrottles -1\n"), None),
    ],
    ids=["near", "throttled", "warm", "nothing told"],
)
def test_a_machine_that_is_hot_is_not_quiet(
    heat: tuple[str, str], said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet, "LOOK_S", 0.05)
    seen = quiet.far_look([0, 1], far((100, 0), (100, 0), heat=heat))
    assert (seen.hot, seen.quiet) == (said is not None, said is None)
    assert said is None or said in quiet.others_text([seen])


def test_the_sensors_of_this_machine_are_looked_at(tmp_path: Path) -> None:
    chip = tmp_path / "sys/class/hwmon/hwmon0"
    chip.mkdir(parents=True)
    for name, value in (("temp1_input", 50_000), ("temp1_crit", 100_000), ("temp2_input", 99_000)):
        (chip / name).write_text(f"{value}\n")
    assert read_heat(tmp_path) == Heat(50.0, 100.0)
    assert read_heat(tmp_path / "none") is None
