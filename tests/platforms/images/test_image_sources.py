"""The machine's own APT sources, read by the real apt-get from lists that this machine has fetched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.platforms.images import sources
from assay.platforms.images.recipe import current_recipe
from assay.platforms.images.sources import Source, kept_lists, machine_sources

Options = Callable[[str, str], list[str]]


@pytest.fixture
def only(tmp_path: Path) -> Options:
    """APT's options to see one sources file alone."""

    def write(name: str, text: str) -> list[str]:
        parts = tmp_path / "sources.list.d"
        parts.mkdir(exist_ok=True)
        (parts / name).write_text(text)
        settings = {"Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": str(parts)}
        caches = {"Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": ""}
        return [part for name, value in {**settings, **caches}.items() for part in ("-o", f"{name}={value}")]

    return write


@pytest.fixture(scope="module")
def main_source() -> Source:
    """The machine's own source of its release, whatever its mirror."""
    return min(machine_sources(), key=lambda source: len(source.codename))


def test_the_machine_has_sources_of_its_own_release(main_source: Source) -> None:
    assert main_source.component == "main"
    assert main_source.line.startswith("deb ")
    assert main_source.uri in main_source.line


def test_what_apt_has_read_is_kept_and_says_the_same(tmp_path: Path) -> None:
    kept = tmp_path / "apt.bin"
    assert machine_sources(kept_lists(kept)) == machine_sources()
    first = kept.stat()
    assert machine_sources(kept_lists(kept)) == machine_sources()
    assert kept.stat().st_mtime_ns == first.st_mtime_ns
    assert kept_lists(tmp_path / "none" / "apt.bin") == ()


def test_nothing_is_kept_where_the_disk_has_no_room_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "ROOM", shutil.disk_usage(tmp_path).total)
    assert kept_lists(tmp_path / "apt.bin") == ()


def test_what_an_apt_that_was_killed_left_is_removed_and_what_one_writes_is_not(tmp_path: Path) -> None:
    killed, written, other = (tmp_path / name for name in ("apt.bin.AbCdEf", "apt.bin.GhIjKl", "apt.binary"))
    for file in (killed, written, other):
        file.touch()
    for file in (killed, other):
        os.utime(file, (0, 0))
    assert kept_lists(tmp_path / "apt.bin")
    assert sorted(tmp_path.iterdir()) == [written, other]


def test_a_deb822_entry_and_a_one_line_entry_give_the_same_source(only: Options, main_source: Source) -> None:
    key = dict(main_source.options).get("signed-by", "/etc/apt/trusted.gpg")
    uri, suite = main_source.uri, main_source.suite
    stanza = f"# first\nTypes: deb\nURIs: http://other.invalid/x\n {uri}\nSuites: {suite}\nComponents: main\n"
    deb822 = machine_sources(only("a.sources", f"{stanza}Signed-By:\n {key}\n"))
    (Path(only("a.sources", "")[3].partition("=")[2]) / "a.sources").unlink()
    one_line = machine_sources(only("a.list", f"deb [arch=amd64 signed-by={key}] {uri} {suite} main\n"))
    assert deb822 == one_line
    assert dict(one_line[0].options) == {"signed-by": key}


def test_a_slash_at_the_end_of_an_address_makes_no_difference(only: Options, main_source: Source) -> None:
    uri = main_source.uri.rstrip("/")
    (found,) = machine_sources(only("a.list", f"deb [trusted=yes] {uri} {main_source.suite} main\n"))
    assert found.uri == main_source.uri
    assert found.options == (("trusted", "yes"),)


def test_sources_of_others_are_left_out(only: Options, main_source: Source) -> None:
    lines = f"deb {main_source.uri} {main_source.suite} main\ndeb http://vendor.invalid/apt stable main\n"
    assert [source.uri for source in machine_sources(only("a.list", lines))] == [main_source.uri]


def test_a_machine_without_its_distributions_sources_gets_one_clear_error(only: Options) -> None:
    with pytest.raises(MissingError) as caught:
        machine_sources(only("a.list", "deb http://vendor.invalid/apt stable main\n"))
    assert "APT has lists of nothing" in caught.value.message
    assert "\n" not in caught.value.message
    assert "apt-get update" in str(caught.value.hint)


def test_unreadable_sources_are_told_in_apts_own_words(only: Options) -> None:
    with pytest.raises(MissingError, match="Malformed"):
        machine_sources(only("a.list", "deb nonsense\n"))


def test_the_mirrors_name_has_no_part_in_the_digest(only: Options, main_source: Source) -> None:
    from dataclasses import replace

    recipe = current_recipe()
    moved = replace(recipe, sources=tuple(line.replace("//", "//mirror.") for line in recipe.sources))
    assert moved.digest == recipe.digest


def test_another_release_is_looked_for_in_the_machines_own_archives() -> None:
    here, there = machine_sources(), machine_sources(release="trixie")
    assert [one.uri for one in there] == [one.uri for one in sorted(here)]
    assert {one.suite.partition("-")[0] for one in there} == {"trixie"}
    assert all(one.suite == one.codename for one in there)
    assert {one.options for one in there} == {one.options for one in here}
    recipe = current_recipe(release="trixie")
    assert (recipe.suite, recipe.foreign) == ("trixie", True)
    assert recipe.digest != current_recipe().digest


def test_packages_and_components_decide_the_digest() -> None:
    from dataclasses import replace

    recipe = current_recipe()
    assert len(recipe.digest) == 16
    assert current_recipe(("bc",)).digest != recipe.digest
    assert current_recipe(("fio",)).digest == recipe.digest
    assert replace(recipe, suites=(*recipe.suites, ("bookworm", "contrib"))).digest != recipe.digest
