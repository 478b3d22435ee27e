"""Thirty machines at once: one is cut off in a trial, one hangs up, one dies, one has a full disk, one
another key; and all of it goes on to its end.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.activities.fleet.plan import seed_of
from assay.model.errors import Exit
from tests.command import Done
from tests.fleet_hosts import Fleet, FleetHost, fleet_hosts
from tests.live.parts import Activity, World, assert_same_world, fits, run, started

COUNT = 30
FEW, SLOW = 8, {2: 0.05, 5: 0.05}
"""Machines that leave each other room, and processors' worth of time of two of them."""
CUT, HUNG_UP, DEAD, FULL, REKEYED, GOOD = range(6)

# a fifth of a second of work in ten parts, with room for all thirty between them
SCENE = """\
scene: itself
title: Each machine against itself
baseline: {machine: local}
treatment: {machine: local}
workloads:
  - name: bursts
    command: >-
      sh -c 'n=0; while [ $n -lt 6 ]; do
      n=$((n+1)); i=0; while [ $i -lt 6000 ]; do i=$((i+1)); done; sleep 0.25; done'
design: {blocks: 3}
"""

Call = Callable[..., Done]

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with fleet_hosts(tmp_path_factory.mktemp("fleet"), COUNT) as made:
        yield made


@pytest.fixture(scope="module")
def call(fleet: Fleet, home: Path) -> Call:
    """Return what runs the command where the machines are reached, as a user who knows them."""
    (fleet.folder / "hosts.yaml").write_text(fleet.inventory())

    def call(*arguments: str) -> Done:
        return run(*arguments, home=home, wrap=fleet.inside, variables={"HOME": str(fleet.home)})

    assert call("machine", "import", str(fleet.folder / "hosts.yaml")).code == 0
    return call


@pytest.fixture(scope="module")
def checked(fleet: Fleet, call: Call) -> Done:
    """Look at all machines, of which two are not as they were."""
    fleet.hosts[FULL].inside("sh", "-c", "head -c 3100M /dev/zero > /var/tmp/full 2>/dev/null; true")
    fleet.rekey(fleet.hosts[REKEYED])
    return call("machine", "check", "farm", "--json")


def test_a_machine_that_is_added_is_looked_at_at_once_and_kept_whatever_is_found(
    fleet: Fleet, call: Call, checked: Done
) -> None:
    del checked  # by now one machine has another key
    good, rekeyed = fleet.hosts[GOOD], fleet.hosts[REKEYED]
    added = call("machine", "add", "again", "--ssh", f"root@{good.address}", "--json")
    assert (added.code, added.page["check"]["good"]) == (Exit.DONE, True), added.err
    refused = call("machine", "add", "other", "--ssh", f"root@{rekeyed.address}", "--json")
    assert refused.code == Exit.UNREACHABLE, refused.err
    error = refused.page["check"]["error"]
    assert "its host key has changed" in error["message"]
    assert error["message"].count("SHA256:") == 2
    assert "ssh-keygen -R" in error["hint"]
    assert call("machine", "remove", "again,other").code == Exit.DONE


def test_all_are_looked_at_and_each_says_what_is_wrong_with_it(fleet: Fleet, checked: Done) -> None:
    assert checked.code == 7, checked.err
    wrong = {one["name"]: one for one in checked.page["machines"] if not one["good"]}
    assert set(wrong) == {fleet.hosts[FULL].name, fleet.hosts[REKEYED].name}
    refused = wrong[fleet.hosts[REKEYED].name]["error"]
    assert "its host key has changed" in refused["message"]
    assert refused["message"].count("SHA256:") == 2
    assert "ssh-keygen -R" in refused["hint"]
    full = wrong[fleet.hosts[FULL].name]["error"]
    assert "the disk of /var/tmp there has 0 B free" in full["message"], full


@dataclass(frozen=True)
class Story:
    """What was said: when it was stopped, and when it went on with what had been mended."""

    folder: Path
    stopped: Done
    shown: Done
    resumed: Done
    plans: dict[str, Any]

    def lane(self, host: FleetHost) -> Activity:
        """Return the part of a machine."""
        return lanes_of(self.folder)[host.name]


def lanes_of(folder: Path) -> dict[str, Activity]:
    """Return the part of each machine, by its name."""
    fleet = json.loads((folder / "fleet.json").read_text())
    return {lane["machine"]: Activity(folder / "lanes" / lane["activity"]) for lane in fleet["lanes"]}


@pytest.fixture(scope="module")
def story(
    fleet: Fleet, call: Call, checked: Done, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Story:
    """Evaluate on all of them with everything going wrong, stop it, mend what was wrong and go on."""
    del checked
    scratch = tmp_path_factory.mktemp("story")
    (scratch / "itself.yaml").write_text(SCENE)
    words = ("evaluate", str(scratch / "itself.yaml"), "--on", "farm", "--seed", "7")
    hosts = fleet.hosts
    variables = {"HOME": str(fleet.home)}
    with started(*words, home=home, scratch=scratch, wrap=fleet.inside, variables=variables) as running:
        running.wait_for(lambda: [*(home / "activities").glob("*/fleet.json")], "its plan")
        (folder,) = (file.parent for file in (home / "activities").glob("*/fleet.json"))
        lanes = lanes_of(folder)
        running.wait_for(lambda: lanes[hosts[CUT].name].records, "a record")
        running.wait_for(lambda: lanes[hosts[CUT].name].under_way, "a trial under way")
        fleet.cut(hosts[CUT])
        hung_up = lanes[hosts[HUNG_UP].name]
        ended = len(hung_up.records)
        running.wait_for(lambda: len(hung_up.records) > ended, "the end of a trial")
        running.wait_for(lambda: hosts[HUNG_UP].runs("sleep 0.25"), "the next job")
        hosts[HUNG_UP].hang_up()
        hosts[DEAD].kill()
        running.wait_for(lambda: running.said(f"{hosts[HUNG_UP].name}: "), "a lost connection")
        fleet.heal(hosts[CUT])
        well = [host for at, host in enumerate(hosts) if at not in {DEAD, FULL, REKEYED}]
        running.wait_for(lambda: all(len(lanes[host.name].records) == 9 for host in well), "all others")
        stop = call("activity", "stop", "last")
        assert stop.code == 0, stop.err
        stopped = running.end()
    shown = call("activity", "show", "last", "--json")
    plans = {name: lane.plan for name, lane in lanes.items() if (lane.folder / "activity.json").exists()}
    hosts[DEAD].start()
    hosts[FULL].inside("rm", "/var/tmp/full")
    fleet.trust()
    resumed = call("activity", "resume", "last", "--json")
    return Story(folder, stopped, shown, resumed, plans)


def test_what_one_machine_fails_at_costs_the_others_nothing(fleet: Fleet, story: Story) -> None:
    assert story.stopped.code == 130, story.stopped.err
    lanes = {lane["machine"]: lane for lane in story.shown.page["lanes"]}
    states = Counter(lane["state"] for lane in lanes.values())
    assert states["complete"] == COUNT - 3, states
    assert lanes[fleet.hosts[REKEYED].name]["state"] == "out"
    assert lanes[fleet.hosts[REKEYED].name]["stopped"]["failure"] == "refused"
    assert lanes[fleet.hosts[DEAD].name]["state"] == "interrupted"
    assert lanes[fleet.hosts[FULL].name]["state"] == "waiting"
    assert "Traceback" not in story.stopped.err
    assert re.search(rf"{fleet.hosts[FULL].name}: .* free, .* needed; tried again", story.stopped.err)


def test_all_go_on_to_their_ends_each_trial_once_and_in_the_order_of_its_plan(
    fleet: Fleet, story: Story
) -> None:
    assert story.resumed.code == 0, story.resumed.err
    assert story.resumed.page["state"] == "complete"
    for name, lane in lanes_of(story.folder).items():
        assert lane.plan["seed"] == seed_of(7, name)
        assert lane.plan == story.plans.get(name, lane.plan)
        records = lane.records
        assert [record["planned"] for record in records] == lane.plan["trials"]
        assert {record["machine"] for record in records} == {name}
        assert {record["activity"] for record in records} == {lane.id}
        began = [record["started_ns"] for record in records]
        assert began == sorted(began)
    orders = {json.dumps(lane.plan["trials"]) for lane in lanes_of(story.folder).values()}
    assert len(orders) > COUNT // 2, "machines share one order"
    assert fleet.hosts[DEAD].name in story.plans


def test_the_trial_of_a_connection_that_was_lost_is_brought_home_and_not_repeated(
    fleet: Fleet, story: Story
) -> None:
    lane = story.lane(fleet.hosts[HUNG_UP])
    assert f"{fleet.hosts[HUNG_UP].name}: looking for the trial that was cut off" in story.stopped.err
    assert f"{fleet.hosts[HUNG_UP].name}: 000" not in story.stopped.err, "it was lost"
    assert len(lane.records) == 9


def test_the_activity_is_listed_as_one_and_its_parts_can_be_shown(
    fleet: Fleet, story: Story, call: Call
) -> None:
    (row,) = call("activity", "list", "--json").page["activities"]
    assert (row["id"], row["trials"], row["ended"]) == (story.folder.name, 9 * COUNT, 9 * COUNT)
    shown = call("result", "show", story.lane(fleet.hosts[CUT]).id, "--json")
    assert shown.code == 0, shown.err
    assert shown.page["result"]["state"] == "complete"
    assert f"lanes/{story.lane(fleet.hosts[0]).id}/report.html" in (story.folder / "report.html").read_text()
    (listed,) = call("result", "list", "--json").page["fleets"]
    assert listed["machines"] == COUNT
    assert call("report", "last", "--format", "md").out.startswith("# Each machine against itself")
    rebuilt = call("store", "rebuild")
    assert rebuilt.code == 0, rebuilt.err
    assert call("activity", "list", "--json").page["activities"][0]["ended"] == 9 * COUNT


def test_further_blocks_are_run_on_each(story: Story, call: Call) -> None:
    done = call("activity", "extend", "last", "--blocks", "1", "--json")
    assert done.code == 0, done.err
    assert {lane["trials"] for lane in done.page["lanes"]} == {12}
    assert [len(lane.records) for lane in lanes_of(story.folder).values()] == [12] * COUNT
    again = call("activity", "retry", "last")
    assert (again.code, "no machine was taken out" in again.err) == (3, True)


def test_activities_on_other_machines_go_side_by_side_and_a_booked_machine_is_waited_for(
    fleet: Fleet, story: Story, call: Call, home: Path, tmp_path: Path
) -> None:
    del story
    scene = tmp_path / "itself.yaml"
    scene.write_text(SCENE)
    words = ("evaluate", str(scene), "--json", "--on")
    variables = {"HOME": str(fleet.home)}
    with started(
        *words,
        "n[10-12]",
        "--blocks",
        "9",
        home=home,
        scratch=tmp_path,
        wrap=fleet.inside,
        variables=variables,
    ) as first:
        first.wait_for(lambda: first.said("[1/81"), "its first record")
        beside = call(*words, "n[20-21]")
        assert beside.code == 0, beside.err
        waited = call(*words, "n12", "--wait")
        assert waited.code == 0, waited.err
        done = first.end()
    assert done.code == 0, done.err
    assert "cannot start: n12 is measured by activity" in waited.err
    assert [len(page["lanes"]) for page in (done.page, beside.page, waited.page)] == [3, 2, 1]


def test_nothing_is_left_behind(home: Path, before: World, story: Story) -> None:
    assert story.folder.exists()
    assert_same_world(home, before)


def test_planted_outliers_are_named_with_what_they_have_alone(
    home: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    with fleet_hosts(tmp_path_factory.mktemp("few"), FEW, quota=SLOW) as few:
        (tmp_path / "few.yaml").write_text(
            few.inventory().replace("farm", "few").replace("name: n", "name: f")
        )
        (tmp_path / "itself.yaml").write_text(SCENE.replace("-lt 6000", "-lt 12000"))
        variables = {"HOME": str(few.home)}
        words = (
            ("machine", "import", str(tmp_path / "few.yaml")),
            ("evaluate", str(tmp_path / "itself.yaml")),
        )
        for more in ((*words[0],), (*words[1], "--on", "few", "--json")):
            done = run(*more, home=home, wrap=few.inside, variables=variables)
            assert done.code == 0, done.err
        (row,) = (row for row in done.page["rows"] if row["metric"] == "wall_time")
        slower = [one for one in row["outliers"] if one["of"] == "baseline" and one["value"] > one["others"]]
        assert {one["machine"] for one in slower} == {f"f{at + 1:02d}" for at in SLOW}, row["outliers"]
        for outlier in slower:
            assert outlier["value"] > 1.2 * outlier["others"]
            differs = {one["field"]: (one["value"], one["others"]) for one in outlier["differs"]}
            assert differs["limits.processors"] == ("0.05", None)
        assert row["fleet"]["machines"] == FEW
        fits(done.page, "fleet-report")
        page = (home / "activities" / done.page["id"] / "report.html").read_text()
        assert "limits.processors is 0.05, of the others none" in page
