"""Several machines that do each trial of an arm together: what a scene may say of them, and what not."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.scenes import OtherMachine, Scene, SceneError
from assay.scenes.changes.write import write_scene
from assay.scenes.load import load_scene, read_scene

TOGETHER = "{machine: n1, with: [n2], factors: {data.access: local}}"
REMOTE = "{machine: n1, with: [n2], factors: {data.access: xrootd}}"
ABLE = "root-analysis, root-analysis-quarter, root-analysis-few"


def read(
    baseline: str, treatment: str, workload: str = "root-analysis", *, copies: str = "4", more: str = ""
) -> Scene:
    text = f"""\
scene: together
title: One analysis on several machines
baseline: {baseline}
treatment: {treatment}
data: {{size: 16 MiB, files: 4, content: root}}
workloads:
  - {{use: {workload}, placement: {{copies: {copies}}}{more}}}
"""
    return read_scene(text.encode(), file="together.yaml")


@pytest.mark.parametrize(
    ("baseline", "treatment", "beside"),
    [
        (TOGETHER, REMOTE, (("n2",), ("n2",))),
        ("{machine: n1}", "{machine: n1, with: [n2, n3, n4]}", ((), ("n2", "n3", "n4"))),
        ("{machine: n1, factors: {data.access: local}}", REMOTE, ((), ("n2",))),
        (TOGETHER, "{machine: n1}", (("n2",), ())),
    ],
)
def test_machines_do_the_work_of_an_arm_together(
    baseline: str, treatment: str, beside: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    scene = read(baseline, treatment)
    assert (scene.baseline_beside, scene.machines[0].beside) == beside
    again = read_scene(write_scene(scene).encode(), file="together.yaml")
    assert again.digest == scene.digest
    assert again.machines == scene.machines


def test_the_example_is_a_scene() -> None:
    scene = load_scene(Path(__file__).parents[2] / "examples" / "together.yaml")
    assert (scene.baseline_beside, scene.machines[0].beside) == (("node02",), ("node02",))


def test_a_scene_without_the_word_keeps_its_digest() -> None:
    said, silent = read("{machine: n1}", "{machine: n1, with: []}"), read("{machine: n1}", "{machine: n1}")
    assert said.digest == silent.digest
    assert silent.treatment == OtherMachine("n1")


def test_ways_to_the_data_are_swept() -> None:
    scene = read(TOGETHER, "{machine: n1, with: [n2], factors: {data.access: [local, xrootd]}}")
    assert [one.settings for one in scene.machines] == [
        (("data.access", "local"),),
        (("data.access", "xrootd"),),
    ]


@pytest.mark.parametrize(
    ("baseline", "treatment", "said"),
    [
        ("{machine: local}", "{machine: local, with: [n2]}", "got 'local', which conducts them"),
        ("{machine: n1}", "{machine: n1, with: [local]}", "got 'local', which conducts them"),
        ("{machine: n1}", "{machine: n1, with: [n2, n2]}", "got 'n2' again"),
        ("{machine: n1}", "{machine: n1, with: [n1]}", "got 'n1' again"),
        (
            "{machine: local}",
            "{machine: n1, with: [n2]}",
            "expected the baseline's machine, 'local', as the first",
        ),
        (TOGETHER, "{platform: guest}", "expected the machines themselves on both arms beside 'with'"),
        (TOGETHER, "{machine: n1, domain: web}", "expected no 'domain' beside 'with'"),
        (
            TOGETHER,
            "{machine: n1, factors: {cpu.quota: 50 %}}",
            "expected no factor but data.access beside 'with'",
        ),
        (
            TOGETHER,
            "{machine: n1, with: [n2], factors: {data.access: nfs}}",
            "machines beside 'with', got 'nfs'",
        ),
        ("{machine: n1}", REMOTE, "expected 'with' beside data.access xrootd"),
        (TOGETHER, "{machine: n1, with: [n2], factors: {host.thp: never}}", "no factor but data.access"),
    ],
)
def test_what_several_machines_cannot_be_is_refused(baseline: str, treatment: str, said: str) -> None:
    with pytest.raises(SceneError) as caught:
        read(baseline, treatment)
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("workload", "copies", "more", "said"),
    [
        ("flops", "4", "", f"expected a workload that several machines do together ({ABLE}), got flops"),
        ("data-read", "4", "", f"({ABLE}), got data-read"),
        (
            "root-analysis",
            "3",
            "",
            "expected a multiple of 2 copies of root-analysis, which 2 machines share",
        ),
        ("root-analysis", "[2, 4]", "", "expected one number of copies of root-analysis beside 'with'"),
        (
            *("root-analysis", "3", ", parameters: {users: {alice: 2, bob: 1}}"),
            "expected a multiple of 6 copies of root-analysis, which 2 machines and their users share, got 3",
        ),
    ],
)
def test_work_that_several_machines_cannot_share_is_refused(
    workload: str, copies: str, more: str, said: str
) -> None:
    with pytest.raises(SceneError) as caught:
        read(TOGETHER, REMOTE, workload, copies=copies, more=more)
    assert said in caught.value.message


def test_users_share_the_workers_by_weights() -> None:
    scene = read(TOGETHER, REMOTE, copies="6", more=", parameters: {users: {alice: 2, bob: 1}}")
    (chosen,) = scene.workloads
    assert chosen.parameters.users == (("alice", 2), ("bob", 1))  # type: ignore[union-attr]
    assert "users" in write_scene(scene)


@pytest.mark.parametrize(
    ("workload", "copies", "users", "said"),
    [
        ("root-analysis", "4", "{alice: 2, bob: 1}", "expected a multiple of"),
        ("root-analysis", "4", "{alice: 2}", "expected 2 to 16 users with their weights"),
        ("root-analysis", "4", "[alice, bob]", "expected 2 to 16 users with their weights"),
        ("root-analysis", "4", "{Alice: 1, bob: 1}", "a letter first, not 'Alice'"),
        (
            "root-analysis",
            "4",
            "{alice: 0, bob: 1}",
            "expected a whole number from 1 to 64 as the weight of alice",
        ),
        ("root-analysis", "4", "{alice: 2 %, bob: 1}", "as the weight of alice"),
        (
            "root-analysis-two-users",
            "4",
            "{alice: 1, bob: 1}",
            "expected a parameter of root-analysis-two-users",
        ),
    ],
)
def test_users_that_cannot_be_are_refused(workload: str, copies: str, users: str, said: str) -> None:
    with pytest.raises(SceneError) as caught:
        read(
            "{machine: n1}",
            "{machine: n1}",
            workload,
            copies=copies,
            more=f", parameters: {{users: {users}}}",
        )
    assert said in caught.value.message
