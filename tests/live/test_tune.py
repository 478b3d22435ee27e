"""A guest that starts badly, won back by a search that is killed twice; its change-set put into a domain."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live.parts import Activity, Done, World, activities, assert_same_world, run, started

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: badly
title: A guest that starts badly
baseline: {machine: local}
treatment:
  platform: guest
  factors: {memory.size: 512 MiB, disk.cache: directsync, tcg.tb-cache: 8 MiB}
workloads:
  - {name: start, command: "sh -c 'i=0; while [ $i -lt 12 ]; do ls -l /usr/bin >/dev/null; i=$((i+1)); done'"}
  - {name: write, command: "dd if=/dev/zero of=out bs=16k count=50 oflag=dsync"}
design: {blocks: 3, wait-quiet: 0 s}
"""
ASKED = ("--set", "tcg.tb-cache=64 MiB", "--factors", "disk.cache,disk.discard", "--allow", "memory")
BUDGET, SEED = "24", "1"


@dataclass(frozen=True)
class Story:
    """All that happened, in its order."""

    home: Path
    in_search: dict[str, Any]
    before: dict[tuple[str, str], tuple[bytes, int]]
    in_confirmation: dict[str, Any]
    end: Done


def kept(home: Path) -> dict[str, Any]:
    """Return what is known of the only search."""
    (file,) = (home / "tunings").glob("*/tuning.json")
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def runs(home: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kept(home)["runs"] if list((home / "tunings").glob("*/tuning.json")) else []
    return found


def files_of(home: Path) -> dict[tuple[str, str], tuple[bytes, int]]:
    """Return the files of all trials by activity and name: trials of several are called alike."""
    return {(act.id, name): one for act in activities(home) for name, one in act.files().items()}


def newest_of(home: Path, activity: str) -> Activity | None:
    return next((one for one in activities(home) if one.id == activity), None)


def is_in(home: Path, kind: str, trials: int) -> bool:
    """Tell whether a step of a kind has so many trials."""
    last = runs(home)[-1:]
    found = newest_of(home, last[0]["activity"]) if last and last[0]["kind"] == kind else None
    return found is not None and len(found.records) >= trials


@pytest.fixture(scope="module")
def story(home: Path, before: World, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Search, kill that in its second step and in its confirmation, and go on each time."""
    scratch = tmp_path_factory.mktemp("tune")
    scene = scratch / "badly.yaml"
    scene.write_text(SCENE)
    words = ("tune", str(scene), *ASKED, "--workload", "start", "--budget", BUDGET, "--seed", SEED)
    with started(*words, home=home, scratch=scratch) as running:
        running.wait_for(lambda: len(runs(home)) == 2 and is_in(home, "search", 2), "the second step runs")
        running.send(signal.SIGKILL)
        running.end()
    in_search = kept(home)
    files = files_of(home)
    again = tmp_path_factory.mktemp("again")
    with started("tune", "resume", home=home, scratch=again) as running:
        running.wait_for(lambda: is_in(home, "confirm", 3), "the confirmation runs")
        running.send(signal.SIGKILL)
        running.end()
    in_confirmation = kept(home)
    end = run("tune", "resume", "--json", home=home, longest_s=900.0)
    return Story(home, in_search, files, in_confirmation, end)


def test_it_is_gone_on_with_after_each_kill_and_no_trial_is_run_twice(story: Story) -> None:
    assert story.end.code == 0, story.end.err
    assert [run["state"] for run in story.in_search["runs"]] == ["ended", "begun"]
    assert story.in_confirmation["runs"][-1]["kind"] == "confirm"
    assert story.end.page["state"] == "complete"
    steps = [run["activity"] for run in story.end.page["runs"]]
    assert steps[:2] == [run["activity"] for run in story.in_search["runs"]]
    assert sorted(steps) == sorted(one.id for one in activities(story.home))
    now = files_of(story.home)
    assert {name: now[name] for name in story.before} == story.before


def test_what_was_planted_is_found_and_confirmed(story: Story) -> None:
    (found,) = story.end.page["found"]
    assert found["changes"]["tcg.tb-cache"] == "64 MiB"
    current = next(one for one in found["saved"] if one["over"] == "current")
    assert current["low"] > 0.1
    assert {row["workload"] for row in found["mix"]} == {"start", "write"}
    assert all(row["loss"] is not None for row in found["mix"])
    worse, undecided = (any(row[word] for row in found["mix"]) for word in ("worse", "undecided"))
    verdict = (found["recommended"], found["undecided"])
    assert verdict == (not worse and not undecided, undecided and not worse), found["reason"]
    assert found["reason"].startswith("it costs others of the mix: write") is worse, found["reason"]


def test_nothing_is_left_behind(story: Story, before: World) -> None:
    assert_same_world(story.home, before)
