"""From traces to what a job asks of its files: both arms, phase by phase, with what the trace cost."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from assay.explain.files.asked import median_size
from assay.model.machines.clock import Instant
from assay.model.trial import State, Trial
from assay.model.work.phase import PhaseTime
from assay.pages.files import FileRow, FilesPage
from assay.report.render.files import phase_cells, text_files
from assay.report.render.files_html import html_files
from assay.report.render.json import to_json
from assay.results import files
from assay.results.files import TRACE, files_page
from tests.contracts import fits
from tests.explain.files.test_asked import TRACE as LINES
from tests.results.advice.guests import plan_with, records_of, usage_with

PLAN = plan_with(blocks=1)
START_NS, MIDDLE_NS, END_NS = (int(second * 1e9) for second in (1795868175.0, 1795868176.0, 1795868177.0))


def phase(name: str, began_ns: int, ended_ns: int) -> PhaseTime:
    seconds = (ended_ns - began_ns) / 1e9
    return PhaseTime(0, name, Instant(0, began_ns), Instant(0, ended_ns), seconds, None, None, None)


def traced(folder: Path, *, phases: bool = True) -> list[Trial]:
    """Return the records of a traced block whose traces lie in a folder."""
    host, guest = usage_with("waiting")
    spans = (phase("init", START_NS, MIDDLE_NS), phase("loop", MIDDLE_NS, END_NS)) if phases else ()
    found = [replace(one, phases=spans) for one in records_of(PLAN, host, guest)]
    for one in found:
        place = folder / "trials" / one.planned.name / "files" / "copy-0"
        place.mkdir(parents=True)
        (place / TRACE).write_bytes(gzip.compress("\n".join(LINES).encode()))
    return found


def page_of(found: list[Trial], folder: Path) -> FilesPage:
    untraced = [replace(one, usage=replace(one.usage, wall_s=2.0)) for one in found if one.usage]
    return files_page(PLAN, found, folder, result="89abcdef", untraced=untraced)


def test_a_phase_has_its_files_with_what_each_arm_asks_of_them(tmp_path: Path) -> None:
    (only,) = page_of(traced(tmp_path), tmp_path).workloads
    init, loop = only.phases
    assert (init.phase, loop.phase) == ("init", "loop")
    assert [row.path for row in init.files] == ["/etc/ld.so.cache"]
    (out,) = loop.files
    assert out.path == "./out"
    assert out.baseline == out.treatment
    assert out.baseline is not None
    assert (out.baseline.writes, out.baseline.writes_on, out.baseline.syncs) == (4, 3, 1)
    assert (init.baseline.looked, init.baseline.missing) == (2, 1)
    assert (only.baseline_cost.traced_s, only.baseline_cost.untraced_s) == (4.0, 2.0)


def test_the_text_says_what_is_asked_and_what_tracing_cost(tmp_path: Path) -> None:
    page = page_of(traced(tmp_path), tmp_path)
    text = text_files(page)
    assert "spin, while it was traced: host took 4 s instead of 2 s (+100%); guest took 5 s" in text
    assert "loop: 1 files; waited 0.375 s on host, 0.375 s on guest" in text
    assert "names looked at: 2, 1 of them not there" in text
    fits(json.loads(to_json(page)), "files-v1")


def test_sizes_of_requests_have_a_median_and_a_largest(tmp_path: Path) -> None:
    (only,) = page_of(traced(tmp_path), tmp_path).workloads
    out = only.phases[1].files[0].baseline
    assert out is not None
    assert (out.write_median_bytes, out.write_most_bytes) == (1, 6)
    assert (out.read_median_bytes, out.read_most_bytes) == (None, None)
    uneven = replace(out, write_median_bytes=4096, write_most_bytes=1 << 20)
    phase = replace(only.phases[1], files=(FileRow("./out", uneven, None),))
    assert "4 x 4 KiB, most 1 MiB" in phase_cells(phase)[0]


@pytest.mark.parametrize(
    ("sizes", "median"), [({}, None), ({10: 1}, 10), ({1: 2, 9: 2}, 1), ({1: 1, 5: 1, 9: 1}, 5)]
)
def test_the_median_is_a_size_that_was_seen(sizes: dict[int, int], median: int | None) -> None:
    assert median_size(Counter(sizes)) == median


def test_the_page_has_all_phases_and_escapes_every_name(tmp_path: Path) -> None:
    page = page_of(traced(tmp_path), tmp_path)
    (only,) = page.workloads
    row = replace(only.phases[0].files[0], path="/<script>alert(1)</script>")
    named = replace(only, phases=(replace(only.phases[0], files=(row,) * 120), *only.phases[1:]))
    html = html_files(replace(page, workloads=(named,)))
    assert "<script>alert" not in html
    assert "loop: 1 files; waited 0.375 s on host" in html
    assert "20 others" in html


def test_without_phases_all_is_one(tmp_path: Path) -> None:
    (only,) = page_of(traced(tmp_path, phases=False), tmp_path).workloads
    assert [one.phase for one in only.phases] == ["total"]


@pytest.mark.parametrize("cut", [0, 10, 200])
def test_a_trace_that_cannot_be_read_is_no_figure(cut: int, tmp_path: Path) -> None:
    found = traced(tmp_path)
    place = tmp_path / "trials" / found[0].planned.name / "files" / "copy-0" / TRACE
    place.write_bytes(place.read_bytes()[:cut])
    (only,) = page_of(found, tmp_path).workloads
    assert only.phases == ()
    assert only.reason is not None
    assert "cannot be read" in only.reason
    assert "nothing is known of it" in text_files(page_of(found, tmp_path))


def test_a_traced_trial_that_failed_is_no_figure(tmp_path: Path) -> None:
    found = traced(tmp_path)
    failed = [replace(found[0], state=State.FAILED, cause="it was killed"), *found[1:]]
    (only,) = page_of(failed, tmp_path).workloads
    assert only.phases == ()
    assert only.reason is not None
    assert only.reason.endswith("failed: it was killed")


def test_a_trace_that_unpacks_to_more_than_is_read_of_one_is_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    found = traced(tmp_path)
    place = tmp_path / "trials" / found[0].planned.name / "files" / "copy-0" / TRACE
    place.write_bytes(gzip.compress(bytes(1 << 22)))
    (only,) = page_of(found, tmp_path).workloads
    assert only.reason is not None
    assert "holds more than 1 MiB" in only.reason
