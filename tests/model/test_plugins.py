"""Plug-ins are found by entry points; one that cannot be used is left out, with the reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay.model import plugins
from assay.model.errors import UnknownNameError
from assay.model.plugins import Catalogue, Plugins, load


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of installed packages."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def install(folder: Path, package: str, *points: str) -> None:
    """Install a package with a module of values and entry points for them."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text("GOOD = 7\nTEXT = 'seven'\n")
    info = folder / f"{module}-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text("[assay.tests]\n" + "\n".join(points) + "\n")


@pytest.mark.usefixtures("installed")
def test_without_any_there_are_none() -> None:
    assert load("assay.nothing", int) == Plugins({}, ())


def test_a_value_of_an_installed_package_is_loaded(installed: Path) -> None:
    install(installed, "site-tools", "seven = site_tools:GOOD")
    assert load("assay.tests", int) == Plugins({"seven": 7}, ())
    sys.modules.pop("site_tools")


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ("x = no_such_module:X", "plug-in 'x' of bad-one 1.5: ModuleNotFoundError: No module named"),
        ("x = bad_one:GONE", "plug-in 'x' of bad-one 1.5: AttributeError: module 'bad_one' has no attribute"),
        ("x = bad_one:TEXT", "plug-in 'x' of bad-one 1.5: expected a int at bad_one:TEXT, got str"),
    ],
)
def test_what_cannot_be_used_is_left_out_with_the_reason(installed: Path, point: str, reason: str) -> None:
    install(installed, "bad-one", point, "good = bad_one:GOOD")
    found = load("assay.tests", int)
    assert found.values == {"good": 7}
    assert [fault.startswith(reason) for fault in found.faults] == [True]
    sys.modules.pop("bad_one")


def test_two_packages_with_one_name_leave_the_second_out(installed: Path) -> None:
    install(installed, "first", "seven = first:GOOD")
    install(installed, "second", "seven = second:GOOD")
    found = load("assay.tests", int)
    assert found.values == {"seven": 7}
    assert found.faults == ("plug-in 'seven' of second 1.5: another package has a plug-in of that name",)


def test_a_catalogue_asks_for_plug_ins_only_where_a_name_is_not_its_own() -> None:
    asked: list[str] = []

    def more() -> Plugins[int]:
        asked.append("more")
        return Plugins({"b": 2, "a": 9}, ())

    known = Catalogue("number", {"a": 1}, more)
    assert (known["a"], "a" in known, asked) == (1, True, [])
    assert (known["b"], list(known), len(known), asked) == (2, ["a", "b"], 2, ["more"])
    assert known.faults == ("plug-in: assay has a number 'a' of its own",)


def test_an_unknown_name_is_told_with_the_nearest_and_with_a_plug_in_that_is_left_out() -> None:
    known = Catalogue("number", {"one": 1}, lambda: Plugins({}, ("plug-in 'x': broken",)), hint="look here")
    assert known.get("ones") is None
    with pytest.raises(UnknownNameError, match=r"^unknown number 'ones'; nearest: 'one'") as caught:
        known["ones"]
    assert caught.value.hint == "plug-in 'x': broken"
    known = Catalogue("number", {"one": 1}, lambda: Plugins({}, ()), hint="look here")
    with pytest.raises(UnknownNameError) as caught:
        known["ones"]
    assert caught.value.hint == "look here"


def test_the_groups_are_those_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "extending.md").read_text()
    for group in (plugins.TOOLS, plugins.FACTORS, plugins.PLACES, plugins.PACKS, plugins.EXPORTERS):
        assert f"`{group}`" in text
