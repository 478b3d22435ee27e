"""The curves of several treatments in one chart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import vl_convert

from assay.report.charts.workers import curve_looks, workers_chart, workers_charts
from assay.report.render.html import html_report
from tests.report.pages import scaling_page
from tests.report.scaled import DISKS, HOST


def _layer(chart: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(layer for layer in chart["layer"] if layer["name"] == name)
    return found


def test_there_is_one_chart_a_workload_of_which_several_treatments_have_curves() -> None:
    page = scaling_page()
    assert workers_charts(page) == []
    assert workers_charts(replace(page, scalings=DISKS[:1])) == []
    others = tuple(replace(one, workload=one.workload.replace("root", "quick")) for one in DISKS[:2])
    charts = workers_charts(replace(page, scalings=(*page.scalings, *DISKS, *others)))
    assert [chart["title"]["text"].split()[0] for chart in charts] == ["root-analysis", "quick-analysis"]


def test_the_baseline_is_drawn_once_and_each_treatment_with_its_best_number() -> None:
    looks = curve_looks(DISKS)
    assert list(looks) == [
        "host: best with 8 workers",
        "ext4, cold cache: best with 2 workers",
        "ext4, warm cache: best with 8 workers",
        "ext4-spread, cold cache: best with 8 workers",
        "btrfs-raid5, cold cache: best with 4 workers",
    ]
    assert len(set(looks.values())) == 5


def test_no_two_of_twelve_treatments_look_the_same() -> None:
    first = DISKS[0]
    host, one = first.curves
    twelve = tuple(
        replace(
            first,
            workload=f"root-analysis, layout {at}",
            curves=(host, replace(one, label=f"layout {at}")),
        )
        for at in range(12)
    )
    looks = curve_looks(twelve)
    assert len(looks) == len(set(looks.values())) == 13
    dashes = _layer(workers_chart(twelve), "line")["encoding"]["strokeDash"]["scale"]
    assert dashes["domain"] == list(looks)
    seen = {(colour, str(dash)) for (colour, _), dash in zip(looks.values(), dashes["range"], strict=True)}
    assert len(seen) == 13, "lines of one colour differ in their dash"
    drawn = vl_convert.vegalite_to_svg(json.dumps(workers_chart(twelve) | {"width": 640}))
    assert drawn.count("role-legend-label") == 13
    assert "strokeDash" not in _layer(workers_chart(DISKS), "line")["encoding"]


def test_one_point_of_each_line_is_ringed() -> None:
    chart = workers_chart(DISKS)
    assert _layer(chart, "best")["transform"] == [{"filter": "datum.best"}]
    ringed = [one["workers"] for one in chart["data"]["values"] if one["best"]]
    assert ringed == [HOST.best, 2, 8, 8, 4]


def test_the_chart_ends_above_the_highest_interval() -> None:
    low, high = _layer(workers_chart(DISKS), "line")["encoding"]["y"]["scale"]["domain"]
    assert low == 0
    assert high > 6030 * 1.02


def test_the_page_shows_it_before_the_curves_of_each_treatment() -> None:
    shown = html_report(replace(scaling_page(), scalings=DISKS))
    assert shown.index("rate against workers of all treatments") < shown.index("ext4, cold cache, rate")
    assert "btrfs-raid5, cold cache: best with 4 workers" in shown
