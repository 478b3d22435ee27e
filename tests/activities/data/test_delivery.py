"""The data of an activity on this machine: laid out where an arm wants them, ended with what a crash left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import environment
from assay.activities.conductor import Conductor
from assay.activities.data import delivery
from assay.activities.data.delivery import DataEnvironment, needs_network
from assay.activities.data.ways import DataWays
from assay.activities.interrupts import Interrupts
from assay.activities.trials.inflight import Inflight
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm
from assay.model.platforms.data import DataFile, DataPlace, DataSet
from assay.platforms.bench_network.bench_links import bench_names
from assay.platforms.bench_network.daemons import Site
from assay.platforms.data_servers.files import lay_data
from assay.platforms.data_servers.serve import data_folder
from assay.platforms.process import this_process
from assay.store.store import Store
from tests.activities.doubles import Door, visit_at
from tests.builders import WORKLOAD, plan_of

DATA = DataSet((DataFile("f", 8),), seed=1)
NOTE = Inflight(0, "/tmp/trial-0", "boot", None, 0, None, None)


class Quiet:
    """Watches without a word."""

    def __getattr__(self, _name: str) -> object:
        return lambda *_, **__: None


def plan_by(*ways: str) -> Any:
    """Return a plan with data, and the access of baseline and treatment."""
    plan = plan_of(())
    baseline, treatment = (
        replace(arm, data=(("data.access", way),))
        for arm, way in zip((plan.baseline, plan.treatment), ways, strict=True)
    )
    return replace(plan, id="0123abcd", data=DATA, baseline=baseline, treatment=treatment)


@pytest.mark.parametrize(
    ("ways", "mode"),
    [(("9p", "virtiofs"), 0o755), (("virtiofs", "virtiofs"), 0o700), (("local", "9p"), 0o755)],
)
def test_data_are_laid_out_for_shares_too_and_9p_may_enter(
    tmp_path: Path, ways: tuple[str, str], mode: int
) -> None:
    folder = data_folder(tmp_path, "0123abcd")
    with ExitStack() as stack:
        DataEnvironment(plan_by(*ways), tmp_path, Quiet(), stack, None).open(None, ())  # type: ignore[arg-type]
        assert (folder / "files/f").stat().st_size == 8
        assert folder.stat().st_mode & 0o777 == mode
    assert not folder.exists()


def test_what_was_left_goes_when_no_visit_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = data_folder(tmp_path, "0123abcd")
    lay_data(DATA, folder / "files")
    plan = plan_by("local", "local")
    conductor = Conductor(
        plan,
        folder=tmp_path / "activity",
        home=tmp_path,
        store=Store(tmp_path / "home"),
        watcher=Quiet(),  # type: ignore[arg-type]
    )
    seen = []
    monkeypatch.setattr(conductor, "_recover", lambda *_: seen.append(folder.exists()))
    monkeypatch.setattr(environment.Environment, "open", lambda _: seen.append("opened"))
    conductor._session(NOTE)
    assert seen == [True]  # the trial that is brought home may still read them
    assert not folder.exists()


class Served:
    """Servers of data, of which it is noted what they were asked to serve."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    @contextmanager
    def serve(self, site: Site, ways: tuple[str, ...], data: DataSet, *, shared: bool) -> Iterator[None]:
        self.asked.append((site, ways, data, shared))
        yield
        self.asked.append("ended")


class Told(Quiet):
    """Notes each step."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def step(self, text: str) -> None:
        self.steps.append(text)


NETWORK = bench_names("assay-x")


@pytest.mark.parametrize(
    ("ways", "served", "shared"),
    [
        (("nfs", "local"), ("nfs",), False),
        (("xrootd", "glusterfs"), ("glusterfs", "xrootd"), False),
        (("nfs", "9p"), ("nfs",), True),
    ],
)
def test_data_are_served_by_all_ways_that_an_arm_reads_them_from(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ways: tuple[str, str],
    served: tuple[str, ...],
    *,
    shared: bool,
) -> None:
    servers, reported, folder = Served(), Told(), data_folder(tmp_path, "0123abcd")
    monkeypatch.setattr(delivery, "serve", servers.serve)
    with ExitStack() as stack:
        made = DataEnvironment(plan_by(*ways), tmp_path, reported, stack, Interrupts())  # type: ignore[arg-type]
        made.open(NETWORK, (3, 4))
        assert servers.asked == [(Site(folder, NETWORK, (3, 4)), served, DATA, shared)]
        assert made._ways == DataWays(folder, Site(folder, NETWORK, (3, 4)))
        assert folder.is_dir()
    assert servers.asked[1:] == ["ended"]
    assert reported.steps == [f"serving the data by {', '.join(served)}"]
    assert not folder.exists()


def test_what_lies_here_is_laid_out_also_where_there_is_a_network(tmp_path: Path) -> None:
    reported = Told()
    with ExitStack() as stack:
        DataEnvironment(plan_by("local", "local"), tmp_path, reported, stack, Interrupts()).open(NETWORK, ())  # type: ignore[arg-type]
        assert (data_folder(tmp_path, "0123abcd") / "files/f").is_file()
    assert reported.steps == ["laying out the data"]


def test_a_repository_that_arms_read_themselves_is_not_laid_out(tmp_path: Path) -> None:
    reported = Told()
    with ExitStack() as stack:
        DataEnvironment(plan_by("cvmfs", "cvmfs"), tmp_path, reported, stack, Interrupts()).open(None, ())  # type: ignore[arg-type]
        assert not (data_folder(tmp_path, "0123abcd") / "files").exists()
    assert reported.steps == []


def test_jobs_that_write_on_a_file_system_of_their_own_have_a_folder_and_need_the_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(delivery, "require_room", lambda *words: asked.append(words))
    plan, folder = plan_by("local", "local"), data_folder(tmp_path, "0123abcd")
    writes = replace(plan.treatment, data=(("scratch.filesystem", "xfs"),))
    for changed, levels in (
        (replace(plan, data=None), None),
        (replace(plan, data=None, treatment=writes), ("xfs",)),
        (plan, ()),
    ):
        asked.clear()
        with ExitStack() as stack:
            DataEnvironment(changed, tmp_path, Quiet(), stack, Interrupts()).open(None, ())  # type: ignore[arg-type]
            assert folder.is_dir() is (levels is not None)
            assert (folder / "files").exists() is (changed.data is not None)
        assert asked == ([] if levels is None else [(folder, levels, 4 << 30)])


def test_what_other_activities_left_goes_when_one_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(delivery, "end_left_data", lambda *words: asked.append(words))
    with ExitStack() as stack:
        DataEnvironment(
            replace(plan_by("local", "local"), data=None), tmp_path, Quiet(), stack, Interrupts()
        ).open(None, ())  # type: ignore[arg-type]
    assert asked == [(tmp_path, "0123abcd")]


def test_a_network_is_needed_by_a_workload_or_by_any_arm_that_reads_from_a_server() -> None:
    plan = plan_by("local", "local")
    served = replace(plan.treatment, data=(("data.access", "xrootd"),))
    talks = replace(WORKLOAD, needs_network=True)
    assert not needs_network(plan)
    assert not needs_network(plan_by("9p", "cvmfs"))
    assert needs_network(replace(plan, workloads=(WORKLOAD, talks)))
    assert needs_network(plan_by("nfs", "local"))
    assert needs_network(replace(plan, more=(plan.treatment, served)))
    assert not needs_network(replace(plan, data=None, treatment=served))
    writes = replace(plan.treatment, data=(("scratch.access", "nfs"),))
    assert needs_network(replace(plan, data=None, treatment=writes))


class Ways:
    """Ways to the data: what was brought to whom, and taken away."""

    folder = Path("/d")

    def __init__(self, fails: str = "") -> None:
        self.acts: list[str] = []
        self.fails = fails

    def bring(self, visit: Visit, arm: PlannedArm, _data: DataSet) -> Any:
        if visit.machine == self.fails:
            raise RuntimeError("stop")
        visit.clients = (this_process(),)
        self.acts.append(f"{visit.machine} as {arm.label}")
        return DataPlace(f"/data of {visit.machine}", ())

    def take_away(self, arm: PlannedArm) -> None:
        self.acts.append(f"away from {arm.label}")

    def let_write(self, visit: Visit, arm: PlannedArm) -> None:
        if arm.data and arm.data[-1][0] == "scratch.access":
            visit.jobs = f"/jobs of {visit.machine}"

    def end_writing(self, visit: Visit, _arm: PlannedArm) -> None:
        visit.jobs = None


def brought(plan: Any, ways: Ways, visit: Visit) -> Any:
    made = DataEnvironment(plan, Path("/h"), Quiet(), ExitStack(), Interrupts())  # type: ignore[arg-type]
    made._ways = ways  # type: ignore[assignment]
    return made.brought(visit, plan.treatment)


def test_every_guest_of_a_visit_sees_the_data_until_its_end() -> None:
    ways, others = Ways(), tuple(visit_at(Door(name=name)) for name in ("two", "three"))
    visit = visit_at(Door(name="one"), beside=others)
    with brought(plan_by("local", "local"), ways, visit):
        for one in (visit, *others):
            assert one.data == DataPlace(f"/data of {one.machine}", ())
            assert one.clients == (this_process(),)
        assert ways.acts == ["one as other", "two as other", "three as other"]
    assert {(one.data, one.clients) for one in (visit, *others)} == {(None, ())}
    assert ways.acts[3:] == ["away from other"]


def test_every_guest_of_a_visit_writes_by_the_way_of_its_arm_until_its_end() -> None:
    ways, visit = Ways(), visit_at(Door(name="one"), beside=(visit_at(Door(name="two")),))
    plan = plan_by("local", "local")
    plan = replace(plan, data=None, treatment=replace(plan.treatment, data=(("scratch.access", "nfs"),)))
    with brought(plan, ways, visit):
        assert [one.jobs for one in (visit, *visit.beside)] == ["/jobs of one", "/jobs of two"]
    assert [one.jobs for one in (visit, *visit.beside)] == [None, None]
    made = DataEnvironment(plan, Path("/h"), Quiet(), ExitStack(), Interrupts())  # type: ignore[arg-type]
    assert made.come_from_elsewhere(plan.treatment)


def test_data_that_cannot_be_brought_are_taken_away_again() -> None:
    ways, visit = Ways("two"), visit_at(Door(name="one"), beside=(visit_at(Door(name="two")),))
    with pytest.raises(RuntimeError, match="stop"), brought(plan_by("local", "local"), ways, visit):
        pass
    assert ways.acts == ["one as other", "away from other"]
    assert (visit.data, visit.clients) == (None, ())


def test_a_plan_without_data_brings_none() -> None:
    ways, visit = Ways(), visit_at(Door(name="one"))
    plan = replace(plan_by("local", "local"), data=None)
    with brought(plan, ways, visit):
        assert visit.data is None
    assert ways.acts == []
    made = DataEnvironment(plan, Path("/h"), Quiet(), ExitStack(), Interrupts())  # type: ignore[arg-type]
    assert not made.come_from_elsewhere(plan_by("nfs", "local").baseline)
