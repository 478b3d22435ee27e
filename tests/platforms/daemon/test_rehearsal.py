"""Settings tried on a paused guest: what takes, what is refused, and nothing stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.host.this_host import ThisHost
from tests.live.parts import domains, run
from tests.platforms.guest_parts import PROBE, fresh_home

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder, libvirt_connection(folder, subreaper=PROBE):
        yield folder


def test_a_setting_that_takes_is_seen_from_outside_and_nothing_stays(home: Path) -> None:
    done = run("platform", "try", "disk.cache=directsync", "cpu.vcpus=2", "--json", home=home)
    assert done.code == 0, done.err
    page = json.loads(done.out)
    assert (page["schema"], page["accelerator"]) == ("assay.try", ThisHost().accelerator)
    assert {row["name"]: (row["wanted"], row["found"], row["ok"]) for row in page["factors"]} == {
        "disk.cache": ("directsync", "directsync", True),
        "cpu.vcpus": ("2", "2", True),
    }
    assert page["refused"] == []
    assert domains(home) == ()
    assert list((home / "guests").iterdir()) == []


def test_the_accelerator_is_told_beside_what_was_found(home: Path) -> None:
    done = run("platform", "try", "cpu.vcpus=2", home=home)
    assert "accelerator: " in done.err
    assert "accelerator" not in done.out


def test_a_change_of_the_host_is_refused_with_what_to_type(home: Path) -> None:
    path = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    before = path.read_text()
    level = "never" if "[never]" not in before else "always"
    done = run("platform", "try", f"host.thp={level}", "--json", home=home)
    assert done.code == 4
    (refused,) = json.loads(done.out)["refused"]
    assert refused["reason"].endswith(f"echo {level} > {path}")
    assert path.read_text() == before


def test_an_unknown_level_names_the_nearest(home: Path) -> None:
    done = run("platform", "try", "disk.cache=writback", home=home)
    assert (done.code, done.out) == (3, "")
    assert "nearest: 'writeback'" in done.err
