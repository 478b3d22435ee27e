"""Real guests that run a trial together: two and four of them, staggered, and nothing left after
``kill -9``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.interrupts import Interrupts
from assay.activities.joint.group_run import run_group
from assay.activities.trials.trial import TrialContext
from assay.activities.visits.guests import several_visits
from assay.activities.visits.visit import Visit, machine_visit
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.layout import MIB, Layout
from assay.model.trial import Arm, State, Trial
from assay.model.work.placement import PlacementSpec
from assay.platforms.claims import claim, release
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import GuestSpec, pick_ports
from assay.platforms.leftovers.clean import clean, leftovers
from assay.results.losses.figures import judge_clock
from assay.workloads import command_workload
from tests.builders import plan_of
from tests.live.parts import undisturbed
from tests.platforms.guest_parts import CORE, PROBE, fresh_home, real_image, spec_of

pytestmark = [pytest.mark.live, pytest.mark.long]

ACTIVITY = f"test-layouts-{os.getpid()}"
TRIALS = plan_trials(("job",), blocks=1, seed=1)
TREATED = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)
KILLED = """
import os, signal, sys
from pathlib import Path
from assay.activities.interrupts import Interrupts
from assay.activities.visits.guests import several_visits
from assay.platforms.claims import claim
from assay.platforms.daemon.daemon import libvirt_connection
from tests.activities.joint import test_group_run_live as live
home = Path(sys.argv[1])
live.ACTIVITY = sys.argv[2]
claim(home, live.ACTIVITY)
with libvirt_connection(home, subreaper=live.PROBE) as connection, live.host(home) as here:
    with several_visits(
        connection, live.specs(home, 2), live.arm(2), host=here.probe, interrupts=Interrupts()
    ) as visit:
        tick = lambda: os.kill(os.getpid(), signal.SIGKILL)
        live.group_run(visit, 2, home, Path(sys.argv[3]), tick=tick)
"""


def specs(home: Path, count: int) -> list[GuestSpec]:
    image = real_image()
    plain = spec_of(home, image, activity=ACTIVITY)
    return [
        replace(
            plain, name=f"{plain.name}-{number}", port=port, memory_bytes=384 * MIB,
            folder=home / "guests" / f"{plain.name}-{number}",
        )
        for number, port in enumerate(pick_ports(count))
    ]  # fmt: skip


def arm(count: int, stagger_s: float = 0.0) -> PlannedArm:
    wanted = PlannedGuest(1, count * 384 * MIB, "none", "i", (), Layout(count, stagger_s))
    return PlannedArm(f"{count} guests", Machine("local"), Limits((CORE,)), wanted)


def host(home: Path) -> Any:
    return machine_visit(PlannedArm("host", Machine("local"), Limits((CORE,))), ACTIVITY, home=home)


def group_run(
    visit: Visit, count: int, home: Path, folder: Path, *, stagger_s: float = 0.0, tick: Any = None
) -> Trial:
    """Run a short job of four copies in so many of the guests."""
    plan: ActivityPlan = replace(plan_of(TRIALS), id=ACTIVITY, treatment=arm(count, stagger_s))
    (folder / "trials").mkdir(parents=True)
    job = replace(command_workload("job", ("sleep", "2")), placement=PlacementSpec(copies=4))
    context = TrialContext(plan, folder, Interrupts(), tick or (lambda: None))
    some = replace(visit, beside=visit.beside[: count - 1])
    return run_group(context, some, TREATED, job)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        claim(folder, ACTIVITY)
        yield folder
        release(folder, ACTIVITY)


@pytest.fixture(scope="module")
def four(home: Path) -> Iterator[Visit]:
    with (
        libvirt_connection(home, subreaper=PROBE) as connection,
        host(home) as here,
        several_visits(connection, specs(home, 4), arm(4), host=here.probe, interrupts=Interrupts()) as visit,
    ):
        yield visit


def assert_ran(trial: Trial, count: int) -> None:
    assert (trial.state, trial.cause) == (State.ENDED, None)
    assert len(trial.members) == count
    assert len({one.boot for one in trial.members}) == count
    assert all(one.cpus == (CORE,) and one.memory_bytes == 384 * MIB for one in trial.members)
    assert len(trial.copies) == 4
    assert trial.weight is not None
    assert trial.weight.memory_bytes == count * 384 * MIB
    assert trial.weight.beside_bytes == sum(one.weight.beside_bytes for one in trial.members if one.weight)
    assert trial.hypervisor_cpu is not None


def test_four_guests_run_one_trial_together(four: Visit, home: Path, tmp_path: Path) -> None:
    trial = group_run(four, 4, home, tmp_path / "activity")
    assert_ran(trial, 4)
    for one in trial.members:
        assert one.clock is not None
        assert one.started_s is not None
        known_s = one.clock.before.uncertainty_s + one.clock.after.uncertainty_s
        steady = judge_clock(one.clock).rate is not None
        early = one.started_s < -0.05 - known_s
        assert not early or not undisturbed(left_alone=steady), "released before the common moment"


def test_two_guests_start_one_after_the_other(four: Visit, home: Path, tmp_path: Path) -> None:
    trial = group_run(four, 2, home, tmp_path / "activity", stagger_s=3.0)
    assert_ran(trial, 2)
    first, second = (one.started_s for one in trial.members)
    assert first is not None
    assert second is not None
    assert second - first > 2
    assert trial.usage is not None
    assert trial.usage.wall_s >= 4.5


def test_nothing_is_left_of_guests_whose_controller_was_killed_in_a_trial(tmp_path: Path) -> None:
    with fresh_home() as own:
        activity = f"{ACTIVITY}-killed"
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(own), activity, str(tmp_path / "activity")],
            capture_output=True, text=True, check=False, timeout=200,
        )  # fmt: skip
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert (tmp_path / "activity" / "inflight.json").is_file()
        found = [item for item in leftovers(own, subreaper=PROBE) if item.kind == "guest"]
        assert len(found) == 2
        assert all(item.removable for item in found)
        clean(own, subreaper=PROBE)
        assert [item for item in leftovers(own, subreaper=PROBE) if item.kind != "group"] == []
