"""Trials over time: the same scales on both sides, and what is drawn is what was measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.pages.track import Line, Timeline
from assay.report.charts.timeline import panels, timeline_charts, timeline_rows
from assay.report.render.text import text_report
from assay.report.tables.host import host_cells, host_lines
from assay.report.tables.phases import phase_cells, phase_headers
from assay.report.tables.words import probe_text, track_note
from tests.report.pages import phases_page, quick_page

TIMELINE = phases_page().timelines[0]


def _layer(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return next(layer for layer in spec["layer"] if layer["name"] == name)


def _scales(spec: dict[str, Any]) -> tuple[list[float], list[float]]:
    encoding = _layer(spec, "values")["encoding"]
    return encoding["x"]["scale"]["domain"], encoding["y"]["scale"]["domain"]


def test_both_sides_of_a_panel_have_the_same_scales() -> None:
    for row in timeline_rows(TIMELINE)[1:]:
        left, right = row.charts
        assert _scales(left) == _scales(right)


def test_every_step_is_drawn_from_its_begin_to_its_end() -> None:
    row = next(row for row in timeline_rows(TIMELINE) if row.title == "events/s")
    drawn = [(value["at"], value["value"]) for value in row.charts[0]["data"]["values"]]
    assert drawn == [(0.0, 0.0), (1.125, 29.5), (2.25, 31.25), (3.375, 30.0), (4.5, 30.0)]


def test_what_was_not_measured_is_a_gap_and_what_nobody_measured_has_no_panel() -> None:
    row = next(row for row in timeline_rows(TIMELINE) if row.title == "storage, bytes/s")
    assert row.charts[0]["data"]["values"][1]["value"] is None
    assert "read and write calls, bytes/s" not in [panel.title for panel in panels(TIMELINE)]


def test_an_axis_reaches_above_the_sum_of_stacked_areas() -> None:
    row = next(row for row in timeline_rows(TIMELINE) if row.title == "job, cores used")
    assert _scales(row.charts[0])[1] == [0, 2.0405]


def test_a_guests_cores_stand_beside_what_its_host_saw() -> None:
    row = next(row for row in timeline_rows(TIMELINE) if row.title == "job, cores used")
    host, guest = row.charts
    assert [layer["name"] for layer in host["layer"]] == ["turns", "values"]
    assert _layer(guest, "seen")["data"]["values"] == [{"at": 0, "end": 38.2, "value": 0.13979}]
    assert row.legend[-1][0].endswith("seen from the host")


def test_what_the_host_saw_lies_over_what_the_guest_said_on_the_same_axis() -> None:
    machine = next(row for row in timeline_rows(TIMELINE) if row.title == "whole machine, cores")
    host, guest = machine.charts
    assert [layer["name"] for layer in guest["layer"]] == ["turns", "values", "over"]
    assert [row["value"] for row in _layer(guest, "over")["data"]["values"]] == [0.75, 1.5, 1.5, 0.875, 0.875]
    assert [layer["name"] for layer in host["layer"]] == ["turns", "values"]
    assert machine.legend[-1][0] == "the guest's vCPUs, seen from the host"
    titles = [panel.title for panel in panels(TIMELINE)]
    assert "QEMU on its host, cores" in titles
    assert "the guest's network, seen from its host, bytes/s" not in titles  # nothing moved


def test_the_host_s_count_of_a_phase_stands_with_what_its_samples_leave_open() -> None:
    init, short = host_cells(phases_page())
    assert init == (
        "my-job", "init", "9.55", "7.25 ±0.25", "0.5 ±0.38", "0.51", "0.125", "3 MiB ±1 MiB", "0 B", "-", "-",
        "12000 ±1000",
    )  # fmt: skip
    assert short[3:6] == ("0 to 0.5", "-", "-")
    assert host_lines(phases_page())[0] == (
        "my-job, init: exits by reason: io_exits 9000 ±500; events of the host's memory: thp_fault_alloc 45"
    )
    assert host_lines(quick_page()) == []


def test_a_phase_too_short_for_its_name_goes_without() -> None:
    host, guest = timeline_rows(TIMELINE)[0].charts
    assert [band["label"] for band in guest["data"]["values"] if band["phase"] == "init"] == ["init", "init"]
    assert [band["label"] for band in host["data"]["values"] if band["phase"] == "init"] == ["", ""]


def _ranged(timeline: Timeline) -> Timeline:
    """Return a timeline whose steps are of several samples, with a spike of memory and one of CPU time."""
    ends = {
        "job_rss": ((1e8, 1e8, 3e8, 0.0), (2e8, 9e8, 3.5e8, 3.5e8)),
        "job_user": ((0.5, None, 1.0, 1.0), (1.0, None, 7.5, 1.0)),
    }
    tracks = tuple(
        replace(t, lines=tuple(replace(one, **_ends(*ends.get(one.quantity, ((), ())))) for one in t.lines))
        for t in timeline.tracks
    )
    return replace(timeline, tracks=tracks)


def _ends(least: Any, most: Any) -> dict[str, Any]:
    return {"least": least, "most": most}


def test_a_spike_of_one_sample_is_drawn_where_samples_were_joined() -> None:
    rows = {row.title: row for row in timeline_rows(_ranged(TIMELINE))}
    held = rows["resident memory of the job"]
    drawn = [(row["low"], row["high"]) for row in _layer(held.charts[0], "ranges")["data"]["values"]]
    assert drawn == [(1e8, 2e8), (1e8, 9e8), (3e8, 3.5e8), (0.0, 3.5e8), (0.0, 3.5e8)]
    assert _scales(held.charts[0])[1] == [0, 9.54e8]
    assert held.legend[-1][0] == "smallest to largest between two samples of a step"
    used = rows["job, cores used"]
    assert [row["high"] for row in _layer(used.charts[1], "ranges")["data"]["values"]] == [1, None, 7.5, 1, 1]
    assert _scales(used.charts[1])[1] == [0, 7.95]
    assert rows["events/s"].charts == next(
        row.charts for row in timeline_rows(TIMELINE) if row.title == "events/s"
    )


def test_a_trial_with_less_than_two_samples_is_drawn_empty() -> None:
    tracks = tuple(replace(t, bounds_s=(), lines=(Line("job_user", ()),), phases=()) for t in TIMELINE.tracks)
    assert timeline_charts(Timeline("w", 0, tracks)) == []


def test_every_phase_that_is_drawn_has_a_colour() -> None:
    for chart in timeline_rows(TIMELINE)[0].charts:
        named = _layer(chart, "band")["encoding"]["color"]["scale"]["domain"]
        assert {band["phase"] for band in chart["data"]["values"]} == set(named)


def test_the_table_of_phases_has_times_shares_and_rates_of_both_arms() -> None:
    page = phases_page()
    assert phase_headers(page)[2:4] == ("host s", "share")
    rows = {row[1]: row[2:] for row in phase_cells(page)}
    assert rows["event-loop"][:2] == ("1.688", "37.5 %")
    assert phase_cells(quick_page()) == []
    assert "Phases" not in text_report(quick_page())


def test_phases_stand_in_the_order_of_the_plan_whatever_ran_first() -> None:
    page = phases_page()
    row, trials = page.estimates[0], page.trials
    first = tuple(replace(trial, workload="later") for trial in trials)
    both = replace(
        page, trials=(*first, *trials), estimates=(*page.estimates, replace(row, workload="later"))
    )
    assert list(dict.fromkeys(cells[0] for cells in phase_cells(both))) == [row.workload, "later"]


def test_a_guests_track_says_how_well_its_moments_are_known_and_what_the_host_saw() -> None:
    host, guest = TIMELINE.tracks
    assert track_note(host) == "4.5 s"
    assert "±0.42 ms" in track_note(guest)
    assert "vCPUs 5.34 s of CPU, the rest of QEMU 0.31 s" in track_note(guest)


def test_the_probes_own_cost_is_told_of_each_trial() -> None:
    use = phases_page().trials[0].probe
    assert probe_text(use) == "0.021 % of a core, 1.7 MiB, largest gap 1 s, woken 51 times"
    assert probe_text(None) == "-"
