"""Words for several machines where a command once took one name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.plan.disk_room import disk_room
from assay.activities.side_by_side import Outcome
from assay.cli import on_machines
from assay.model.errors import Exit, MissingError
from assay.model.fleet import Failure, Fleet, Lane, Stop
from assay.store.fleet import write_fleet, write_stop
from assay.store.store import Store
from tests.command import run
from tests.results.test_outcome import PLAN

HOSTS = """\
machines:
  - {name: n01, ssh: "root@127.0.0.1:1", groups: [farm]}
  - {name: n02, ssh: "root@127.0.0.1:1", groups: [farm]}
  - {name: n03, ssh: "root@127.0.0.1:1"}
"""
FLEET = Fleet(
    id="0badcafe",
    scene="itself",
    title="Each machine against itself",
    scene_digest="0" * 64,
    scene_text="",
    scene_file="itself.yaml",
    scale=None,
    command=None,
    who="n[01-03],gone",
    created_ns=1,
    seed=7,
    lanes=tuple(Lane(name, f"0000000{at}") for at, name in enumerate(("n01", "n02", "n03", "gone"))),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "hosts.yaml").write_text(HOSTS)
    done = run("machine", "import", str(tmp_path / "hosts.yaml"), home=tmp_path / "home")
    assert done.code == Exit.DONE, done.err
    return tmp_path / "home"


def test_what_each_machine_would_take_is_told_with_its_disk(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(home))
    found = (Outcome("n01", PLAN, None), Outcome("n02", None, MissingError("no KVM", hint="a BIOS")))
    assert on_machines._tell(FLEET, found, as_json=True) == Exit.MISSING
    told = json.loads(capsys.readouterr().out)["lanes"]
    assert [(one["machine"], one["trials"]) for one in told] == [("n01", len(PLAN.trials)), ("n02", None)]
    assert (told[0]["disk_bytes"], told[1]["disk_bytes"]) == (disk_room(PLAN, home).bytes, None)
    assert told[1]["error"] == {"message": "no KVM", "hint": "a BIOS"}


def test_machines_are_shown_each_with_what_it_is_or_why_that_is_not_known(home: Path) -> None:
    done = run("machine", "show", "local,farm", "--json", home=home)
    assert done.code == Exit.UNREACHABLE
    here, *there = done.page["machines"]
    assert (here["name"], here["error"], here["facts"]["architecture"]) == ("local", None, "x86_64")
    assert [(one["name"], one["facts"]) for one in there] == [("n01", None), ("n02", None)]
    assert all(one["error"]["message"].startswith(f"cannot reach {one['name']}") for one in there)
    text = run("machine", "show", "local,farm", home=home)
    assert text.out.startswith("machine        local\n")
    assert text.err.count("error: cannot reach") == 2


def test_changes_of_several_machines_are_told_apart(home: Path) -> None:
    done = run("machine", "changes", "farm,local", "--json", home=home)
    assert [one["name"] for one in done.page["machines"]] == ["local", "n01", "n02"]
    said = run("machine", "changes", "farm", home=home).out
    assert said.splitlines() == [
        f"nothing of {name} has changed between the looks at it" for name in ("n01", "n02")
    ]


def test_what_was_left_is_looked_for_on_several_machines_and_each_failure_is_told(home: Path) -> None:
    done = run("platform", "clean", "--on", "farm", "--dry-run", "--json", home=home)
    assert (done.code, done.page["leftovers"]) == (Exit.UNREACHABLE, [])
    assert [one["machine"] for one in done.page["errors"]] == ["n01", "n02"]
    assert "nothing of ours was left" not in run("platform", "clean", "--on", "farm", home=home).err
    unknown = run("platform", "clean", "--on", "fram", home=home)
    assert (unknown.code, "nearest: 'farm'" in unknown.err) == (Exit.INPUT, True)


@pytest.mark.parametrize(
    ("who", "names"),
    [
        ((), ["n01", "n03", "gone"]),
        (("farm",), ["n01"]),
        (("n[01-03]",), ["n01", "n03"]),
        (("gone", "n03"), ["n03", "gone"]),
    ],
)
def test_machines_that_were_taken_out_go_on_by_words_also_where_one_has_left_the_inventory(
    home: Path, monkeypatch: pytest.MonkeyPatch, who: tuple[str, ...], names: list[str]
) -> None:
    folder = home / "activities" / FLEET.id
    folder.mkdir(parents=True)
    write_fleet(folder, FLEET)
    for lane in (FLEET.lanes[0], *FLEET.lanes[2:]):
        write_stop(folder, lane, Stop(Failure.BUSY, "others use it", None, 3, 1, 7))
    asked: list[Any] = []
    monkeypatch.setattr(on_machines, "resume_on", lambda *_, machines, **__: asked.append(machines) or 0)
    store = Store(home)
    try:
        assert on_machines.retry_on(folder, store, machines=who, as_json=False) == 0
    finally:
        store.close()
    assert asked == [names]


def test_words_that_name_no_lane_are_refused_with_the_lanes(home: Path) -> None:
    folder = home / "activities" / FLEET.id
    folder.mkdir(parents=True)
    write_fleet(folder, replace(FLEET, lanes=FLEET.lanes[:1]))
    store = Store(home)
    try:
        with pytest.raises(Exception, match="unknown machine or group 'n02'"):
            on_machines.retry_on(folder, store, machines=("n02",), as_json=False)
    finally:
        store.close()
