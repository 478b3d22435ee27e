"""Homes with what pages of results show: names that are scripts, several results, searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.tuning.kept import keep_tuning
from assay.model.activity import ActivityPlan
from assay.model.files.home import mark_home
from assay.model.trial import Arm, Trial
from assay.store.fleet import lane_folder, write_fleet
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.report.tunings import tuning
from tests.results.test_outcome import PLAN, records
from tests.store.test_fleet import FLEET

SCRIPT = "<script>alert(1)</script>"
SEARCH = "89abcdef"


def home_of(
    home: Path,
    *plans: ActivityPlan,
    change: Callable[[Trial], Trial] = lambda one: one,
    trials: Sequence[Trial] | None = None,
) -> Path:
    """Make a home with a result of each plan, of records that are given or of those of the plain one."""
    home.mkdir(exist_ok=True)
    for plan in plans:
        folder = home / "activities" / plan.id
        for record in trials or records():
            place = folder / "trials" / record.planned.name
            place.mkdir(parents=True)
            write_trial(place, change(replace(record, activity=plan.id)))
            (place / "stdout").write_text(f"said {SCRIPT}\n")
        write_activity(folder, plan)
        store = Store(home)
        store.import_folder(folder)
        store.close()
    mark_home(home)
    return home


def fleet_home(home: Path) -> Path:
    """Make a home with a result of three machines, of which two were measured and the last never was."""
    folder = home / "activities" / FLEET.id
    folder.mkdir(parents=True)
    write_fleet(folder, FLEET)
    for lane, slower in zip(FLEET.lanes, (1.0, 1.1), strict=False):
        own = lane_folder(folder, lane)
        for record in records():
            rate = slower if record.planned.arm is Arm.BASELINE else slower**1.05
            measured = [replace(one, value=one.value and one.value / rate) for one in record.measurements]
            place = own / "trials" / record.planned.name
            place.mkdir(parents=True)
            write_trial(place, replace(record, activity=lane.activity, measurements=tuple(measured)))
        write_activity(own, replace(PLAN, id=lane.activity))
    store = Store(home)
    store.import_fleet(folder)
    store.close()
    mark_home(home)
    return home


def hostile(record: Trial) -> Trial:
    """Return a record whose machine, unit and doubts are scripts."""
    metrics = tuple(
        replace(one, metric=replace(one.metric, unit="<b onload=x>")) for one in record.measurements
    )
    facts = replace(record.facts, hostname=SCRIPT, cpu_model=f"\"'>{SCRIPT}", kernel=f"6.1{SCRIPT}")
    return replace(record, measurements=metrics, facts=facts, machine=SCRIPT, command=("job", SCRIPT))


def hostile_home(home: Path) -> Path:
    """Make a home with two results and a search whose names are scripts."""
    nasty = replace(PLAN, scene=SCRIPT, title=f'{SCRIPT} & "quoted" \'', command=f"run {SCRIPT}")
    home_of(home, nasty, replace(nasty, id="0b0b0b0b"), change=hostile)
    (home / "activities" / PLAN.id / "files.json").write_text('{"activity": "0b0b0b0b"}')
    keep_tuning(replace(tuning(), title=SCRIPT, scene=SCRIPT, workloads=(SCRIPT,)), home)
    return home
