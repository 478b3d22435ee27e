"""What packages of others import of assay is in ``__all__``, so that it is known to be kept."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("assay", *(f"assay.{room}" for room in
         ("factors", "machines", "places", "platforms", "report", "workloads")))  # fmt: skip
"""Those of docs/extending.md."""
FILES = sorted(
    path
    for folder in ("examples/plugin", "packages/assay-openstack", "packages/assay-hep")
    for path in (ROOT / folder / "src").rglob("*.py")
    if path.parent.name != "chain_root"  # a part of a command of assay's own (docs/decisions/0046)
)


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each module of assay that a file imports from, and the name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "assay":
            yield from ((node.module or "", one.name) for one in node.names)
        if isinstance(node, ast.Import):
            yield from ((one.name, "") for one in node.names if one.name.partition(".")[0] == "assay")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_of_its_own_imports_public_names_alone(path: Path) -> None:
    for module, name in imported(path):
        assert module in ROOMS
        assert name in importlib.import_module(module).__all__


@pytest.mark.parametrize("room", ROOMS)
def test_a_public_name_is_there_and_its_room_is_named_where_plug_ins_are_told_of(room: str) -> None:
    module = importlib.import_module(room)
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []
    assert f"`{room}`" in (ROOT / "docs" / "extending.md").read_text()
    with pytest.raises(AttributeError, match=f"module '{room}' has no attribute 'nothing'"):
        _ = module.nothing
