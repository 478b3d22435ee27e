"""Native programs of the package: where they lie, what they are, and what to do without them."""

from __future__ import annotations

import hashlib
import struct
import sys
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.model.files import native
from assay.model.files.native import CHAIN, FLAME, PROBE, NativeProgram, how_to_get

OWN = NativeProgram("the tool", "bin/tool")


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A package of its own, as a wheel would install it."""
    folder = tmp_path / "lib/assay"
    (folder / "bin").mkdir(parents=True)
    monkeypatch.setattr(native, "_PACKAGE", folder)
    return folder


def needs_a_loader(content: bytes) -> bool:
    """Tell whether an ELF of 64 bits names an interpreter (PT_INTERP)."""
    table, size, count = (
        *struct.unpack_from("<Q", content, 0x20),
        *struct.unpack_from("<HH", content, 0x36),
    )
    kinds = [struct.unpack_from("<I", content, table + at * size)[0] for at in range(count)]
    return 3 in kinds


def test_those_of_this_tree_are_static_executables() -> None:
    assert needs_a_loader(Path(sys.executable).resolve().read_bytes())
    for program, name in ((PROBE, "assay-probe"), (CHAIN, "chain"), (FLAME, "assay-flame")):
        assert program.path().name == name
        assert not needs_a_loader(program.path().read_bytes())
        assert program.sha256() == hashlib.sha256(program.path().read_bytes()).hexdigest()


def test_the_digest_is_that_of_what_lies_there_now(package: Path) -> None:
    place = package / "bin/tool"
    for content in (b"one", b"two"):
        place.write_bytes(content)
        place.chmod(0o755)
        assert OWN.sha256() == hashlib.sha256(content).hexdigest()


def test_one_that_is_missing_or_no_program_is_told_with_its_place(package: Path) -> None:
    for there in (False, True):
        if there:
            (package / "bin/tool").write_bytes(b"")
        with pytest.raises(MissingError) as missing:
            OWN.sha256()
        assert (
            str(missing.value) == f"cannot find the tool: {package}/bin/tool is not there or not executable"
        )


def test_who_has_a_wheel_is_not_told_to_make(package: Path) -> None:
    assert "make" not in how_to_get()
    tools = package.parents[1] / "tools"
    tools.mkdir()
    (tools / "setup").touch()
    assert how_to_get() == "make setup"
