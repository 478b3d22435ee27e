"""What records share is kept once, and told where it is gone."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.pages import explained_page, page_of
from assay.model.platforms.platform import Platform
from assay.model.trial import Arm, Trial
from assay.store.content import content_digest
from assay.store.objects import domain_of, keep_object, missing_objects, object_text, with_objects
from assay.store.record import read_trials, write_trial
from tests.cli.conftest import home_with_result
from tests.command import run
from tests.results.test_outcome import PLAN

XML = "<domain type='qemu'><name>größe</name></domain>"
GUEST = Platform(
    kind="libvirt", accelerator="kvm", why="/dev/kvm is there", machine="q35", cpu_model="host", vcpus=1,
    memory_bytes=1 << 30, disk_format="qcow2", disk_cache="none", image=None, hypervisor="QEMU 7.2",
    library="libvirt 9.0.0", cpus=(1,), domain_xml=XML,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an activity whose guests were all of one domain."""
    place = home_with_result(tmp_path / "home") / "activities" / PLAN.id
    for trial in list(read_trials(place)):
        if trial.planned.arm is Arm.TREATMENT:
            written = replace(trial, platform=GUEST)
            write_trial(place / "trials" / trial.planned.name, with_objects(place, written))
    return place


def guests(folder: Path) -> list[Trial]:
    return [trial for trial in read_trials(folder) if trial.platform is not None]


def test_a_domain_is_kept_once_and_found_by_each_record(folder: Path) -> None:
    assert len(guests(folder)) > 1
    (file,) = (folder / "objects").iterdir()
    assert file.read_text() == XML
    assert file.stat().st_mode & 0o077 == 0
    for trial in guests(folder):
        assert trial.platform is not None
        assert (trial.platform.domain_xml, trial.platform.domain) == ("", file.name)
        assert domain_of(folder, trial) == XML
    assert missing_objects(folder, read_trials(folder)) == frozenset()


def test_a_record_that_holds_its_domain_itself_is_read_as_before(folder: Path) -> None:
    trial = guests(folder)[0]
    assert trial.platform is not None
    old = replace(trial, platform=replace(trial.platform, domain_xml=XML, domain=None))
    assert domain_of(folder, old) == XML
    assert domain_of(folder, replace(trial, platform=None)) is None


@pytest.mark.parametrize("explain", [False, True])
def test_one_that_is_gone_is_a_doubt_and_costs_no_figure(folder: Path, explain: bool) -> None:
    make = explained_page if explain else page_of
    before = make(folder)
    shutil.rmtree(folder / "objects")
    after = make(folder)
    (doubt,) = (one for one in after.doubts if one.code == "object-missing")
    assert (doubt.count, "no figure needs it" in doubt.sentence) == (1, True)
    assert after.estimates == before.estimates
    assert domain_of(folder, guests(folder)[0]) is None


def test_one_that_was_changed_is_not_given(folder: Path) -> None:
    (file,) = (folder / "objects").iterdir()
    file.write_text("other")
    assert object_text(folder, file.name) is None


def test_it_goes_with_a_copy_of_the_folder(folder: Path, tmp_path: Path) -> None:
    done = run("result", "import", str(folder), home=tmp_path / "other")
    assert done.code == 0, done.err
    copy = tmp_path / "other" / "imported" / PLAN.id
    assert domain_of(copy, guests(copy)[0]) == XML
    assert content_digest(copy) == content_digest(folder)


def test_a_text_is_written_once(tmp_path: Path) -> None:
    name = keep_object(tmp_path, "x")
    before = (tmp_path / "objects" / name).stat()
    assert keep_object(tmp_path, "x") == name
    assert (tmp_path / "objects" / name).stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("digest", ["/dev/zero", "../activity.json", "", "A" * 64])
def test_a_digest_of_others_is_no_path(tmp_path: Path, digest: str) -> None:
    assert object_text(tmp_path, digest) is None
