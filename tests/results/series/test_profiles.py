"""The profiles of an arm are summed, drawn, and kept beside the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.model.trial import Arm, Member, PlannedTrial, Trial
from assay.probe import count_samples, merge_folded
from assay.report.charts.flames import Flame
from assay.report.render.html import html_report
from assay.results.series import profiles as room
from assay.results.series.profiles import flames
from tests.builders import plan_of, record_of
from tests.report.pages import quick_page

PLANNED = (
    PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin"),
    PlannedTrial(1, 0, 1, Arm.BASELINE, 1, "spin"),
    PlannedTrial(2, 0, 2, Arm.TREATMENT, 0, "spin"),
)
MEMBERS = tuple(
    Member(f"guest-{number}", "g", "b", (), 1, 1, 0.0, 0.0, 1.0, None, None, None, None) for number in (0, 1)
)
FOLDED = (b"spin;main;add 3\nspin;main 1\n", b"spin;main;add 4\n", b"spin;main;vm_exit_[k] 9\n")


def _records(folder: Path) -> Sequence[Trial]:
    records = [record_of(planned, 1.0) for planned in PLANNED]
    for record, folded in zip(records, FOLDED, strict=True):
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        (place / "profile.folded").write_bytes(folded)
    return records


def test_folded_stacks_are_summed_and_damaged_lines_left_out() -> None:
    merged = merge_folded([b"a;b 1\na 2\n", b"a;b 5\nno count\n\n7\n", b"a b;c 1"])
    assert merged == b"a 2\na b;c 1\na;b 6\n"
    assert count_samples(merged) == 9


def test_the_graphs_of_both_arms_and_their_difference_are_drawn_and_kept(tmp_path: Path) -> None:
    drawn = flames(plan_of(PLANNED), _records(tmp_path), tmp_path, write=True)
    assert [flame.title for flame in drawn[:2]] == [
        "spin on host: 8 samples of 2 trials", "spin on other: 9 samples of 1 trial",
    ]  # fmt: skip
    assert drawn[2].title.startswith("spin: other against host")
    assert all(flame.svg and "<svg" in flame.svg for flame in drawn)
    files = {path for flame in drawn for _, path in flame.files}
    assert files == {f"profiles/{file.name}" for file in (tmp_path / "profiles").iterdir()}
    assert (tmp_path / "profiles/spin-host.folded").read_bytes() == b"spin;main 1\nspin;main;add 7\n"
    assert (
        "speedscope" in json.loads((tmp_path / "profiles/spin-host.speedscope.json").read_bytes())["$schema"]
    )


def test_what_several_guests_did_in_a_trial_is_one_graph(tmp_path: Path) -> None:
    records = list(_records(tmp_path))
    place = tmp_path / "trials" / PLANNED[2].name
    (place / "profile.folded").unlink()
    for number in (0, 1):
        (place / f"guest-{number}").mkdir()
        (place / f"guest-{number}" / "profile.folded").write_bytes(b"spin;main;lock_[k] 5\n")
    records[2] = replace(records[2], members=MEMBERS)
    titles = [flame.title for flame in flames(plan_of(PLANNED), records, tmp_path)]
    assert titles == [
        "spin on host: 8 samples of 2 trials",
        "spin on other: 10 samples of 1 trial",
        "spin: other against host; red: more there",
    ]
    for one in PLANNED[:2]:
        (tmp_path / "trials" / one.name / "profile.folded").unlink()
    assert room.has_profiles(tmp_path)


def test_a_report_written_elsewhere_names_only_files_that_are_there(tmp_path: Path) -> None:
    records = _records(tmp_path)
    assert [flame.files for flame in flames(plan_of(PLANNED), records, tmp_path)] == [(), (), ()]
    flames(plan_of(PLANNED), records, tmp_path, write=True)
    again = flames(plan_of(PLANNED), records, tmp_path)
    assert ("folded stacks", str(tmp_path / "profiles/spin-host.folded")) in again[0].files


def test_a_picture_that_cannot_be_drawn_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> str:
        msg = "cannot draw profiles: it is not there"
        raise MissingError(msg, hint="make setup")

    monkeypatch.setattr(room, "flame_svg", missing)
    monkeypatch.setattr(room, "difference_svg", missing)
    drawn = flames(plan_of(PLANNED), _records(tmp_path), tmp_path, write=True)
    assert {flame.reason for flame in drawn} == {"cannot draw profiles: it is not there"}
    assert [what for flame in drawn for what, _ in flame.files] == ["folded stacks", "folded stacks"]
    assert "cannot draw profiles" in html_report(quick_page(), flames=drawn)


def test_trials_without_profiles_give_no_graph(tmp_path: Path) -> None:
    assert flames(plan_of(PLANNED), [record_of(p, 1.0) for p in PLANNED], tmp_path, write=True) == ()
    assert not (tmp_path / "profiles").exists()


def test_a_picture_in_a_page_is_an_image_and_its_words_stay_words() -> None:
    nasty = Flame('<b>"x"', "<svg onload='alert(1)'/>", files=(("to zoom", 'profiles/a "b".svg'),))
    page = html_report(quick_page(), flames=(nasty,))
    assert "alert(1)" not in page
    assert 'href="profiles/a%20%22b%22.svg"' in page
    assert "<h3>&lt;b&gt;&#34;x&#34;</h3>" in page
    assert page.count('src="data:image/svg+xml;base64,') == 1
    assert "img-src data:" in page
