"""Searches by the command line: what is asked for, what is kept, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.tuning.kept import keep_tuning
from assay.factors.start.starts import ELSEWHERE
from assay.platforms.applied.journal import Applied, write_applied
from assay.store.store import Store
from tests.activities.tuning.world import SEVERAL
from tests.command import run
from tests.contracts import fits
from tests.report.tunings import tuning


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    Store(folder).close()
    keep_tuning(tuning(), folder)
    return folder


def test_a_search_is_listed_and_shown_by_its_name_its_beginning_and_as_the_last(home: Path) -> None:
    assert "89abcdef" in run("tune", "list", home=home).out
    for name in ("89abcdef", "89a", "last"):
        done = run("tune", "show", name, home=home)
        assert (done.code, done.out.splitlines()[0]) == (0, "Tuning 89abcdef: A guest that starts <badly>")
    fits(run("tune", "show", "--json", home=home).page, "tuning-v1")
    (listed,) = run("tune", "list", "--json", home=home).page["tunings"]
    assert listed["state"] == "complete"


def test_its_page_is_written_to_a_file(home: Path, tmp_path: Path) -> None:
    output = tmp_path / "tuning.html"
    assert run("tune", "show", "--output", str(output), home=home).code == 0
    assert output.read_text().startswith("<!DOCTYPE html>")


def test_a_search_that_is_not_there_is_named_with_those_that_are(home: Path) -> None:
    done = run("tune", "show", "1234", home=home)
    assert done.code == 3
    assert "unknown search '1234' (known: 89abcdef)" in done.err


def test_what_is_recommended_is_exported_and_what_is_not_is_refused_with_the_reason(home: Path) -> None:
    done = run("tune", "export", "--format", "virt-xml", home=home)
    assert done.out == "virt-xml DOMAIN --edit --xml ./devices/disk/driver/@cache=none\n"
    refused = run("tune", "export", "--set", "any", "--format", "virt-xml", home=home)
    assert refused.code == 3
    assert "it costs others of the mix: <job> wall_time loses 6.0 %" in refused.err
    assert run("tune", "apply", "--set", "any", "--domain", "worker1", home=home).code == 3


def test_what_is_not_shown_to_be_harmless_is_exported_where_that_is_asked_for(home: Path) -> None:
    known = tuning()
    safe, best = known.found
    open_ = replace(safe, recommended=False, undecided=True, reason="not shown to be harmless: flops")
    keep_tuning(replace(known, found=(open_, best)), home)
    words = ("tune", "export", "--format", "virt-xml")
    refused = run(*words, home=home)
    assert refused.code == 3
    assert "not shown to be harmless: flops" in refused.err
    assert "assay tune extend 89abcdef --blocks 10, or accept it as it is with --undecided" in refused.err
    assert run("tune", "apply", "--domain", "worker1", home=home).code == 3
    done = run(*words, "--undecided", home=home)
    assert (done.code, done.out) == (0, "virt-xml DOMAIN --edit --xml ./devices/disk/driver/@cache=none\n")
    worse = run(*words, "--undecided", "--set", "any", home=home)
    assert worse.code == 3
    assert "it costs others of the mix" in worse.err
    assert "--undecided" not in worse.err


def test_a_search_by_which_no_mix_is_undecided_is_not_extended(home: Path) -> None:
    done = run("tune", "extend", "last", "--blocks", "4", home=home)
    assert done.code == 3
    assert "no change-set of it is undecided" in done.err


def test_what_is_recommended_is_not_exported_before_its_lost_writes_are_counted(home: Path) -> None:
    keep_tuning(replace(tuning(), state="begun", killed=()), home)
    done = run("tune", "export", "--format", "virt-xml", home=home)
    assert done.code == 3
    assert "it is still to be checked" in done.err
    assert "assay tune resume 89abcdef" in done.err


def test_nothing_that_was_not_applied_is_looked_at_or_taken_back(home: Path) -> None:
    for act in ("verify", "rollback"):
        done = run("tune", act, home=home)
        assert done.code == 3
        assert "is applied" in done.err


def test_a_second_machine_is_one_of_the_inventory_and_not_the_first(home: Path) -> None:
    words = ("tune", "quick", "--set", "disk.cache=none,writethrough", "--allow", "migration", "--dry-run")
    for name, said in (("node7", "unknown machine 'node7'"), ("local", "it is where the search runs")):
        done = run(*words, "--also", name, home=home)
        assert done.code == 3
        assert said in done.err


def test_what_is_not_found_yet_is_not_measured_again(home: Path) -> None:
    keep_tuning(replace(tuning(), state="begun", id="00000008"), home)  # its confirmation is extended
    assert "search 00000008 has not ended" in run("tune", "verify", "00000008", "--measure", home=home).err
    keep_tuning(replace(tuning(state="begun"), id="00000007"), home)
    done = run("tune", "verify", "00000007", "--measure", home=home)
    assert done.code == 3
    assert "search 00000007 has not ended" in done.err
    assert "assay tune resume 00000007" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("quick",), "expected --factors"),
        (("quick", "--factors", "disk", "--budget", "12"), "expected 24 to 10000 evaluations, got 12"),
        (("quick", "--factors", "disk", "--budget", "soon"), "--budget: "),
        (("quick", "--set", "disk.cache"), "expected a factor and its levels"),
        (("quick", "--set", "disk.cache=none,wrong"), "--set disk.cache: expected one of"),
        (("--factors", "disk"), "No such option"),
    ],
)
def test_words_that_mean_nothing_are_refused(home: Path, words: tuple[str, ...], said: str) -> None:
    done = run("tune", *words, home=home)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("quick", "--factors", "dsk"), "dsk"),
        (("quick", "--factors", "disk", "--allow", "everything"), "unknown hazard 'everything'"),
        (("quik", "--factors", "disk"), "quik"),
    ],
)
def test_names_that_are_none_are_refused_with_the_nearest(
    home: Path, words: tuple[str, ...], said: str
) -> None:
    done = run("tune", *words, home=home)
    assert done.code == 3
    assert said in done.err


def test_a_search_whose_file_is_damaged_says_so(home: Path) -> None:
    file = home / "tunings" / "89abcdef" / "tuning.json"
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({**kept, "seed": "three"}))
    done = run("tune", "show", "89abcdef", home=home)
    assert done.code == 3
    assert "tuning.seed: expected" in done.err
    assert "no search yet" in run("tune", "list", home=home).out


def test_changes_of_a_guest_are_not_applied_to_no_domain(home: Path) -> None:
    for words in ((), ("--measure",)):
        done = run("tune", "apply", *words, home=home)
        assert done.code == 3
        assert "no domain is named" in done.err
    assert not (home / "tunings" / "89abcdef" / "applied.json").exists()


def test_a_command_line_that_is_none_is_refused(home: Path) -> None:
    for words in (("tune", "scene", "--command", "'", "--factors", "disk"),):
        done = run(*words, home=home)
        assert done.code == 2
        assert "cannot be split into words" in done.err


def test_levels_that_the_guest_keeps_are_known_to_an_export(home: Path) -> None:
    known = tuning()
    (found, *_) = known.found
    text = SEVERAL.replace("disk.cache: none}", "disk.cache: none, disk.bus: scsi}").replace(
        "{guests: 4}", "{guests: 1}"
    )
    changes = {"disk.iothread": "on", "disk.queues": "4"}
    keep_tuning(
        replace(known, scene_text=text, found=(replace(found, changes=changes, recommended=True),)), home
    )
    done = run("tune", "export", "--format", "proxmox", home=home)
    assert done.out == (
        "qm set ID --scsihw virtio-scsi-single --scsi0 VOLUME,cache=none,iothread=1,queues=4\n"
    )


def test_starts_are_exported_with_both_words_of_them(home: Path) -> None:
    known = tuning()
    (found, *_) = known.found
    changes = {"start.stagger": "5 s", "start.preload": "on"}
    keep_tuning(
        replace(
            known,
            scene_text=SEVERAL.replace("{guests: 4}", "{guests: 4, stagger: 2 s, at-once: 2}"),
            found=(replace(found, changes=changes, recommended=True),),
        ),
        home,
    )
    done = run("tune", "export", "--format", "htcondor", home=home)
    assert done.out == "JOB_START_DELAY = 5\nJOB_START_COUNT = 2\n"
    assert "not said: start.preload: a unit of the guest reads the files: export it with" in done.err
    assert "by the documents of htcondor alone, never run there by assay" in done.err
    assert run("tune", "export", "--format", "virt-xml", home=home).out == ""
    refused = run("tune", "apply", "--domain", "worker1", home=home)
    assert refused.code == 3
    assert (
        "cannot apply start.stagger and start.preload: it is when jobs start, and of no domain" in refused.err
    )


def test_what_was_not_put_in_is_named_where_the_rest_is_looked_at(home: Path) -> None:
    left = {"start.stagger": ELSEWHERE["start.stagger"]}
    applied = Applied("applied", {"start.stagger": "5 s"}, left, None, "", "", ())
    write_applied(home / "tunings" / "89abcdef", applied)
    done = run("tune", "verify", home=home)
    assert done.code == 0
    assert f"not looked at: start.stagger: {ELSEWHERE['start.stagger']}" in done.err
    assert run("tune", "verify", "--json", home=home).page["left"] == left
