"""The documentation against the command line: every command that it shows can be typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from assay.cli.entry import assay

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def shown() -> list[tuple[str, str]]:
    """Return each command of the pages' shell blocks, with its page."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            lines = (line.split("  #")[0].strip() for line in block.splitlines())
            found += [(page.name, line) for line in lines if line.startswith("assay ")]
    return found


@pytest.mark.parametrize(("page", "line"), shown(), ids=lambda value: value)
def test_every_command_of_the_pages_can_be_typed(page: str, line: str) -> None:
    arguments = shlex.split(line)[1:]
    command: click.Command = assay
    context = click.Context(assay)
    while isinstance(command, click.Group):
        name, found, arguments = command.resolve_command(context, arguments)
        assert found is not None, f"{page}: {line}: {name}"
        command = found
    command.make_context("assay", arguments, resilient_parsing=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_the_pages_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_word_of_the_packages_docstrings_layers_is_a_room() -> None:
    rooms = {folder.name for folder in (ROOT / "src/assay").iterdir() if (folder / "__init__.py").exists()}
    layers = (ROOT / "pyproject.toml").read_text().split("layers = [")[1].split("]")[0]
    assert rooms == set(re.findall(r"[a-z]+", layers))
