"""What a scene says that its machine must have, and what of it is lacking."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.plan.needs import check_needs
from assay.factors.base.evidence import Host
from assay.model.errors import Exit, MissingError
from assay.model.work.needs import Needs
from assay.scenes import Scene, find_scene
from tests.builders import FACTS

GIB = 1024**3
HOST = cast("Host", SimpleNamespace(nodes=(0,), accelerator="tcg", has=lambda name: name == "fio"))


def scene(needs: Needs, *, scale: str | None = None) -> Scene:
    return replace(find_scene("quick", scale=scale), needs=needs)


def lacking(needs: Needs, **more: Any) -> str:
    given = {"home": None, "here": FACTS, **more}
    with pytest.raises(MissingError) as caught:
        check_needs(scene(needs), given["here"], on=HOST, home=given["home"])
    assert caught.value.exit_code is Exit.MISSING
    return str(caught.value)


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        (Needs(cores=3), "it needs 3 cores, there are 2"),
        (Needs(memory_bytes=9 * GIB), "it needs 9 GiB of memory, there are 8 GiB"),
        (Needs(nodes=2), "it needs 2 memory nodes, there is 1"),
        (Needs(kvm=True), "it needs KVM, which does not run guests there"),
        (Needs(tools=("fio", "iozone")), "it needs iozone, which is not on the path"),
    ],
)
def test_what_is_lacking_is_said(needs: Needs, said: str) -> None:
    assert lacking(needs) == f"cannot evaluate quick on node: {said}"


def test_all_that_is_lacking_is_said_at_once() -> None:
    assert lacking(Needs(cores=64, kvm=True)).endswith(
        "it needs 64 cores, there are 2; it needs KVM, which does not run guests there"
    )


def test_siblings_are_no_cores() -> None:
    smt = replace(FACTS, cpus=(0, 1, 2, 3), siblings=((0, 2), (1, 3)))
    assert "it needs 4 cores, there are 2" in lacking(Needs(cores=4), here=smt)


def test_room_is_looked_for_on_the_disk_of_the_nearest_folder_that_is_there(tmp_path: Path) -> None:
    home = tmp_path / "not" / "yet"
    assert f"of free disk under {home}, there are" in lacking(Needs(disk_bytes=1 << 60), home=home)
    check_needs(scene(Needs(disk_bytes=1)), FACTS, on=HOST, home=home)
    check_needs(scene(Needs(disk_bytes=1 << 60)), FACTS, on=HOST, home=None)


def test_a_machine_that_has_it_all_is_let_through() -> None:
    check_needs(scene(Needs(2, 8 * GIB, None, 1, kvm=False, tools=("fio",))), FACTS, on=HOST, home=None)
    check_needs(scene(Needs()), FACTS, on=HOST, home=None)


def test_a_scale_that_does_not_fit_names_the_others() -> None:
    large = replace(find_scene("event-scan", scale="publication"), needs=Needs(cores=99))
    with pytest.raises(MissingError) as caught:
        check_needs(large, FACTS, on=HOST, home=None)
    assert "cannot evaluate event-scan at the scale publication on node" in str(caught.value)
