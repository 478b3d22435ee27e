"""Examples that are tuned by the command that they give."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from pathlib import Path

import pytest

from assay.activities.tuning import laid_out
from tests.activities.tuning.world import AnyHost, World, world
from tests.command import run

__all__ = ["world"]

ROOT = Path(__file__).parents[2]


def command_of(example: Path) -> list[str]:
    """Return the words of the first command ``assay tune`` in the comments at the head of an example."""
    comments = [line[1:] for line in example.read_text().splitlines() if line.startswith("#")]
    text = "\n".join(comments).replace("\\\n", " ")
    line = next(line.strip() for line in text.splitlines() if line.strip().startswith("assay tune "))
    return shlex.split(line)[1:]


def test_the_guest_that_starts_badly_is_tuned_by_the_command_of_its_comment(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laid_out, "carrier", lambda *_, **__: nullcontext(AnyHost()))
    words = command_of(ROOT / "examples/badly.yaml")
    assert words[:2] == ["tune", "examples/badly.yaml"]
    done = run(*words, "--dry-run", "--json", home=world.home, folder=ROOT)
    assert done.code == 0, done.err
    asked = words[words.index("--factors") + 1].split(",")
    assert asked == ["disk.cache", "disk.bus", "net.backend", "cpu.mode"]
    factors = {one["name"]: one["levels"] for one in done.page["factors"]}
    now = {"disk.cache": "directsync", "disk.bus": "ide", "net.backend": "user", "cpu.mode": "default"}
    assert {name: levels[0] for name, levels in factors.items()} == now
    assert all(len(levels) > 1 for levels in factors.values())
    allowed = set(words[words.index("--allow") + 1].split(","))
    assert {"migration", "isolation"} <= allowed == set(done.page["allowed"])
