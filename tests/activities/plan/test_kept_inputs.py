"""Inputs and programs of an activity: what its first trial ran is what its last one runs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.kept_inputs import ChangedInputError, keep_inputs, kept_inputs
from assay.activities.trials.preparation import put_inputs
from assay.activities.trials.same_program import Programs
from assay.activities.trials.trial import run_trial
from assay.design import plan_trials
from assay.model.errors import Exit, MissingError
from assay.model.trial import State
from assay.model.work.workload import File, Program
from assay.store.record import read_trials
from tests.activities.jobs import Jobs, acts_of, bench_of, visit_of
from tests.builders import WORKLOAD, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=2, seed=1)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    (folder / "cards" / "deep").mkdir(parents=True)
    (folder / "job.sh").write_text("#!/bin/sh\necho one\n")
    (folder / "job.sh").chmod(0o755)
    (folder / "cards" / "deep" / "a").write_text("a")
    (folder / "cards" / "link").symlink_to("deep/a")
    return folder


def kept(source: Path, tmp_path: Path, *names: str) -> Path:
    activity = tmp_path / "activity"
    activity.mkdir(exist_ok=True)
    work = replace(WORKLOAD, inputs=tuple(str(source / name) for name in names))
    keep_inputs(plan_of(TRIALS, workloads=(work, work)), activity)
    return activity


def test_trials_get_the_copies_that_were_made_with_the_activity(source: Path, tmp_path: Path) -> None:
    activity = kept(source, tmp_path, "job.sh", "cards")
    (source / "job.sh").write_text("#!/bin/sh\necho two\n")
    (source / "cards" / "deep" / "a").unlink()
    found = kept_inputs(activity)
    job, cards = found[str(source / "job.sh")], found[str(source / "cards")]
    assert job.read_text() == "#!/bin/sh\necho one\n"
    assert job.stat().st_mode & 0o777 == 0o755
    assert (cards / "deep" / "a").read_text() == (cards / "link").read_text() == "a"
    jobs = Jobs()
    put: list[Path] = []
    visit = visit_of(jobs, inputs=found, put=lambda path, _: put.append(path), here=True)
    put_inputs(visit, replace(WORKLOAD, inputs=(str(source / "job.sh"), "/other")), "/work")
    assert put == [job, Path("/other")]


def test_inputs_of_one_content_have_each_its_name(source: Path, tmp_path: Path) -> None:
    (source / "copy.sh").write_bytes((source / "job.sh").read_bytes())
    (source / "copy.sh").chmod(0o755)
    activity = kept(source, tmp_path, "job.sh", "copy.sh")
    assert [path.name for path in kept_inputs(activity).values()] == ["job.sh", "copy.sh"]
    assert all(path.is_file() for path in kept_inputs(activity).values())
    assert len(list((activity / "inputs").iterdir())) == 1


@pytest.mark.parametrize("change", ["content", "mode", "gone"])
def test_a_copy_that_was_changed_is_refused(source: Path, tmp_path: Path, change: str) -> None:
    activity = kept(source, tmp_path, "job.sh")
    (copy,) = kept_inputs(activity).values()
    if change == "content":
        copy.write_text("#!/bin/sh\necho two\n")
    elif change == "mode":
        copy.chmod(0o644)
    else:
        copy.unlink()
    with pytest.raises(ChangedInputError, match="no longer the input that the activity began with") as caught:
        kept_inputs(activity)
    assert caught.value.exit_code is Exit.INPUT


def test_an_input_that_is_gone_is_named_and_nothing_is_written_without_inputs(
    source: Path, tmp_path: Path
) -> None:
    with pytest.raises(MissingError, match=f"cannot read the input {source}/none"):
        kept(source, tmp_path, "none")
    (tmp_path / "other").mkdir()
    other = kept(source, tmp_path / "other")
    assert list(other.iterdir()) == []
    assert kept_inputs(other) == {}


def program(sha: str, *libraries: str, folder: str = "/bin") -> Program:
    files = tuple(File(f"lib{number}", f"/lib/lib{number}", one) for number, one in enumerate(libraries))
    return Program(File("spin", f"{folder}/spin", sha), files)


def test_the_first_trial_of_an_arm_and_workload_says_which_program_it_is() -> None:
    programs = Programs()
    programs.note(record_of(TRIALS[0], 1.0, program=program("a" * 64, "b" * 64)))
    programs.note(record_of(TRIALS[0], 1.0, program=program("c" * 64)))
    assert list(programs.faults(TRIALS[0], program("a" * 64, "b" * 64, folder="/tmp/trial-7"))) == []
    assert list(programs.faults(TRIALS[0], program("d" * 64, "b" * 64))) == [
        f"its program changed in mid-activity: /bin/spin was {'a' * 12}, is {'d' * 12} (SHA-256)"
    ]
    assert list(programs.faults(TRIALS[0], program("a" * 64))) == [
        f"its program changed in mid-activity: /lib/lib0 was {'b' * 12}, is none (SHA-256)"
    ]
    other = next(trial for trial in TRIALS if trial.arm is not TRIALS[0].arm)
    assert list(programs.faults(other, program("e" * 64))) == []


def test_a_script_that_records_of_an_earlier_assay_do_not_have_is_no_change() -> None:
    programs, now = Programs(), program("a" * 64, "b" * 64)
    programs.note(record_of(TRIALS[0], 1.0, program=now))
    script = File("job.py", "/x/job.py", "c" * 64)
    assert list(programs.faults(TRIALS[0], replace(now, libraries=(*now.libraries, script)))) == []


def test_a_trial_whose_preparation_failed_says_nothing_of_its_program() -> None:
    programs = Programs()
    programs.note(replace(record_of(TRIALS[0], 1.0, program=program("a" * 64)), usage=None))
    assert list(programs.faults(TRIALS[0], program("d" * 64))) == []


def test_an_input_with_a_name_that_is_no_text_is_kept(tmp_path: Path) -> None:
    folder, home = tmp_path / "given", tmp_path / "activity"
    folder.mkdir()
    home.mkdir()
    (folder / os.fsdecode(b"\xff")).write_text("x")
    work = replace(WORKLOAD, inputs=(str(folder),))
    keep_inputs(plan_of(TRIALS, workloads=(work,)), home)
    (kept,) = kept_inputs(home).values()
    assert [os.fsencode(path.name) for path in kept.iterdir()] == [b"\xff"]


class Changing(Jobs):
    """A machine on which the program is replaced before the second trial."""

    sha = "a" * 64

    def digest(self, name: str, script: str | None = None, known: object = None) -> Program:
        super().digest(name)
        return Program(File("spin", name, self.sha))


def test_a_program_that_is_changed_between_trials_fails_those_after_it(tmp_path: Path) -> None:
    jobs, context = Changing(), bench_of(plan_of(TRIALS), tmp_path)
    visit, work = visit_of(jobs), replace(WORKLOAD, parser="usage", metrics=())
    one, *_, two = (trial for trial in TRIALS if trial.arm is TRIALS[0].arm)
    run_trial(context, visit, one, work)
    jobs.sha = "b" * 64
    run_trial(context, visit, two, work)
    first, second = read_trials(tmp_path)
    assert first.state is State.ENDED
    assert (second.state, second.measurements) == (State.FAILED, ())
    assert "its program changed in mid-activity: spin was aaaaaaaaaaaa" in str(second.cause)
    assert len(acts_of(jobs, "digest")) == 4, "before and after each trial"
