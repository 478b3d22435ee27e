"""A pack on an arm: in place on this machine, brought once elsewhere, and again where it is not whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan import packs
from assay.activities.plan.arms import Arms
from assay.activities.plan.packs import bring_pack, pack_place, with_packs
from assay.activities.trials.job import command_on
from assay.activities.visits.visit import Visit, machine_visit
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.data import DataPlace
from assay.model.work.workload import Workload
from assay.platforms.packs import PYTHON_VERSION, python_here
from assay.workloads import Sizes
from tests.activities.jobs import Jobs, visit_of
from tests.builders import WORKLOAD

SIZES = Sizes(None, 1 << 30, 1)


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    """Yield this machine for a visit."""
    with machine_visit(
        PlannedArm("host", Machine("local"), Limits((0,))), "0123abcd", home=tmp_path
    ) as opened:
        yield opened


@pytest.fixture
def workload(tmp_path: Path) -> Workload:
    """Return one with a pack of one file."""
    pack = tmp_path / "packs" / "root-1"
    pack.mkdir(parents=True)
    (pack / "run.py").write_text("")
    made_for(pack, python_here())
    return replace(WORKLOAD, command=("python3", "{pack}/run.py"), pack=str(pack))


def made_for(pack: Path, *pythons: str) -> None:
    (pack / "pack.json").write_text(json.dumps({"pythons": pythons}))


def brought_to(visit: Visit) -> tuple[Visit, list[str]]:
    """Return a visit as if it were elsewhere, and what is put there from now on."""
    puts: list[str] = []

    def put(here: Path, there: str) -> None:
        puts.append(there)
        visit.put(here, there)

    return replace(visit, here=False, put=put, packs=set()), puts


def test_on_this_machine_it_is_used_in_place(visit: Visit, workload: Workload) -> None:
    bring_pack(visit, workload)
    assert command_on(visit, workload, "/scratch") == ("python3", f"{workload.pack}/run.py")
    assert not visit.packs


def test_elsewhere_it_is_brought_once_and_again_where_it_is_not_whole(
    visit: Visit, workload: Workload
) -> None:
    there, puts = brought_to(visit)
    place = pack_place(there, workload)
    assert place == f"{visit.directory}/packs/root-1"
    bring_pack(there, workload)
    bring_pack(there, workload)
    assert puts == [place], "once a visit"
    assert (Path(place) / "run.py").is_file()
    assert command_on(there, workload, "/scratch") == ("python3", f"{place}/run.py")
    again, later = brought_to(visit)
    bring_pack(again, workload)
    assert later == [], "it is there from the visit before"
    Path(f"{place}.whole").unlink()
    cut_off, last = brought_to(visit)
    bring_pack(cut_off, workload)
    assert last == [place]


def test_a_workload_without_a_pack_brings_none(visit: Visit) -> None:
    there, puts = brought_to(visit)
    bring_pack(there, WORKLOAD)
    assert (puts, pack_place(there, WORKLOAD)) == ([], None)


def test_a_guests_python_is_asked_before_the_clock_starts(visit: Visit, workload: Workload) -> None:
    made_for(Path(str(workload.pack)), "3.1")
    there, puts = brought_to(visit)
    with pytest.raises(
        MissingError, match=r"cannot run the pack root on local: it was made for Python 3\.1,"
    ) as refused:
        bring_pack(there, workload)
    assert refused.value.hint == f"assay workload pack root --python 3.1 --python {python_here()}"
    assert puts == []


def test_machines_are_asked_with_the_plan_and_guests_are_not_there_yet(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "find_pack", lambda *_: workload.pack)
    monkeypatch.setattr(packs, "_python_of", lambda *_: "3.2")
    here = PlannedArm("host", Machine("local"), Limits((0,)))
    far = replace(here, label="far", machine=Machine("far", Reach.SSH))
    guest = replace(far, guest=PlannedGuest(1, 1 << 30, "none", "0123"))

    def planned(treatment: PlannedArm) -> tuple[Workload, ...]:
        return with_packs([workload], Arms(here, treatment, Sizes(None, 1 << 30, 1)), home=tmp_path)

    assert planned(guest) == (workload,)
    with pytest.raises(MissingError, match=r"cannot run the pack root on far: .* python3 there is 3\.2"):
        planned(far)
    made_for(Path(str(workload.pack)), "3.2")
    with pytest.raises(MissingError, match="cannot run the pack root on local"):
        planned(guest)


def test_a_pack_reads_what_a_server_gives_by_http(visit: Visit, workload: Workload) -> None:
    root = "root://s:1094//files"
    place = visit.data = DataPlace(root, (f"{root}/a", f"{root}/b"), local=False)
    reads = replace(workload, command=(*workload.command, "{data-files}"))
    urls = ("http://s:1094//files/a", "http://s:1094//files/b")
    assert command_on(visit, reads, "/scratch")[-2:] == urls
    plain = replace(WORKLOAD, command=("cat", "{data-files}"))
    assert command_on(visit, plain, "/scratch")[1:] == place.files


def test_another_machine_s_python_is_asked_through_its_door(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    class Door:
        """A machine with a Python of its own."""

        def run(self, argv: tuple[str, ...], *, timeout_s: float) -> bytes:
            asked.append((argv, timeout_s))
            return b"3.2\n"

    @contextmanager
    def opened(machine: Machine, home: Path) -> Iterator[tuple[None, Door]]:
        asked.append((machine.name, home))
        yield None, Door()

    monkeypatch.setattr(packs, "open_probe", opened)
    monkeypatch.setattr(packs, "find_pack", lambda *given: asked.append(given) or workload.pack)
    made_for(Path(str(workload.pack)), "3.2")
    far = PlannedArm("far", Machine("far", Reach.SSH), Limits((0,)))
    named = replace(workload, pack="root")
    assert with_packs([named, WORKLOAD], Arms(far, far, SIZES), home=tmp_path) == (workload, WORKLOAD)
    assert asked == [(tmp_path, "root"), ("far", tmp_path), (PYTHON_VERSION, 60.0)]
    asked.clear()
    assert with_packs([WORKLOAD], Arms(far, far, SIZES), home=tmp_path) == (WORKLOAD,)
    assert asked == [], "without a pack no machine is asked"


def test_in_a_container_nothing_can_be_run_so_that_a_pack_is_brought_in_each_visit(
    workload: Workload,
) -> None:
    jobs = Jobs()
    visit = visit_of(jobs, container=object())
    made_for(Path(str(workload.pack)), "3.1")
    bring_pack(visit, workload)
    bring_pack(visit, workload)
    assert jobs.acts == [("there", "make", "/there"), ("there", "put", ("root-1", "/there/packs/root-1"))]
    assert visit.packs == {"/there/packs/root-1"}
