"""Input files that are made before the clock starts, by a real probe on this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.conductor import Conductor
from assay.activities.interrupts import Interrupts
from assay.activities.joint.group_run import run_group
from assay.activities.plan.prepare import BOOT_S, booted
from assay.activities.trials.inputs import lay_out
from assay.activities.trials.preparation import kept_for
from assay.activities.trials.trial import TrialContext, run_trial
from assay.activities.visits.visit import Visit, machine_visit
from assay.design import expected_cost, plan_trials
from assay.model.platforms.data import DataPlace
from assay.model.platforms.layout import Layout
from assay.model.trial import Arm, State, Trial
from assay.model.units import BYTES
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import Workload
from assay.store.store import Store
from assay.workloads import Parameters, Sizes, command_workload, with_parameters
from tests.activities.joint.test_group_run import TREATED, plan, soon
from tests.builders import plan_of

__all__ = ["soon"]
TRIALS = plan_trials(("job",), blocks=2, seed=1)
COUNT = ("sh", "-c", "echo made >>made; cat name >>made; test ! -e broken || { echo no luck >&2; exit 3; }")
SIZES = Sizes(cache_bytes=None, memory_bytes=256 * BYTES["MiB"], cpus=1)


def opened(home: Path) -> Iterator[Visit]:
    with machine_visit(plan_of(()).baseline, "0123abcd", home=home) as visit:
        yield visit


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    yield from opened(tmp_path)


def job(tmp_path: Path, *argv: str, copies: int = 1) -> Workload:
    """Return a program with an input, and a preparation that tells how often it ran."""
    (tmp_path / "name").write_text("a name\n")
    made = command_workload("job", argv, inputs=[str(tmp_path / "name")], prepare=(COUNT,))
    return replace(made, placement=PlacementSpec(copies=copies))


def run(visit: Visit, workload: Workload, tmp_path: Path, number: int = 0) -> Trial:
    (tmp_path / "activity" / "trials").mkdir(parents=True, exist_ok=True)
    context = TrialContext(plan_of(TRIALS), tmp_path / "activity", Interrupts(), lambda: None)
    return run_trial(context, visit, TRIALS[number], workload)


def said(tmp_path: Path, trial: Trial, file: str = "stdout") -> str:
    return (tmp_path / "activity" / "trials" / trial.planned.name / file).read_text()


def test_it_is_made_once_and_each_trial_and_copy_has_it_for_itself(visit: Visit, tmp_path: Path) -> None:
    workload = job(tmp_path, "sh", "-c", "cat made; echo spoilt >made; cat name", copies=2)
    for number in range(2):
        trial = run(visit, workload, tmp_path, number)
        assert trial.state is State.ENDED, trial.cause
        assert said(tmp_path, trial) == said(tmp_path, trial, "stdout.1") == "made\na name\na name\n"


def test_it_is_in_no_figure(visit: Visit, tmp_path: Path) -> None:
    workload = replace(command_workload("job", ["true"]), prepare=(("sleep", "0.5"),))
    began = time.monotonic()
    trial = run(visit, workload, tmp_path)
    assert trial.usage is not None
    assert trial.usage.wall_s <= time.monotonic() - began - 0.5
    assert trial.command == ("true",)


def test_its_time_is_the_visits_and_only_that_of_the_first_trial(visit: Visit, tmp_path: Path) -> None:
    workload = replace(command_workload("job", ["true"]), prepare=(("sleep", "0.5"),))
    began = time.monotonic()
    trial = run(visit, workload, tmp_path)
    first_s = visit.preparing_s
    assert trial.usage is not None
    assert 0.5 <= first_s <= time.monotonic() - began - trial.usage.wall_s
    began = time.monotonic()
    run(visit, workload, tmp_path, 1)
    assert visit.preparing_s - first_s < time.monotonic() - began


def test_another_process_finds_what_was_made_and_makes_anew_what_was_not_finished(tmp_path: Path) -> None:
    workload = job(tmp_path, "cat", "made")
    for visit in opened(tmp_path):
        kept = kept_for(visit, workload)
        lay_out(visit, workload, f"{visit.directory}/first", on_tick=lambda: None)
    for visit in opened(tmp_path):
        lay_out(visit, workload, f"{visit.directory}/second", on_tick=lambda: None)
        assert Path(kept.folder, "made").read_text() == "made\na name\n"
    Path(kept.jobs[0], "probe.json").unlink()  # cut off
    for visit in opened(tmp_path):
        lay_out(visit, workload, f"{visit.directory}/third", on_tick=lambda: None)
        assert Path(f"{visit.directory}/third.work", "made").read_text() == "made\na name\n"


def test_each_place_of_the_data_has_what_was_made_of_it(visit: Visit, tmp_path: Path) -> None:
    reads = (("sh", "-c", "cat {data}/f >made"), ("sh", "-c", "cat made $0 >twice", "{data-files}"))
    workload = replace(command_workload("job", ["cat", "twice"]), prepare=reads)
    plain = job(tmp_path, "cat", "made")
    kept, printed = [], []
    for number, name in enumerate(("first", "second")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(f"{name}\n")
        visit.data = DataPlace(str(tmp_path / name), (f"{tmp_path}/{name}/f",))
        kept.append(kept_for(visit, plain))
        printed.append(said(tmp_path, run(visit, workload, tmp_path, number)))
    assert printed == ["first\nfirst\n", "second\nsecond\n"]
    assert kept[0] == kept[1], "what reads no data is made once"


def test_one_that_fails_fails_the_trial_with_its_words_and_is_tried_again(
    visit: Visit, tmp_path: Path
) -> None:
    good = job(tmp_path, "cat", "made")
    workload = replace(good, inputs=(*good.inputs, str(tmp_path / "broken")))
    (tmp_path / "broken").touch()
    trial = run(visit, workload, tmp_path)
    assert trial.state is State.FAILED
    assert trial.cause == "its preparation failed: 'sh' exited with 3; it said: no luck"
    assert (trial.measurements, trial.usage, trial.exit_code) == ((), None, 3)
    assert trial.command == COUNT
    assert said(tmp_path, trial, "stderr") == "no luck\n"
    assert [path.name for path in Path(visit.directory).iterdir()] == [".assay"]
    (tmp_path / "broken").unlink()
    assert run(visit, good, tmp_path, 1).state is State.ENDED


def test_a_program_that_is_not_there_is_said(visit: Visit, tmp_path: Path) -> None:
    trial = run(visit, replace(job(tmp_path, "true"), prepare=(("no-such-maker",),)), tmp_path)
    assert "its preparation failed" in (trial.cause or "")
    assert "no-such-maker" in (trial.cause or "")


def test_what_cannot_be_brought_into_the_trials_folder_fails_it(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_there = visit.run
    monkeypatch.setattr(
        visit, "run", lambda argv, **rest: run_there(("false",) if argv[0] == "cp" else argv, **rest)
    )
    trial = run(visit, job(tmp_path, "true"), tmp_path)
    assert trial.state is State.FAILED
    assert "what its preparation made could not be brought into its folder" in (trial.cause or "")


def test_in_several_guests_it_is_made_in_each(tmp_path: Path, soon: None) -> None:
    workload = job(tmp_path, "cat", "made", copies=2)
    context = TrialContext(plan(Layout(2)), tmp_path / "activity", Interrupts(), lambda: None)
    (context.folder / "trials").mkdir(parents=True)
    arm = plan_of(()).baseline
    with (
        machine_visit(arm, "place-0", home=tmp_path) as first,
        machine_visit(arm, "place-1", home=tmp_path) as second,
    ):
        first.beside = (second,)
        failing = replace(workload, prepare=(("false",),))
        assert run_group(context, first, TREATED, failing).state is State.FAILED
        (context.folder / "trials" / TREATED.name).rename(tmp_path / "failed")
        trial = run_group(context, first, TREATED, workload)
    assert trial.state is State.ENDED, trial.cause
    assert [said(tmp_path, trial, f"guest-{number}/stdout") for number in (0, 1)] == ["made\na name\n"] * 2


def test_steps_of_the_chain_share_what_was_made_for_them(visit: Visit, tmp_path: Path) -> None:
    given = Parameters(events=4, size_bytes=16 * BYTES["MiB"])
    digests = []
    for number, name in enumerate(("chain-elecsim", "chain-elecsim-no-output", "chain-pmtrec")):
        workload = with_parameters(name, given, sizes=SIZES)
        trial = run(visit, replace(workload, cache=CacheSpec(CacheState.COLD)), tmp_path, number)
        assert trial.state is State.ENDED, trial.cause
        figures = {figure.metric.name: figure.value for figure in trial.measurements}
        assert all(figures[name] for name in ("events_per_s", "init_time", "event_loop_time", "wall_time"))
        assert trial.cache is not None
        assert trial.cache.machine is not None
        assert trial.cache.machine.bytes > 16 * BYTES["MiB"]
        assert trial.program is not None
        assert trial.program.executable.name == "chain"
        digests.append(trial.result_digest)
    assert digests[0] == digests[1] != digests[2]
    folders = [path for path in Path(visit.directory).iterdir() if path.name.startswith("prepared-")]
    made = [path for path in folders if path.suffix == ""]
    assert len(made) == 4  # tables, and what phygen, detsim and elecsim made of them
    assert len({(path / "tables.chain").stat().st_ino for path in made}) == 1


def test_the_remaining_time_has_it_for_the_other_machine_and_not_for_this_one_again(
    visit: Visit, tmp_path: Path
) -> None:
    reported: list[float] = []

    class Told:
        """Keeps the remaining time, and hears nothing else."""

        def __getattr__(self, name: str) -> object:
            return lambda *_, **said: reported.append(said["remaining_s"]) if name == "progress" else None

    workload = replace(command_workload("job", ["true"]), prepare=(("sleep", "0.5"),))
    plan = replace(plan_of(TRIALS), workloads=(workload,))
    folder, store = tmp_path / "activity", Store(tmp_path / "home")
    (folder / "trials").mkdir(parents=True)
    store.add_activity(plan, folder)
    conductor = Conductor(plan, folder=folder, home=tmp_path, store=store, watcher=Told())  # type: ignore[arg-type]
    first, *again = [trial for trial in TRIALS if trial.arm is Arm.BASELINE]
    began = time.monotonic()
    conductor._trial(visit, first, "this machine")
    trial_s = time.monotonic() - began - visit.preparing_s
    others = [trial for trial in TRIALS if trial.arm is Arm.TREATMENT]
    guess = expected_cost(others, {"job": workload.seconds}, visit_s=BOOT_S, booted=booted(plan)).seconds
    assert len(again) == 3
    both = guess + visit.preparing_s
    assert both < reported[-1] < both + len(again) * trial_s, "the other machine's, and trials without it"
