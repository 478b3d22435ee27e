"""``assay factors list`` and ``export`` as a person and a program meet them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.factors.catalogue import FACTORS
from tests.command import run


def test_all_factors_are_listed_for_programs_too(tmp_path: Path) -> None:
    done = run("platform", "factors", "--json", home=tmp_path)
    page = done.page
    assert (page["schema"], page["version"]) == ("assay.factors", [1, 1])
    assert [row["name"] for row in page["factors"]] == list(FACTORS)


def test_an_export_is_the_answer_and_what_is_lost_is_said_beside_it(tmp_path: Path) -> None:
    done = run("platform", "export", "disk.cache=none", "net.mtu=9000", "--format", "nova", home=tmp_path)
    assert done.code == 0
    assert done.out == "# nova.conf\n[libvirt]\ndisk_cachemodes = file=none,block=none,network=none\n"
    lost, never = done.err.splitlines()
    assert lost == "not said: net.mtu: Nova has no word for it"
    assert never.startswith("by the documents of nova alone, never run there by assay")


def test_an_export_for_programs_holds_both(tmp_path: Path) -> None:
    words = ("disk.cache=none", "host.thp=never", "--format", "libvirt", "--json")
    page = run("platform", "export", *words, home=tmp_path).page
    assert (page["schema"], page["format"]) == ("assay.export", "libvirt")
    assert '<driver cache="none" />' in page["text"]
    assert page["left_out"] == [{"name": "host.thp", "reason": "it is the host's, not the guest's"}]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("disk.cache=none", "--format", "vmware"), 2, "'vmware' is not one of 'libvirt'"),
        (("disk.cache=none",), 2, "Missing option '--format'"),
        (("--format", "nova"), 2, "Missing argument"),
        (("disk.cash=none", "--format", "nova"), 3, "nearest: 'disk.cache'"),
        (("disk.cache=fast", "--format", "nova"), 3, "expected one of none, writeback"),
        (("disk.cache=none", "disk.cache=unsafe", "--format", "nova"), 3, "disk.cache twice"),
    ],
)
def test_what_cannot_be_exported_says_why(
    words: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    done = run("platform", "export", *words, home=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


@pytest.mark.parametrize("columns", ["60", "100"])
def test_the_list_keeps_to_the_terminal_and_names_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = run("factors", "list", home=tmp_path).out.splitlines()
    assert all(len(line) <= int(columns) for line in lines)
    assert {line.split()[0] for line in lines if line.strip()} >= {*FACTORS}


def test_the_list_is_narrowed_by_group_by_text_and_by_what_can_be_had(tmp_path: Path) -> None:
    def names(*words: str) -> set[str]:
        return {
            row["name"] for row in run("factors", "list", *words, "--json", home=tmp_path).page["factors"]
        }

    clock = {name for name, factor in FACTORS.items() if factor.group == "clock"}
    assert names("--group", "clock") == clock
    assert names("--group", "clock", "--here") < clock or names("--group", "clock", "--here") == clock
    assert "disk.cache" in names("--search", "JUNO 2017")
    assert names("--search", "no such words") == set()
    assert run("factors", "list", "--search", "no such words", home=tmp_path).out == "no such setting\n"
    done = run("factors", "list", "--group", "dsik", home=tmp_path)
    assert (done.code, "nearest: 'disk'" in done.err) == (3, True)


def test_one_is_shown_in_full_and_a_group_as_a_list(tmp_path: Path) -> None:
    shown = run("factors", "show", "disk.cache", home=tmp_path).out
    assert shown == run("platform", "factors", "disk.cache", home=tmp_path).out
    assert "QMP query-block" in shown
    assert (
        run("factors", "show", "clock", home=tmp_path).out
        == run("factors", "list", "--group", "clock", home=tmp_path).out
    )
    assert run("factors", "show", "disk.cahce", home=tmp_path).code == 3
