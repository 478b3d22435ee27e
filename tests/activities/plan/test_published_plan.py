"""The published figures of a scene go with the plan, and come back from its file."""

from __future__ import annotations

import json
from pathlib import Path

from assay.activities.plan.prepare import plan_activity
from assay.model.figures.published import PublishedSpec
from assay.scenes import read_scene
from assay.store.record import read_activity, write_activity
from assay.store.store import Store

SCENE = b"""scene: half
title: Half of the time
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [flops]
published: [{figures: juno-2017/cpu-loss, beside: flops, differs: Nothing is alike.}]
"""


def test_a_plan_keeps_what_its_scene_names_and_an_older_one_says_that_it_did_not(tmp_path: Path) -> None:
    store = Store(tmp_path)
    scene = read_scene(SCENE, file="half.yaml")
    plan = plan_activity(scene, home=tmp_path, store=store, image=lambda _: "", command=None)
    store.close()
    assert plan.published == (PublishedSpec("juno-2017/cpu-loss", ("flops",), (), "Nothing is alike."),)
    write_activity(tmp_path, plan)
    assert read_activity(tmp_path) == plan
    path = tmp_path / "activity.json"
    older = json.loads(path.read_bytes())
    del older["published"]
    path.write_text(json.dumps(older))
    assert read_activity(tmp_path).published is None
