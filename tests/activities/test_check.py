"""What is looked for on a machine before an evaluation, and the values from which it serves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.activities import check
from assay.activities.check import FREE_BYTES, check_machine
from assay.model.errors import MissingError
from assay.model.machines.check import Check
from assay.model.machines.machine import Facts, Machine
from assay.model.work.workload import File, Program
from assay.scenes import find_scene
from tests.builders import FACTS


class Looked:
    """A machine of so much room, with all programs but some."""

    def __init__(self) -> None:
        self.folder, self.lacking, self.free = "/there", set[str](), FREE_BYTES
        self.seen: Facts = replace(FACTS, cpus=(0, 1), memory_bytes=2 << 30, cgroup="v2")

    def facts(self) -> Facts:
        return self.seen

    def space(self, path: str) -> object:
        return SimpleNamespace(free_bytes=self.free if path == "/there" else 0)

    def digest(self, name: str, script: str | None = None, known: object = None) -> Program:
        if name in self.lacking:
            msg = f"no {name}"
            raise MissingError(msg)
        return Program(File(name, f"/bin/{name}", "0"))


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Looked:
    machine = Looked()

    @contextmanager
    def opened(asked: Machine, home: Path) -> Iterator[tuple[Looked, Looked]]:
        assert (asked.name, home.name) == ("node", "home")
        yield machine, machine

    monkeypatch.setattr(check, "open_probe", opened)
    return machine


def checks() -> dict[str, Check]:
    return {one.name: one for one in check_machine(Machine("node"), home=Path("home"))}


def test_a_machine_that_has_just_enough_serves(looked: Looked) -> None:
    found = checks()
    assert list(found)[:6] == ["probe", "architecture", "cores", "memory", "cgroup", "space"]
    assert all(one.good for one in found.values())
    assert [found[name].sentence for name in list(found)[:6]] == [
        "node, kernel 6.1",
        "x86_64",
        "2; one is left to the controller or the probe",
        "2 GiB",
        "v2",
        "2 GiB free under /there",
    ]
    assert found["sysbench"] == Check("sysbench", good=True, sentence="/bin/sysbench")


def test_one_core_or_a_byte_too_little_is_not_enough(looked: Looked) -> None:
    looked.seen = replace(FACTS, cpus=(0,), memory_bytes=(2 << 30) - 1, cgroup=None)
    looked.free = FREE_BYTES - 1
    found = checks()
    assert {name for name, one in found.items() if not one.good} == {"cores", "memory", "space"}
    assert found["cgroup"].sentence == "none can be made: limits by affinity only"


def test_programs_that_every_guest_has_must_be_there_and_others_may_lack(looked: Looked) -> None:
    looked.lacking = set(checks())
    found = {
        name: one
        for name, one in checks().items()
        if name not in {"probe", "architecture", "cores", "memory", "cgroup", "space"}
    }
    assert found["sysbench"] == Check(
        "sysbench", good=False, sentence="not found; its Debian package is sysbench"
    )
    extra = [one.sentence for one in found.values() if one.good]
    assert extra
    assert all("; only workloads like " in sentence and sentence.endswith(" need it") for sentence in extra)
    assert any(sentence.startswith("not found; no Debian package brings it; only") for sentence in extra)
    assert not any("only workloads" in one.sentence for one in found.values() if not one.good)


def test_a_program_that_may_be_missing_is_optional_and_not_ok(looked: Looked) -> None:
    assert {one.word for one in checks().values()} == {"ok"}
    looked.lacking = {"iozone", "sysbench"}
    found = checks()
    assert [found[name].word for name in ("probe", "sysbench", "iozone")] == ["ok", "missing", "optional"]
    assert found["iozone"].good, "a machine without it can serve"


def test_a_processor_of_another_kind_does_not_serve(looked: Looked) -> None:
    looked.seen = replace(looked.seen, architecture="aarch64")
    found = checks()["architecture"]
    assert (found.good, found.sentence) == (False, "aarch64: programs and guests are of x86_64")


@pytest.mark.parametrize("lacks", [True, False])
def test_guests_of_this_machine_need_its_libvirt(
    looked: Looked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lacks: bool
) -> None:
    def require_libvirt() -> None:
        if lacks:
            raise MissingError("libvirt is not installed")

    monkeypatch.setattr(check, "require_libvirt", require_libvirt)
    scene = find_scene("basic", home=None)
    *_, last = check_machine(Machine("node"), home=tmp_path / "home", scene=scene)
    assert (last.name, last.good) == ("hypervisor", not lacks)
    assert last.sentence == ("libvirt is not installed" if lacks else "its libvirt is there")
