"""The list of ready scenes."""

from __future__ import annotations

from assay.report.lists.scene_list import scene_entries, scene_table
from assay.scenes import find_scene, read_scene

BARE = read_scene(
    b"scene: bare\ntitle: T\nbaseline: {machine: local}\ntreatment: {machine: local}\nworkloads: [flops]\n",
    file="bare.yaml",
)


def test_each_scene_has_whose_figures_lie_beside_its_own_and_how_long_it_takes() -> None:
    head, quick, bare = scene_table([find_scene("quick"), BARE]).splitlines()
    assert head.split() == ["scene", "title", "published", "takes", "about"]
    assert "  Zhang et al. 2017, Ma and Zhang 2017  " in quick
    assert quick.endswith("6 min")
    assert bare.split() == ["bare", "T", "-", "-"]


def test_a_program_has_keys_and_seconds() -> None:
    quick, bare = scene_entries([find_scene("quick"), BARE])
    assert quick["publications"] == ["juno-2017", "boss-2017"]
    assert quick["takes_s"] == 360.0
    assert (bare["publications"], bare["takes_s"]) == ([], None)
