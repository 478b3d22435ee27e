"""``assay machine import``, ``export`` and the words that name several machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.model.errors import Exit
from assay.store.checks import last_found
from tests.command import run

HOSTS = """\
machines:
  - {name: n01, ssh: "root@127.0.0.1:1", groups: [farm], tags: {rack: a7}, role: candidate}
  - {name: n02, ssh: "root@127.0.0.1:1", groups: [farm, old], notes: "a fan is loud"}
  - {name: x1, ssh: "127.0.0.1:1"}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "hosts.yaml").write_text(HOSTS)
    done = run("machine", "import", str(tmp_path / "hosts.yaml"), home=tmp_path / "home")
    assert done.code == Exit.DONE, done.err
    assert "3 machines added" in done.err
    return tmp_path / "home"


def names(home: Path, who: str) -> list[str]:
    done = run("machine", "list", who, "--json", home=home)
    assert done.code == Exit.DONE, done.err
    return [one["name"] for one in done.page["machines"]]


def test_what_is_imported_is_listed_and_exported_as_it_was(home: Path, tmp_path: Path) -> None:
    listed = run("machine", "list", home=home).out
    assert "n02      ssh         root@127.0.0.1:1  farm, old" in listed
    assert "rack=a7  candidate" in listed
    exported = run("machine", "export", home=home).out
    (tmp_path / "again.yaml").write_text(exported)
    other = tmp_path / "other"
    assert run("machine", "import", str(tmp_path / "again.yaml"), home=other).code == Exit.DONE
    assert run("machine", "export", home=other).out == exported
    assert "a fan is loud" in exported


def test_importing_again_changes_nothing_and_another_address_needs_a_word(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "hosts.yaml"
    again = run("machine", "import", str(file), "--json", home=home)
    assert (again.code, again.page["machines"], again.page["unchanged"]) == (Exit.DONE, [], 3)
    file.write_text(HOSTS.replace("x1", "y1").replace("root@127.0.0.1:1", "root@127.0.0.1:2"))
    refused = run("machine", "import", str(file), home=home)
    assert refused.code == 3
    assert "cannot add machine 'n01': the name is taken" in refused.err
    assert "--replace" in refused.err
    assert names(home, "n[01-02],x1") == ["n01", "n02", "x1"]
    assert run("machine", "import", str(file), "--replace", home=home).code == Exit.DONE
    (changed,) = run("machine", "list", "n01", "--json", home=home).page["machines"]
    assert changed["port"] == 2


def test_groups_ranges_and_tags_name_machines(home: Path) -> None:
    assert names(home, "farm") == ["n01", "n02"]
    assert names(home, "n[01-02]") == ["n01", "n02"]
    assert names(home, "@rack=a7,x1") == ["n01", "x1"]
    unknown = run("machine", "check", "fram", home=home)
    assert (unknown.code, "nearest: 'farm'" in unknown.err) == (3, True)


def test_each_of_several_machines_says_what_it_lacks(home: Path) -> None:
    done = run("machine", "check", "local,n01", home=home)
    assert done.code == Exit.UNREACHABLE
    assert "ok       local" in done.out
    assert "no       n01            cannot reach n01" in done.out
    assert "1 of 2 machines can serve an evaluation" in done.err
    page = run("machine", "check", "local,n01", "--json", home=home).page
    assert [(one["name"], one["good"]) for one in page["machines"]] == [("local", True), ("n01", False)]
    assert page["machines"][1]["error"]["message"].startswith("cannot reach n01")


def test_a_check_for_a_scene_looks_for_its_programs_alone(home: Path) -> None:
    done = run("machine", "check", "local", "--for", "cpu-quota", "--json", home=home)
    assert done.code == Exit.DONE, done.out
    found = {check["name"] for check in done.page["machines"][0]["checks"]}
    assert "sysbench" in found
    assert "fio" not in found


def test_facts_of_those_that_answer_are_kept(home: Path) -> None:
    done = run("machine", "facts", "local,n01", home=home)
    assert done.code == Exit.UNREACHABLE
    assert "error: cannot reach n01" in done.err
    assert "kept as local@" in done.err
    refused = run("machine", "record", "farm", "--into", str(home / "x"), home=home)
    assert (refused.code, "'farm' are 2" in refused.err) == (2, True)


def test_several_machines_are_removed_and_this_one_never(home: Path) -> None:
    refused = run("machine", "remove", "local,n01", home=home)
    assert (refused.code, "it is this machine" in refused.err) == (3, True)
    assert names(home, "farm") == ["n01", "n02"]
    assert run("machine", "remove", "farm", home=home).code == Exit.DONE
    assert [one["name"] for one in run("machine", "list", "--json", home=home).page["machines"]] == [
        "local",
        "x1",
    ]


def test_a_machine_is_added_with_what_is_noted_of_it_and_looked_at_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    words = ("--group", "farm", "--tag", "rack=a7", "--tag", "gpu", "--role", "baseline", "--notes", "new")
    done = run("machine", "add", "n01", "--ssh", "127.0.0.1:1", *words, "--json", home=home)
    assert done.code == Exit.UNREACHABLE
    assert done.page["check"]["error"]["message"].startswith("cannot reach n01")
    (kept,) = run("machine", "list", "@gpu", "--json", home=home).page["machines"]
    assert (kept["groups"], kept["tags"], kept["role"], kept["notes"]) == (
        ["farm"],
        {"gpu": "", "rack": "a7"},
        "baseline",
        "new",
    )
    words = ("n02", "--ssh", "127.0.0.1:1", "--for", "cpu-quota", "--json")
    assert run("machine", "add", *words, home=home).code == Exit.UNREACHABLE
    assert last_found(home, "n02").scene == "cpu-quota"
    named = run("machine", "add", "farm", "--ssh", "127.0.0.1:1", home=home)
    assert (named.code, "cannot use 'farm' as a group: a machine is called so" in named.err) == (3, True)
    wrong = run("machine", "add", "n02", "--ssh", "h", "--role", "base", home=home)
    assert (wrong.code, "nearest: 'baseline'" in wrong.err) == (3, True)


def test_machines_are_watched_and_what_was_seen_last_is_listed(home: Path) -> None:
    done = run("machine", "watch", "local,n01", "--once", "--json", home=home)
    assert done.code == Exit.UNREACHABLE
    here, there = done.page["machines"]
    assert (here["why"], here["free_bytes"] > 0, 0 <= here["busy"] <= 1) == (None, True, True)
    assert there["why"].startswith("cannot reach n01")
    assert (here["last_seen_ns"], there["last_seen_ns"]) == (here["at_ns"], None)
    assert run("machine", "watch", "local", "--once", home=home).code == Exit.DONE
    listed = run("machine", "list", "--json", home=home).page["machines"]
    health = {one["name"]: one["health"] for one in listed}
    assert health["local"]["at_ns"] > here["at_ns"]
    assert (health["n01"]["load"], health["x1"]) == (None, None)
    assert "cannot reach n01" in run("machine", "list", home=home).out


def test_a_machine_that_is_as_it_was_has_no_changes(home: Path) -> None:
    for _ in range(2):
        assert run("machine", "facts", "local", home=home).code == Exit.DONE
    done = run("machine", "changes", "local", "--json", home=home)
    assert (done.code, done.page["machines"]) == (Exit.DONE, [{"name": "local", "changes": []}])
    assert "nothing of local has changed" in run("machine", "changes", "local", home=home).out


def test_what_is_given_takes_the_place_of_what_was_there_and_the_rest_stays(home: Path) -> None:
    before = noted(home, "n01")
    words = ("--group", "new", "--group", "farm", "--notes", "a fan is loud\nand the door")
    done = run("machine", "edit", "n01", *words, "--json", home=home)
    assert (done.code, done.page["changed"]) == (Exit.DONE, True), done.err
    assert noted(home, "n01") == {
        **before, "groups": ["farm", "new"], "notes": "a fan is loud\nand the door"
    }  # fmt: skip
    run("machine", "edit", "n01", "--ssh", "alice@[2001:db8::1]:22", "--tag", "gpu", home=home)
    after = noted(home, "n01")
    assert (after["host"], after["user"], after["port"]) == ("2001:db8::1", "alice", 22)
    assert (after["tags"], after["role"]) == ({"gpu": ""}, "candidate")
    same = run("machine", "edit", "n01", "--tag", "gpu", home=home)
    assert (same.code, "is as it was" in same.err) == (Exit.DONE, True)


def test_an_empty_text_leaves_nothing_there(home: Path) -> None:
    assert run("machine", "edit", "n02", "--guest-of", "x1", home=home).code == Exit.DONE
    assert noted(home, "n02")["carrier"]["name"] == "x1"
    words = ("--group=", "--tag=", "--role=", "--guest-of=", "--notes=")
    for name in ("n01", "n02"):
        assert run("machine", "edit", name, *words, home=home).code == Exit.DONE
        now = noted(home, name)
        assert [now[key] for key in ("groups", "tags", "role", "carrier", "notes")] == [
            [],
            {},
            None,
            None,
            "",
        ]
        assert now["port"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("n01",), "nothing to change"),
        (("n01", "--group", "x1"), "cannot use 'x1' as a group: a machine is called so"),
        (("n01", "--group", "a b"), "cannot use 'a b' as a group"),
        (("n01", "--tag", "=v"), "cannot use '' as a tag"),
        (("n01", "--role", "base"), "nearest: 'baseline'"),
        (("n01", "--ssh", "root@"), "no host name"),
        (("n01", "--guest-of", "n9"), "unknown machine 'n9'"),
        (("n01", "--guest-of", "n01"), "unknown machine 'n01'"),
        (("n9", "--notes", "x"), "unknown machine 'n9'"),
        (("local", "--notes", "x"), "it is this machine"),
    ],
)
def test_what_cannot_be_noted_changes_nothing(home: Path, words: tuple[str, ...], said: str) -> None:
    before = run("machine", "export", home=home).out
    done = run("machine", "edit", *words, home=home)
    assert (done.code in {2, 3}, said in done.err) == (True, True), done.err
    assert run("machine", "export", home=home).out == before


def test_what_a_check_found_last_is_kept(home: Path) -> None:
    assert last_found(home, "local") is None
    run("machine", "check", "local,n01", "--for", "cpu-quota", home=home)
    here, there = (last_found(home, name) for name in ("local", "n01"))
    assert here is not None
    assert there is not None
    assert (here.good, here.scene, here.error) == (True, "cpu-quota", None)
    assert (there.good, there.checks) == (False, ())
    assert str(there.error).startswith("cannot reach n01")
    (home / "machines/n01/check.json").write_text("{")
    assert last_found(home, "n01") is None


def noted(home: Path, name: str) -> dict[str, Any]:
    (one,) = run("machine", "list", name, "--json", home=home).page["machines"]
    return {key: value for key, value in one.items() if key != "health"}
