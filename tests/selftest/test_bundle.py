"""The file of a self-test: without names of the site, and a recorded machine as it is."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import cast

import pytest

from assay.factors.base.evidence import Host
from assay.model.errors import Exit
from assay.platforms.host.this_host import ThisHost
from assay.probe.facts import recorded_fingerprint
from assay.selftest.bundle import BundleError, recorded_machine, write_bundle
from assay.selftest.checks import Node
from assay.selftest.run import Outcome
from tests.builders import FACTS
from tests.command import run

MACHINE = Path(__file__).parents[1] / "machines/proof-8-cores"


def packed(folder: Path, path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, "machine")
    return path


def test_the_file_tells_what_held_and_names_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    why = f"cannot boot under {home}/guests on {FACTS.hostname}.site"
    outcomes = [Outcome("vhost", "packets", "failed", why, 1.5), Outcome("x", "y", "not here", "no", 0.0)]
    file = tmp_path / "selftest.tar.gz"
    write_bundle(file, outcomes, Node(FACTS, cast("Host", ThisHost(home))), home=home)
    with tarfile.open(file) as archive:
        names = archive.getnames()
        told = json.loads(cast("io.BufferedReader", archive.extractfile("selftest.json")).read())
        assert {entry.uname for entry in archive} == {"root"}
    assert told["checks"][0]["why"] == "cannot boot under HOME/guests on node.site"
    assert (told["schema"], told["checks"][0]["held"]) == ("assay.selftest", "failed")
    assert "machine/proc/meminfo" in names
    with recorded_machine(file) as folder:
        assert recorded_fingerprint(folder).facts.memory_bytes > 1 << 28
    assert not folder.exists()
    assert list(tmp_path.glob(".selftest*")) == []


def test_a_recorded_machine_is_planned_for_out_of_the_file(tmp_path: Path) -> None:
    file = packed(MACHINE, tmp_path / "theirs.tar.gz")
    (tmp_path / "mine.yaml").write_text(
        "scene: mine\ntitle: Half\nbaseline: {machine: local}\ntreatment: {machine: local}\n"
        "workloads: [flops]\nprocessors: all\n"
    )
    done = run(
        "evaluate", str(tmp_path / "mine.yaml"), "--dry-run", "--as", str(file), "--json",
        home=tmp_path / "home",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.page["recorded"] == str(file)
    assert done.page["arms"][0]["processors"] == list(range(8))


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(BundleError) as refused, recorded_machine(tmp_path / "text"):
        raise AssertionError
    assert refused.value.exit_code is Exit.INPUT
    with tarfile.open(tmp_path / "empty.tar.gz", "w:gz"):
        pass
    with (
        pytest.raises(BundleError, match="no recorded machine in it"),
        recorded_machine(tmp_path / "empty.tar.gz"),
    ):
        raise AssertionError
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(packed(MACHINE, tmp_path / "whole.tar.gz").read_bytes()[:300])
    with pytest.raises(BundleError), recorded_machine(cut):
        raise AssertionError


def test_a_file_that_reaches_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo("machine/../../evil")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"evil"))
    with pytest.raises(BundleError), recorded_machine(tmp_path / "evil.tar.gz"):
        raise AssertionError
    assert not (tmp_path.parent / "evil").exists()


def test_the_checks_are_listed_and_an_unknown_one_has_a_nearest(tmp_path: Path) -> None:
    listed = run("selftest", "--list", "--json", home=tmp_path).page["checks"]
    assert listed[0]["name"] == "whole-node"
    assert {"vhost", "kvm-guests", "cgroup-v2"} <= {one["name"] for one in listed}
    text = run("selftest", "--list", "--only", "vhost", home=tmp_path).out
    assert "a guest's packets are carried by vhost" in text
    done = run("selftest", "--only", "vhots", home=tmp_path)
    assert done.code == Exit.INPUT
    assert "nearest: 'vhost'" in done.err
