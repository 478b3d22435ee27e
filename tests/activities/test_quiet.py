"""Waiting for others to leave the machine alone, against looks that are given."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities import conductor as conducting
from assay.activities import quiet, quiet_look
from assay.activities.conductor import Conductor
from assay.activities.quiet import NotQuietError, others_text, spots_of, wait_quiet
from assay.activities.quiet_look import Look, Spot, far_look, look
from assay.machines.host import connection, governor
from assay.machines.host.connection import parse_own_ticks
from assay.machines.host.heat import Heat, read_heat
from assay.model.activity import ActivityPlan
from assay.model.doubt import Raised
from assay.model.errors import Exit, MissingError
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
        self.busy_now, self.slow = True, tuple[int, ...]()
        monkeypatch.setattr(quiet_look, "look", self.look)
        monkeypatch.setattr(Spot, "seems_quiet", lambda _: not self.busy_now)
        monkeypatch.setattr(quiet.time, "monotonic", lambda: self.now)

    def look(self, cpus: list[int]) -> Look:
        self.now += 1.0
        self.cpus.append(cpus)
        found = self.found.pop(0) if len(self.found) > 1 else self.found[0]
        over = HostOver(1.0, tuple(cpus), **{**dict.fromkeys(("foreign_s", "steal_s"), 0.0), **found},
        throttle_count=0,
                        below_base=None, swap_pages=0, clock_step_s=0.0)  # fmt: skip
        return Look(over, 1.5, self.guests, slow=self.slow)


def plan(**goal: object) -> ActivityPlan:
    return plan_of((), goal=Goal(**{"wait_quiet_s": WAIT_QUIET_S, **goal}))  # type: ignore[arg-type]


def waited(
    asked: ActivityPlan, told: Told, *, run: Any = None, block: int | None = None
) -> tuple[Raised, ...]:
    """Wait for the machines of a plan; those that are not this one run commands by ``run``."""
    runs = {} if run is None else {arm.machine: run for arm in asked.arms}
    return wait_quiet(asked, spots_of(asked, runs), told, block=block)  # type: ignore[arg-type]


def elsewhere(asked: ActivityPlan) -> ActivityPlan:
    """Return a plan with all arms on another machine."""
    there = Machine("n1", Reach.SSH)
    first, second = (replace(arm, machine=there) for arm in (asked.baseline, asked.treatment))
    return replace(asked, baseline=first, treatment=second)


def test_a_plan_of_an_earlier_assay_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, BUSY)
    assert waited(plan_of((), goal=Goal()), Told()) == ()
    assert world.cpus == []


def test_a_quiet_machine_is_looked_at_once_on_all_measured_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, reported = World(monkeypatch, {}), Told()
    assert waited(plan(), reported) == ()
    assert (world.cpus, reported.steps) == ([(1,)], [])


def test_one_that_becomes_quiet_is_waited_for_and_leaves_no_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    world, reported = World(monkeypatch, BUSY, STOLEN, {}), Told()
    assert waited(plan(), reported) == ()
    assert len(world.cpus) == 3
    (step,) = reported.steps
    assert step.startswith("waiting for a quiet machine, 1 min at most: others had 77% of the measured")


def test_one_that_stays_busy_is_begun_on_with_the_median_and_the_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(monkeypatch, {"foreign_s": 0.2}, {"foreign_s": 0.93}, BUSY, guests=("qemu-system-x86",))
    (doubt,) = waited(plan(wait_quiet_s=4.0), Told())
    assert world.now == 105.0  # the first look is before the waiting
    assert doubt.code == "not-quiet"
    assert worded(doubt).sentence == (
        "The machine was not quiet when it began: others had 77% (at most 93%) of the measured "
        "processors' time; load average 1.5; 1 other guest running."
    )


def test_what_a_hypervisor_below_takes_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    World(monkeypatch, STOLEN)
    (doubt,) = waited(plan(wait_quiet_s=1.0), Told())
    assert "the host's own hypervisor took 40% (at most 40%) of" in worded(doubt).sentence


def test_only_a_scene_that_requires_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    World(monkeypatch, BUSY)
    with pytest.raises(
        NotQuietError, match=r"cannot start: the machine is not quiet, .* \(others had 77%"
    ) as caught:
        waited(plan(require_quiet=True, wait_quiet_s=0.0), Told())
    assert caught.value.exit_code is Exit.MISSING
    assert "assay activity resume 0123abcd" in (caught.value.hint or "")


def test_nothing_is_looked_at_where_nobody_waits_or_a_machine_cannot_be_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(monkeypatch, BUSY)
    assert waited(plan(wait_quiet_s=0.0), Told()) == ()
    assert waited(elsewhere(plan()), Told()) == ()
    assert world.cpus == []
    with pytest.raises(MissingError, match="the measured processors of n1 are not known"):
        waited(elsewhere(plan(require_quiet=True)), Told())


def test_each_of_several_machines_is_looked_at_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet_look, "LOOK_S", 0.05)
    monkeypatch.setattr(quiet_look, "look", lambda cpus: Look(HostOver(1.0, cpus, *[0.0] * 6), 0.1, ()))
    both = plan(wait_quiet_s=0.1)
    there = replace(both.treatment, machine=Machine("n1", Reach.SSH))
    both = replace(both, treatment=there)
    spots = spots_of(both, {there.machine: far((100, 0), (130, 0))})
    assert [(spot.machine, spot.run is None) for spot in spots] == [("local", True), ("n1", False)]
    (doubt,) = wait_quiet(both, spots, Told(), patience_s=0.0)  # type: ignore[arg-type]
    assert "when it began: n1: others had " in worded(doubt).sentence


def test_a_visit_that_others_disturb_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    World(monkeypatch, BUSY)
    (doubt,) = waited(plan(wait_quiet_s=2.0), Told(), block=3)
    assert worded(doubt).sentence.startswith("The machine was not quiet before block 3: others had 77%")
    with pytest.raises(NotQuietError, match="cannot go on with block 3: the machine is not quiet"):
        waited(plan(require_quiet=True, wait_quiet_s=0.0), Told(), block=3)


def test_a_governor_that_keeps_it_slow_is_said_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    world, reported = World(monkeypatch, {}), Told()
    world.slow = (1,)
    (doubt,) = waited(plan(), reported)
    assert "the governor powersave keeps processor 1 at the lowest frequency" in worded(doubt).sentence
    assert (len(world.cpus), reported.steps) == (1, [])
    with pytest.raises(MissingError, match="the governor powersave"):
        waited(plan(require_quiet=True), Told())
    own = plan()
    own = replace(own, treatment=replace(own.treatment, host_settings=(("host.governor", "powersave"),)))
    assert waited(own, Told()) == ()


def test_the_time_is_for_all_sessions_and_each_finding_is_kept_with_the_plan(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(conducting, "wait_quiet", wait_quiet)
    world, reported = World(monkeypatch, BUSY), Told()
    busy = plan(wait_quiet_s=5.0)
    write_activity(tmp_path, busy)
    conductor = Conductor(busy, folder=tmp_path, home=tmp_path, store=None, watcher=reported)  # type: ignore[arg-type]
    spots = spots_of(busy, {})
    conductor._wait_quiet(spots)
    first = world.now
    conductor._wait_quiet(spots)
    assert (first - 100, world.now - first) == (6.0, 1.0)  # the second session has no patience left: one look
    assert [code for code, _ in read_activity(tmp_path).doubts] == ["not-quiet", "not-quiet"]
    assert len(reported.warnings) == 2
    conductor._wait_before_visit(spots, 1)
    assert (world.now - first, len(reported.warnings)) == (1.0, 2)  # told in this session, and no time left


def test_before_a_visit_one_read_tells_whether_to_look_and_not_too_often(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(conducting, "wait_quiet", wait_quiet)
    world, reported, asked = World(monkeypatch, {}, BUSY), Told(), plan(wait_quiet_s=5.0)
    write_activity(tmp_path, asked)
    conductor = Conductor(asked, folder=tmp_path, home=tmp_path, store=None, watcher=reported)  # type: ignore[arg-type]
    spots = spots_of(asked, {})
    world.busy_now = False
    conductor._wait_before_visit(spots, 0)
    assert world.cpus == []
    world.busy_now = True
    conductor._wait_before_visit(spots, 1)
    conductor._wait_before_visit(spots, 2)
    assert (len(world.cpus), reported.warnings) == (1, [])
    world.now += quiet.VISITS_S
    conductor._wait_before_visit(spots, 3)
    (warned,) = reported.warnings
    assert warned.startswith("The machine was not quiet before block 3: others had 77%")
    assert [code for code, _ in read_activity(tmp_path).doubts] == ["not-quiet"]


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
    monkeypatch.setattr(quiet_look.time, "sleep", tick)
    found = look([1], root=tmp_path)
    assert (found.over.foreign_s, found.over.steal_s) == pytest.approx((0.6, 0.05))
    assert found.guests == ("qemu-system-x86",)


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the load out of what is said."""
    monkeypatch.setattr(quiet_look.os, "getloadavg", lambda: (1.5, 0.0, 0.0))


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
    monkeypatch.setattr(quiet_look, "LOOK_S", 0.05)
    seen = far_look([0, 1], far((100, 0), (130, 20)))
    assert seen.over.foreign_s == pytest.approx(0.6)
    assert seen.over.steal_s == pytest.approx(0.2)
    assert (seen.load, seen.guests) == (1.5, ("qemu-system-x86",))
    assert not seen.quiet


def test_another_machine_is_waited_for_as_this_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet_look, "LOOK_S", 0.05)
    busy = far((100, 0), (130, 0), (130, 0), (130, 0))
    assert waited(elsewhere(plan()), Told(), run=busy) == ()
    strict = plan(require_quiet=True, wait_quiet_s=0.0)
    with pytest.raises(NotQuietError, match="others had "):
        waited(elsewhere(strict), Told(), run=far((100, 0), (200, 0)))


def test_a_machine_that_tells_nothing_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet_look, "LOOK_S", 0.05)
    seen = far_look([7], far((100, 0), (130, 0), load="", names=""))
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
    monkeypatch.setattr(quiet_look, "LOOK_S", 0.05)
    seen = far_look([0, 1], far((100, 0), (100, 0), heat=heat))
    assert (seen.hot, seen.quiet) == (said is not None, said is None)
    assert said is None or said in others_text([seen])


def test_the_sensors_of_this_machine_are_looked_at(tmp_path: Path) -> None:
    chip = tmp_path / "sys/class/hwmon/hwmon0"
    chip.mkdir(parents=True)
    for name, value in (("temp1_input", 50_000), ("temp1_crit", 100_000), ("temp2_input", 99_000)):
        (chip / name).write_text(f"{value}\n")
    assert read_heat(tmp_path) == Heat(50.0, 100.0)
    assert read_heat(tmp_path / "none") is None


OWN = "{word} {pid} ({name}) S 1 1 1 0 -1 4 1 0 0 0 {user} 0 {waited} 0 20 0 1 0 5 0 0\n"


def owned(sh: int, session: int, waited: int, probe: int = 0) -> str:
    """Return what is told of a connection with these ticks."""
    return (
        OWN.format(word="own", pid=9, name="sh", user=sh, waited=0)
        + OWN.format(word="own", pid=8, name="sshd-session", user=session, waited=waited)
        + OWN.format(word="beside", pid=7, name="assay probe)", user=probe, waited=999)
        + OWN.format(word="own", pid=6, name="sshd", user=1, waited=5000)
    )


def test_what_our_own_connection_takes_is_not_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet_look, "LOOK_S", 0.05)
    run = far((100, 0), (130, 0), heat=(owned(1, 10, 20), owned(2, 15, 30, probe=4)))
    assert far_look([0, 1], run).over.foreign_s == pytest.approx(0.6 - 0.20)
    told_once = far((100, 0), (130, 0), heat=(owned(1, 10, 20), ""))
    assert far_look([0, 1], told_once).over.foreign_s == pytest.approx(0.6)


@pytest.mark.parametrize(
    "lines",
    [
        "own",
        "own 1 (sshd) S 1",
        "own 9 (sh) S 1 1 1 0 -1 4 1 0 0 0 5 5 5 5 20",
        "beside x",
        "own 1 (sshd) S " + "x " * 20,
    ],
)
def test_a_connection_that_is_not_told_has_nothing(lines: str) -> None:
    assert parse_own_ticks([lines]) == 0


def test_the_shell_tells_of_itself_and_of_what_is_above_it_up_to_sshd(tmp_path: Path) -> None:
    sshd, spin = tmp_path / "sshd", "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
    shutil.copy("/bin/sh", sshd)  # its name is what it is known by
    session = f"sleep 60 & ({spin}); sh -c '{connection.SCRIPT}'; kill $!"
    done = subprocess.run([sshd, "-c", session], capture_output=True, check=True, text=True)
    lines = done.stdout.splitlines()
    names = [line.partition(" (")[2].partition(")")[0] for line in lines]
    assert names[:3] == ["sh", "sshd", "sleep"]
    assert (lines[2].split()[0], done.stderr) == ("beside", "")
    assert parse_own_ticks(lines) > 0
    alone = subprocess.run(["sh", "-c", connection.SCRIPT], capture_output=True, check=True, text=True)
    assert alone.stdout.startswith("own ")


def test_only_a_driver_that_does_not_go_up_under_powersave_keeps_processors_slow(tmp_path: Path) -> None:
    told = [
        "governor 0 powersave acpi-cpufreq",
        "governor 1 powersave intel_pstate",
        "governor 2 performance acpi-cpufreq",
        "governor 3 powersave amd-pstate",
        "governor 9 powersave acpi-cpufreq",
        "governor x powersave y",
        "governor",
    ]
    assert governor.parse_slow(told, (0, 1, 2, 3)) == (0, 3)
    folder = tmp_path / "sys/devices/system/cpu/cpu1/cpufreq"
    folder.mkdir(parents=True)
    (folder / "scaling_governor").write_text("powersave\n")
    assert governor.read_slow((0, 1), root=tmp_path) == ()
    (folder / "scaling_driver").write_text("acpi-cpufreq\n")
    assert governor.read_slow((0, 1), root=tmp_path) == (1,)


def test_one_read_tells_whether_something_else_runs_now() -> None:
    def seems(running: str, heat: str = "") -> bool:
        return Spot("n1", (0,), lambda *_, **__: f"cpu0 1 0\n{running}\n{heat}".encode()).seems_quiet()

    assert seems("procs_running 2")
    assert not seems("procs_running 3")
    assert not seems("")
    assert not seems("procs_running 1", "heat 95000 100000\n")


def test_the_machines_that_a_session_has_opened_are_those_that_are_looked_at(tmp_path: Path) -> None:
    asked, run = elsewhere(plan()), far((1, 0))
    opened = {asked.baseline.machine: SimpleNamespace(run=run)}
    environment: Any = SimpleNamespace(opened=lambda: opened)

    def spots(of: ActivityPlan) -> tuple[Spot, ...]:
        conductor = Conductor(of, folder=tmp_path, home=tmp_path, store=None, watcher=Told())  # type: ignore[arg-type]
        return conductor._spots(environment)

    assert spots(asked) == (Spot("n1", (1,), run),)
    assert spots(replace(asked, goal=Goal())) == ()
