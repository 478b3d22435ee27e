"""What must hold of a disk after a cut, and after the activity was resumed from it."""

from __future__ import annotations

import json
from typing import Any

from assay.model.activity import ActivityPlan
from tests.crash.activity import Resumed
from tests.crash.disk import Tree, at
from tests.crash.machines import GUEST, World, said_by


def records(folder: Tree, where: str) -> dict[str, Tree]:
    """Return the folders among the trials or the rejected that count as records, by name."""
    found = at(folder, where)
    names = found if isinstance(found, dict) else {}
    return {name: one for name, one in names.items() if name[0] != "." and isinstance(one, dict)}


def read(folder: Tree, *names: str) -> Any:
    """Return what a JSON file of an image says; it must be whole."""
    found = at(folder, *names)
    assert isinstance(found, bytes), f"no {'/'.join(names)}"
    return json.loads(found)


def check_whole(folder: Tree, record: Tree) -> None:
    """Hold a record to what its job said, file by file, and to the facts of its boot."""
    said = read(record, "trial.json")
    boots = [one["boot"] for one in said["members"]] or [said["boot"]]
    assert [read(folder, "facts", f"{boot}.json")["taken_ns"] for boot in boots] == [5] * len(boots)
    for one in said["members"]:
        part = record[one["name"]]
        assert isinstance(part, dict)
        _check_job(part)
    if not said["members"]:
        into, number = _check_job(record)
        if said["state"] == "ended":
            assert (into.rpartition("/")[2], number) == (name_of(said), int(said["usage"]["wall_s"]))


def _check_job(record: Tree) -> tuple[str, int]:
    """Hold what was fetched to what the job said; return its folder, and how often it was started there."""
    number = int(read(record, "probe.json")["usage"]["wall_s"])
    stdout = record["stdout"]
    assert isinstance(stdout, bytes)
    into = stdout.split()[0].decode()
    assert stdout == at(record, "groups", "some.csv") == said_by(into, number)
    assert record["stderr"] == b""
    return into, number


def name_of(said: Any) -> str:
    """Return the name of a record's trial."""
    planned = said["planned"]
    again = "-again" if planned["replicate"] else ""
    return f"{planned['index']:04d}-b{planned['block']}-{planned['arm']}{again}-{planned['workload']}"


def check_cut(folder: Tree, world: World, plan: ActivityPlan) -> None:
    """Hold a disk after a cut: what counts as a record is whole, and nothing that was said to be safe is
    missing.
    """
    kept, rejected = records(folder, "trials"), records(folder, "rejected")
    if world.listed or "activity.json" in folder:
        assert read(folder, "activity.json")["id"] == plan.id
    for record in (*kept.values(), *rejected.values()):
        check_whole(folder, record)
    assert world.safe <= set(kept)
    for trial in plan.trials:
        homes = (trial.name in kept) + sum(name.rpartition(".")[0] == trial.name for name in rejected)
        assert homes >= world.homes[trial.name]
    if "inflight.json" in folder:
        assert read(folder, "inflight.json")["index"] in range(len(plan.trials))
    if world.guests.get(GUEST):
        assert read(folder, "inflight.json")["guest"] == GUEST


def check_resumed(folder: Tree, world: World, resumed: Resumed, plan: ActivityPlan) -> None:
    """Hold what came of it: every trial has one whole record, and those that were there are as they were."""
    names = {trial.name for trial in plan.trials}
    for where in ("trials", "rejected"):
        before, after = records(folder, where), records(resumed.folder, where)
        assert {name: after[name] for name in before} == before
        for record in after.values():
            check_whole(resumed.folder, record)
    assert set(records(resumed.folder, "trials")) == names
    tries = [
        started for where in ("trials", "rejected") for started in _tries(records(resumed.folder, where))
    ]
    assert len(tries) == len(set(tries)), "one try has two records"
    assert len(records(resumed.folder, "rejected")) <= 1
    for name in records(folder, "trials"):
        assert _starts(resumed.world, name) == _starts(world, name)
    assert "inflight.json" not in resumed.folder
    assert not any(resumed.world.guests.values())
    assert resumed.rows == len(names)


def _tries(found: dict[str, Tree]) -> list[int]:
    return [read(record, "trial.json")["started_ns"] for record in found.values()]


def _starts(world: World, name: str) -> int:
    return sum(into.endswith(f"/{name}") for into in world.starts)
