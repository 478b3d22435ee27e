"""The JSON Schema for editors, and the documentation's scenes."""

import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from assay.scenes import SceneError, Wanted, alter_scene, find_scene, read_scene, ready_scenes, scene_schema
from tests.contracts import fits

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "contracts" / "scene-v1.schema.json"


def plain(source: str) -> Any:
    return YAML(typ="safe", pure=True).load(source)


def test_the_contract_is_what_the_code_generates() -> None:
    generated = json.dumps(scene_schema(), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("REGENERATE") == "1":
        CONTRACT.write_text(generated)
    assert CONTRACT.read_text() == generated, "rewrite with REGENERATE=1"


def test_the_schema_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(scene_schema())


def test_every_ready_scene_and_what_is_written_from_it_keeps_to_the_schema() -> None:
    for scene in ready_scenes():
        fits(plain(scene.source), "scene-v1")
        fits(plain(alter_scene(scene, Wanted(against="node7")).source), "scene-v1")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title:", "titel:"),
        ("2 GiB", "2 GHz"),
        ("2 GiB", "2"),
        ("auto", "0"),
        ("disk.cache: none", "disk.cache: fast"),
        ("disk.cache: none", "pause: 5 %"),
        ("disk.cache: none", "disk.read-limit: 20 MB/s"),
        ("blocks: 10", "blocks: 2"),
        ("95 %", "0.95"),
        ("flops", "flop"),
        ("machine: local", "machine: node 7"),
    ],
)
def test_an_editor_sees_the_mistakes_that_a_schema_can_see(old: str, new: str) -> None:
    source = find_scene("quick").source
    assert old in source
    with pytest.raises(jsonschema.ValidationError):
        fits(plain(source.replace(old, new)), "scene-v1")


def test_every_default_in_the_schema_keeps_to_it_and_is_what_the_code_does() -> None:
    found: dict[str, Any] = {}
    for form in (scene_schema(), *scene_schema()["$defs"].values()):
        for word, kind in form["properties"].items():
            if "default" in kind:
                jsonschema.validate(kind["default"], kind)
                found[word] = kind["default"]
    assert found == {
        "cpu.vcpus": "auto",
        "memory.size": "2 GiB",
        "disk.cache": "none",
        "time-limit": "1 h",
        "output-limit": "256 MiB",
        "blocks": 3,
        "sessions": 1,
        "session-gap": "1 h",
        "headline": "typical",
        "wait-quiet": "60 s",
        "confidence": "95 %",
        "margin": "2 %",
        "hz": 99,
        "scope": "job",
        "guests": 1,
        "stagger": "0 s",
        "at-once": 1,
        "preload": False,
        "interval": "1 s",
        "exit": [0],
        "content": "noise",
    }
    head = "scene: a\ntitle: A\nbaseline: {machine: local}\n"
    silent = head + "treatment: {platform: guest}\nworkloads: [{name: b, command: b}]\n"
    spoken = (
        f"{head}treatment: {{platform: guest, factors: {{cpu.vcpus: auto, memory.size: 2 GiB, "
        "disk.cache: none}}\n"
        "workloads: [{name: b, command: b, time-limit: 1 h}]\n"
        "design: {blocks: 3, confidence: 95 %, margin: 2 %, sessions: 1, session-gap: 1 h, "
        "shape: double, headline: typical, wait-quiet: 60 s}\n"
        "interval: 1 s\nplacement: {copies: 1, pinning: none, nice: 0, stagger: 0 s}\nwatch: []\n"
    )
    assert (
        read_scene(silent.encode(), file="a.yaml").digest == read_scene(spoken.encode(), file="a.yaml").digest
    )


def test_every_scene_in_the_documentation_is_a_good_scene(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "scenes.md").read_text()
    scenes = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "scene:" in block]
    for name in ("my-job", "data", "fit", "simulate"):
        (tmp_path / name).write_text("#!/bin/sh\n")
    assert scenes
    for source in scenes:
        scene = read_scene(source.encode(), file=str(tmp_path / "doc.yaml"))
        fits(plain(scene.source), "scene-v1")


def test_every_error_in_the_documentation_is_the_one_that_is_given() -> None:
    text = (ROOT / "docs" / "scenes.md").read_text()
    for source, message in re.findall(r"```yaml wrong\n(.*?)```\n+```text\n(.*?)\n```", text, re.DOTALL):
        with pytest.raises(SceneError, match=re.escape(message).replace("…", ".*")):
            read_scene(source.encode(), file="my.yaml")
