"""``assay advise --forecast``: what is refused before a job is run, and a job that is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, visits_of
from assay.model.machines.machine import Machine, Reach
from assay.model.trial import Usage
from assay.store.store import Store
from tests.builders import FACTS
from tests.command import Done, run
from tests.results.advice.guests import HOST, JOB, plan_with, records_of
from tests.results.folders import kept

LIKE = {
    "w0": (3.9, 0.05, 0.0),
    "w1": (3.0, 0.9, 0.0),
    "w2": (1.5, 1.0, 1.4),
    "w3": (0.5, 2.4, 1.0),
    "w4": (2.0, 0.5, 1.2),
}
"""Seconds of user and system CPU time and of I/O of each workload, of four."""


def losses(names: tuple[str, ...] = tuple(LIKE)) -> ActivityPlan:
    plan = plan_with()
    workloads = tuple(replace(JOB, name=name) for name in names)
    return replace(plan, workloads=workloads, trials=plan_trials(names, blocks=3, seed=1))


def usage(name: str) -> tuple[Usage, Usage]:
    user_s, system_s, io_s = LIKE[name]
    host = replace(HOST, user_s=user_s, system_s=system_s, block_io_s=io_s)
    guest = replace(host, user_s=1.03 * user_s, system_s=1.3 * system_s, block_io_s=1.6 * io_s)
    more = 0.03 * user_s + 0.3 * system_s + 0.6 * io_s
    return host, replace(guest, wall_s=host.wall_s + more)


def home_of(home: Path, plan: ActivityPlan, *, imported: bool = False) -> Path:
    by_name = {name: records_of(plan, *usage(name)) for name in {one.name for one in plan.workloads}}
    found = [by_name[trial.workload][at] for at, trial in enumerate(plan.trials)]
    folder = kept((home.parent if imported else home) / "activities" / plan.id, plan, found)
    store = Store(home)
    store.import_folder(folder)
    store.close()
    return home


def forecast(home: Path, *more: str) -> Done:
    return run("advise", "0123abcd", "--forecast", "sh -c :", *more, home=home)


def assert_nothing_ran(home: Path) -> None:
    assert [one["id"] for one in run("result", "list", "--json", home=home).page["results"]] == ["0123abcd"]


def test_a_result_of_few_workloads_is_refused_before_the_job_runs(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", losses(("w0", "w1", "w2")))
    done = forecast(home)
    assert (done.code, done.out) == (3, "")
    assert "cannot forecast from result 0123abcd: it has the losses of 3 workloads" in done.err
    assert_nothing_ran(home)


def test_a_sweep_is_refused_before_the_job_runs(tmp_path: Path) -> None:
    plan = losses()
    arms = (replace(plan.treatment, label="one"), replace(plan.treatment, label="other"))
    trials = plan_trials(tuple(LIKE), blocks=3, seed=1, visits=visits_of(arms))
    home = home_of(tmp_path / "home", replace(plan, treatment=arms[0], more=arms[1:], trials=trials))
    done = forecast(home)
    assert (done.code, done.out) == (3, "")
    assert "it has 2 treatments, and a forecast is of one" in done.err
    assert "assay evaluate quick" in done.err
    assert_nothing_ran(home)


def test_a_result_of_another_site_is_refused(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", losses(), imported=True)
    done = forecast(home)
    assert (done.code, done.out) == (3, "")
    assert "it was measured on another site, and the job is run here" in done.err
    assert_nothing_ran(home)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"machine": Machine("node01", reach=Reach.SSH)}, "its baseline is the machine node01"),
        ({"label": "guest as it is", "guest": plan_with().treatment.guest}, "its baseline is guest as it is"),
    ],
    ids=("machine", "guest"),
)
def test_a_baseline_that_is_not_this_machine_itself_is_refused(
    changed: dict[str, object], why: str, tmp_path: Path
) -> None:
    plan = losses()
    baseline = replace(plan.baseline, **changed)  # type: ignore[arg-type]
    home = home_of(tmp_path / "home", replace(plan, baseline=baseline))
    done = forecast(home)
    assert (done.code, done.out) == (3, "")
    assert why in done.err
    assert_nothing_ran(home)


@pytest.mark.live
@pytest.mark.long
def test_a_job_is_run_and_forecast(tmp_path: Path) -> None:
    """No guest is started; the processors are measured. A machine that others use tells why it cannot."""
    home = home_of(tmp_path / "home", losses())
    done = forecast(home, "--json")
    assert done.code in {0, 6}, done.err
    assert (done.page["loss"] is None) == (done.code == 6)
    assert bool(done.page["reasons"]) == (done.code == 6)
    assert (done.page["command"], done.page["result"]) == ("sh -c :", "0123abcd")
    assert "user" in {one["kind"] for one in done.page["kinds"]}
    ran = run("result", "show", done.page["profile"], "--json", home=home).page["result"]
    assert (ran["baseline"], ran["treatment"]) == ("host", "host again")
    assert f"result 0123abcd was measured on {FACTS.hostname}, the job is run on " in done.err
