"""Flame graphs, their differences and speedscope files of recorded stacks."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.model.files.native import NativeProgram
from assay.report.charts import flame

FOLDED = (Path(__file__).parents[3] / "probe" / "flame" / "tests" / "dd.folded").read_bytes()
OTHER = b"dd;__write;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k] 7\ndd;_ZN3foo3barEv 3\n"


def test_a_flame_graph_is_one_well_formed_document_with_its_frames() -> None:
    svg = flame.flame_svg(FOLDED, "dd on <host> & more")
    titles = [element.text or "" for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("copy_folio_from_iter_atomic (57 samples") for title in titles)
    assert "dd on &lt;host&gt; &amp; more" in svg


def test_a_difference_says_its_direction_and_counts_samples_of_the_treatment() -> None:
    svg = flame.difference_svg(FOLDED, OTHER, "host, guest")
    assert "Red: more than in the first, blue: less." in svg
    assert "foo::bar() (3 samples, 30.00%; +30.00%)" in svg
    assert "all (10 samples, 100%)" in svg


def test_speedscope_gets_every_sample() -> None:
    document = json.loads(flame.speedscope(FOLDED, "dd"))
    counts = [int(line.rsplit(b" ", 1)[1]) for line in FOLDED.splitlines()]
    profile = document["profiles"][0]
    assert profile["type"] == "sampled"
    assert profile["endValue"] == sum(profile["weights"]) == sum(counts)
    assert max(max(sample) for sample in profile["samples"]) < len(document["shared"]["frames"])


def test_a_title_that_looks_like_an_option_is_a_title() -> None:
    assert "--help" in flame.flame_svg(FOLDED, "--help")


@pytest.mark.parametrize("folded", [b"", b"\n", b"a;b\n", b"a;b 0\n"])
def test_stacks_that_are_none_are_refused_in_one_line(folded: bytes) -> None:
    with pytest.raises(flame.FoldedError, match=r"^cannot [^\n]*$"):
        flame.flame_svg(folded, "nothing")


def test_a_binary_that_was_not_built_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flame, "FLAME", NativeProgram("it", "nowhere/assay-flame"))
    with pytest.raises(MissingError, match=r"^cannot find it: /.*/nowhere/assay-flame is not there or not"):
        flame.flame_svg(FOLDED, "dd")


def test_a_profile_that_takes_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flame, "LONGEST_S", 0.0)
    with pytest.raises(flame.FoldedError, match="cannot draw the profile: assay-flame has not ended"):
        flame.flame_svg(FOLDED, "dd")
