"""The list of ready scenes."""

from __future__ import annotations

import json
import os

from assay.report.lists.scene_index import INDEX, listed_scenes, scene_table
from assay.report.lists.scene_list import scene_entries
from assay.scenes import find_scene, read_scene, ready_scenes

BARE = read_scene(
    b"scene: bare\ntitle: T\nbaseline: {machine: local}\ntreatment: {machine: local}\nworkloads: [flops]\n",
    file="bare.yaml",
)


def test_each_scene_has_whose_figures_lie_beside_its_own_and_how_long_it_takes() -> None:
    head, quick, bare = scene_table(scene_entries([find_scene("quick"), BARE])).splitlines()
    assert head.split() == ["scene", "title", "published", "takes", "about"]
    assert "  Zhang et al. 2017, Ma and Zhang 2017  " in quick
    assert quick.endswith("6 min")
    assert bare.split() == ["bare", "T", "-", "-"]


def test_a_program_has_keys_and_seconds() -> None:
    quick, bare = scene_entries([find_scene("quick"), BARE])
    assert quick["publications"] == ["juno-2017", "boss-2017"]
    assert quick["takes_s"] == 360.0
    assert (bare["publications"], bare["takes_s"]) == ([], None)


def test_the_index_is_that_of_the_ready_scenes() -> None:
    entries = scene_entries(ready_scenes())
    if os.environ.get("REGENERATE") == "1":
        lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
        INDEX.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    assert listed_scenes() == entries, "rewrite with REGENERATE=1"
