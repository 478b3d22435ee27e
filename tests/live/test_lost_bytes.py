"""QEMU is killed under real guests that write: in each cache mode what they had acknowledged is looked for, a
planted loss is found, and a search that is killed among its kills goes on and leaves no guest.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.activities.evaluate import ensure_image, prepare
from assay.activities.tuning import kills, writer
from assay.activities.tuning.kills import Wanted, kill_guests
from assay.activities.tuning.lost import KILLS
from assay.activities.tuning.records import RECORD_BYTES
from assay.activities.visits.visit import Visit, guest_visit
from assay.model.activity import ActivityPlan
from assay.pages.tuning import Kill
from assay.scenes import read_scene
from assay.store.store import Store
from tests.activities.test_prove import Nobody
from tests.live.parts import (
    Done,
    Running,
    World,
    activities,
    assert_same_world,
    domains,
    left_behind,
    run,
    started,
)

pytestmark = [pytest.mark.live, pytest.mark.long]

MODES = ("none", "writeback", "unsafe")
THREE = """\
scene: three
title: Three cache modes
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 512 MiB, disk.cache: [none, writeback, unsafe]}}
workloads: [{name: nothing, command: "true"}]
design: {blocks: 3, wait-quiet: 0 s}
"""
RISKY = """\
scene: risky
title: A guest whose data are at risk as it is
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 512 MiB, disk.cache: unsafe}}
workloads:
  - {name: start, command: "sh -c 'i=0; while [ $i -lt 5 ]; do ls -l /usr/bin >/dev/null; i=$((i+1)); done'"}
design: {blocks: 3, wait-quiet: 0 s}
"""
ASKED = ("--set", "disk.discard=unmap", "--budget", "24", "--seed", "1")


@pytest.fixture(scope="module")
def plan(home: Path, before: World) -> ActivityPlan:
    """Return a plan of a guest of each cache mode, of which no trial is run."""
    del before
    store = Store(home)
    made = prepare(read_scene(THREE.encode(), file="three.yaml"), home=home, store=store, command=None)
    ensure_image(made, home=home, watcher=Nobody())  # type: ignore[arg-type]
    store.close()
    return made


@pytest.fixture
def modes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the cache modes that guests were seen to have once they were started again."""
    seen: list[str] = []

    @contextmanager
    def looked(*words: Any, **options: Any) -> Iterator[Visit]:
        with guest_visit(*words, **options) as visit:
            assert visit.platform is not None
            seen.append(visit.platform.disk_cache)
            yield visit

    monkeypatch.setattr(kills, "guest_visit", looked)
    return seen


def killed(plan: ActivityPlan, home: Path, mode: str, after_s: float) -> Kill:
    """Kill QEMU under one guest of that cache mode."""
    left = [Wanted(mode, MODES.index(mode), 0, after_s)]
    told: list[Kill] = []

    def done(wanted: Wanted, kill: Kill) -> None:
        left.remove(wanted)
        told.append(kill)

    def following() -> Wanted | None:
        return left[0] if left else None

    kill_guests(plan, following, done, home=home, watcher=Nobody())  # type: ignore[arg-type]
    return told[0]


@pytest.mark.parametrize("mode", MODES)
def test_what_was_acknowledged_is_there_after_a_kill_of_qemu(
    home: Path, before: World, plan: ActivityPlan, modes: list[str], mode: str
) -> None:
    kill = killed(plan, home, mode, 2.0)
    assert kill.reason == ""
    assert modes == [mode]
    assert kill.acknowledged_bytes is not None
    assert kill.acknowledged_bytes >= 3 * RECORD_BYTES
    assert kill.lost_bytes is not None
    assert 0 <= kill.lost_bytes <= kill.acknowledged_bytes
    # QEMU hands what it has to the kernel at a flush in every mode; of "unsafe" nothing is promised
    assert mode == "unsafe" or kill.lost_bytes == 0
    assert_same_world(home, before)


def test_a_loss_that_is_planted_is_found(
    home: Path, before: World, plan: ActivityPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that acknowledges without fsync: the guest's kernel has it, and is killed with QEMU."""
    careless = writer.SCRIPT.replace("conv=notrunc,fsync", "conv=notrunc")
    assert careless != writer.SCRIPT
    monkeypatch.setattr(writer, "SCRIPT", careless)
    kill = killed(plan, home, "none", 1.0)
    assert kill.reason == ""
    assert kill.lost_bytes is not None
    assert kill.lost_bytes > 0
    assert_same_world(home, before)


@dataclass(frozen=True)
class Story:
    """A search that is killed among its kills of QEMU, stopped among them, and ended."""

    after_kill: dict[str, Any]
    after_stop: dict[str, Any]
    stopped: Done
    left_by_stop: dict[str, object]
    end: Done


def kept(home: Path) -> dict[str, Any]:
    """Return what is known of the only search; nothing before it is kept."""
    files = list((home / "tunings").glob("*/tuning.json"))
    return json.loads(files[0].read_text()) if files else {"runs": [], "killed": []}


def counted(home: Path) -> int:
    return sum(len(one["kills"]) for one in kept(home)["killed"])


def progress(home: Path) -> tuple[int, int, int]:
    return len(kept(home)["runs"]), sum(len(one.records) for one in activities(home)), counted(home)


def reach(running: Running, home: Path, kills: int) -> None:
    """Wait until so many kills are kept and the guest of the next one is there."""
    while counted(home) < kills:
        seen = progress(home)
        running.wait_for(lambda seen=seen: progress(home) != seen, "it goes on")  # type: ignore[misc]
    running.wait_for(lambda: domains(home), "the guest of the next kill")


@pytest.fixture(scope="module")
def story(home: Path, before: World, tmp_path_factory: pytest.TempPathFactory) -> Story:
    scratch = [tmp_path_factory.mktemp(name) for name in ("begun", "resumed")]
    scene = scratch[0] / "risky.yaml"
    scene.write_text(RISKY)
    with started("tune", str(scene), *ASKED, home=home, scratch=scratch[0]) as running:
        reach(running, home, 1)
        running.send(signal.SIGKILL)
        running.end()
    after_kill = kept(home)
    with started("tune", "resume", home=home, scratch=scratch[1]) as running:
        reach(running, home, len(after_kill["killed"][0]["kills"]) + 1)
        running.press_ctrl_c()
        stopped = running.end()
    after_stop, left = kept(home), left_behind(home, before)
    end = run("tune", "resume", "--json", home=home, longest_s=600.0)
    return Story(after_kill, after_stop, stopped, left, end)


def test_a_search_goes_on_after_each_kill_that_was_counted(story: Story) -> None:
    assert story.end.code == 0, story.end.err
    page = story.end.page
    assert (story.after_kill["state"], story.after_stop["state"], page["state"]) == (
        "begun",
        "begun",
        "complete",
    )
    assert page["killed"][0]["name"] == "current"
    assert all(len(one["kills"]) == KILLS for one in page["killed"])
    for earlier in (story.after_kill, story.after_stop):
        for one, now in zip(earlier["killed"], page["killed"], strict=False):
            assert now["kills"][: len(one["kills"])] == one["kills"]
    for kill in (kill for one in page["killed"] for kill in one["kills"]):
        assert kill["reason"] == ""
        assert kill["acknowledged_bytes"] > 0
    assert [run["activity"] for run in page["runs"]] == [run["activity"] for run in story.after_kill["runs"]]


def test_ctrl_c_leaves_no_guest(story: Story) -> None:
    assert story.stopped.code == 130, story.stopped.err
    assert story.left_by_stop == {}


def test_what_was_counted_is_shown(story: Story, home: Path) -> None:
    assert story.end.code == 0
    text = run("tune", "show", home=home).out
    assert "Acknowledged writes" in text
    assert "A power cut of the host was not tried." in text


def test_no_guest_is_left_behind(story: Story, home: Path, before: World) -> None:
    del story
    assert_same_world(home, before)
