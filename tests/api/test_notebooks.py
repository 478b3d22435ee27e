"""The example notebooks run from their first cell to their last, and show what they are for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/notebooks"
KEPT = ROOT / "docs/examples/explore.ipynb"
SHOWN = {
    "explore": ("quick", "49.17 to 51.11 %", "<svg", "contribution"),
    "own-chart": ("<svg", "ratio"),
    "host-and-guest": ("<svg", "spin events", "3 blocks; each visits host twice"),
}
FILES = {"explore": (), "own-chart": ("ratio.pdf", "ratio.png"), "host-and-guest": ("host-and-guest.pdf",)}


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs_and_shows_what_it_is_for(
    measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(measured))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    for folder in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(folder, str(tmp_path / folder.lower()))
    book: Any = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    assert all(not cell.get("outputs") for cell in book.cells)
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "".join(str(cell.get("outputs", "")) for cell in book.cells)
    for text in SHOWN[name]:
        assert text in shown, text
    for file in FILES[name]:
        assert (tmp_path / file).stat().st_size > 1000


def test_the_notebook_that_is_kept_with_its_outputs_is_the_example_as_it_is() -> None:
    kept: Any = nbformat.read(KEPT, as_version=4)  # type: ignore[no-untyped-call]
    plain: Any = nbformat.read(FOLDER / KEPT.name, as_version=4)  # type: ignore[no-untyped-call]
    assert [cell.source for cell in kept.cells] == [cell.source for cell in plain.cells], (
        ".venv/bin/python tools/notebook explore"
    )
    outputs = [cell.outputs for cell in kept.cells if cell.cell_type == "code"]
    assert all(shown and {one.output_type for one in shown} == {"execute_result"} for shown in outputs)
    assert "<svg" in str(outputs)
    assert KEPT.stat().st_size < 300_000
