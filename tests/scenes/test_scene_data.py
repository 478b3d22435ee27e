"""What a scene says of its data, and the mistakes in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.platforms.data import DataSpec
from assay.scenes import Guest, Scene, SceneError, read_scene
from assay.scenes.changes.write import write_scene

LOCAL, GUEST = "{machine: local}", "{platform: guest, factors: {data.access: glusterfs}}"
MADE = "{size: 64 MiB, files: 4}"


def scene(
    *, baseline: str = LOCAL, treatment: str = GUEST, data: str | None = MADE, workload: str = "data-read"
) -> Scene:
    said = "" if data is None else f"data: {data}\n"
    text = (
        f"scene: ways\ntitle: Ways\nbaseline: {baseline}\ntreatment: {treatment}\n{said}workloads: "
        f"[{workload}]\n"
    )
    return read_scene(text.encode(), file="ways.yaml")


def refusal(**words: str | None) -> str:
    with pytest.raises(SceneError) as refused:
        scene(**words)  # type: ignore[arg-type]
    return str(refused.value)


def test_data_are_made_or_a_path(tmp_path: Path) -> None:
    assert scene().data == DataSpec(size_bytes=64 << 20, files=4)
    assert scene(data=str(tmp_path)).data == DataSpec(str(tmp_path))


def test_a_repository_of_cvmfs_need_not_be_there_when_the_scene_is_read() -> None:
    assert scene(data="/cvmfs/geant4.cern.ch/share").data == DataSpec("/cvmfs/geant4.cern.ch/share")


def test_a_way_is_a_factor_of_guests_and_of_machines() -> None:
    assert scene().guests[0].settings == (("data.access", "glusterfs"),)
    machine = scene(treatment="{machine: local, factors: {data.access: xrootd}}").treatment
    assert not isinstance(machine, Guest)
    assert scene(baseline="{machine: local, factors: {data.access: local}}").baseline_data == (
        ("data.access", "local"),
    )


def test_a_guest_as_baseline_comes_by_the_data_as_the_treatment_unless_it_says() -> None:
    for factors, way in (("disk.io: native", "glusterfs"), ("data.access: local", "local")):
        guest = scene(baseline=f"{{machine: local, platform: guest, factors: {{{factors}}}}}").baseline_guest
        assert guest is not None
        assert dict(guest.settings)["data.access"] == way


def test_a_scene_with_data_is_written_as_it_was_read(tmp_path: Path) -> None:
    own = "{machine: local, factors: {data.access: local}}"
    for said in (scene(), scene(baseline=own), scene(data=str(tmp_path))):
        assert read_scene(write_scene(said).encode(), file="again.yaml").digest == said.digest


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"data": None}, "expected the key 'data' for what data-read reads, got none"),
        ({"data": None, "workload": "flops"}, "expected the key 'data' for factors of group data, got none"),
        (
            {"data": None, "workload": '{name: own, command: cat made, prepare: ["cp {data}/f made"]}'}
            | {"treatment": LOCAL},
            "expected the key 'data' for what own reads, got none",
        ),
        ({"data": "/nowhere"}, "expected an existing file or folder, got '/nowhere'"),
        ({"data": "4"}, "expected a file or folder, or {size: 64 MiB, files: 4}, got 4"),
        ({"data": "{size: 1 KiB}"}, "expected a size with its unit from 1 MiB to 64 TiB"),
        ({"workload": "root-analysis"}, "expected ROOT files as data for root-analysis, got files of noise"),
        ({"data": "{size: 8 MiB, content: rot}"}, "nearest: 'root'"),
        (
            {"data": "{size: 5 MiB, files: 3, content: root}"},
            "expected at least 2 MiB for each of 3 ROOT files, got 5,242,880 B together",
        ),
        (
            {"treatment": "{platform: guest, factors: {data.access: glusterf}}"},
            "nearest: 'glusterfs'",
        ),
        (
            {"treatment": "{platform: guest, factors: {data.access: [local, nfs]}}"},
            "expected the baseline's own data.access where treatments differ in it, got none",
        ),
        (
            {"baseline": "{machine: local, factors: {disk.io: native}}"},
            "expected 'platform: guest' beside the baseline's factors",
        ),
        (
            {
                "baseline": "{machine: local, factors: {data.access: local}}",
                "treatment": "{machine: local, factors: {data.access: xrootd, page-cache: read-ahead}}",
            },
            "expected cold or warm beside data.access xrootd, got read-ahead",
        ),
        (
            {
                "treatment": "{machine: local, factors: {data.access: xrootd}}",
                "workload": "{use: data-read, cache: read-ahead}",
            },
            "expected cold or warm beside data.access xrootd, got read-ahead",
        ),
        (
            {"baseline": "{machine: local, factors: {data.access: [local, nfs]}}"},
            "expected one level of a baseline, got a list",
        ),
    ],
)
def test_a_mistake_about_data_is_named_with_its_place(words: dict[str, str], message: str) -> None:
    assert message in refusal(**words)
