"""A search for the settings that pay in every rendering: what to change, what it saves, and the way there."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.pages.tuning import Kill, Killed, Tuning
from assay.report.charts.tuning import brought_chart, effects_chart, tuning_charts, way_chart
from assay.report.render.bars import Bar, bar_texts
from assay.report.render.tuning import text_space, text_tuning
from assay.report.render.tuning_html import html_tuning
from assay.report.tables.tuning import brought_rows, killed_cells
from tests.report.conftest import GOLDEN, Golden
from tests.report.packed import held_in
from tests.report.tunings import ANY, SAFE, tuning


def test_the_text_is_as_seen(golden: Golden) -> None:
    golden(GOLDEN / "tuning.txt", text_tuning(tuning()))
    golden(GOLDEN / "tuning-space.txt", text_space(tuning()))


def test_a_search_that_has_begun_shows_its_way_and_recommends_nothing() -> None:
    text = text_tuning(tuning(state="begun"))
    assert "not complete" in text
    assert "The way of the search" in text
    assert "recommended" not in text
    assert "Stays as it is" not in text


def test_where_nothing_pays_that_is_said_everywhere() -> None:
    nothing = replace(tuning(), found=())
    for page in (text_tuning(nothing), html_tuning(nothing)):
        assert "Nothing pays: the guest is best as it is" in page


def test_what_a_kill_of_qemu_loses_is_said_everywhere_with_what_was_not_tried() -> None:
    for page in (text_tuning(tuning()), html_tuning(tuning())):
        assert "QEMU killed 3 times while the guest wrote: nothing lost of 7.504 MiB acknowledged" in page
        assert "QEMU killed twice while the guest wrote: 16 KiB lost of 6.539 MiB acknowledged; not" in page
        assert "2 of 3" in page
        assert "A power cut of the host was not tried." in page
    assert "cannot boot guest: &lt;it&gt; gave up" in html_tuning(tuning())
    none = replace(tuning(), killed=())
    for page in (text_tuning(none), html_tuning(none)):
        assert "QEMU" not in page


def test_a_missing_count_is_a_dash_and_never_a_zero() -> None:
    failed = Killed("safe", (Kill(1.0, None, None, None, "no dd"), Kill(2.0, None, None, None, "no dd")))
    assert killed_cells(replace(tuning(), killed=(failed,))) == [("safe", "0 of 2", "-", "-", "-", "no dd")]
    far = replace(tuning(), killed=(Killed("safe", (), "it is on another machine"),))
    assert killed_cells(far) == [("safe", "0 of 0", "-", "-", "-", "it is on another machine")]
    text = text_tuning(far)
    assert "lost writes were not counted: it is on another machine" in text
    begun = replace(tuning(), state="begun", killed=(Killed("current", (Kill(1.0, 4096, 0, 0),)),))
    assert "QEMU killed" in text_tuning(begun)
    assert killed_cells(begun) == [("as it is", "1 of 1", "4 KiB", "0 B", "0 B", "")]


def test_the_page_escapes_what_it_shows_and_has_a_chart_for_each_set_and_one_for_the_way() -> None:
    html = html_tuning(tuning())
    assert "<badly>" not in html
    assert "<job>" not in html
    assert "node<7>" not in html
    assert "Checked on node&lt;7&gt;, 2026-11-28T13:00:00Z: it saves time, and nothing" in html
    assert "Measured again, 2026-12-28T13:00:00Z: its gain was not confirmed" in html
    assert "starts &lt;badly&gt;" in html
    assert re.findall(r'data-chart="(\d+)"', html) == ["0", "2", "1", "3", "4"]
    assert "not tried: cpu.mode=maximum, default: it may put at risk" in html
    assert len(held_in(html, "chart-data")) == 5
    begun = html_tuning(tuning(state="begun"))
    assert re.findall(r'data-chart="(\d+)"', begun) == ["0"]


def test_effects_are_drawn_unrounded_with_what_their_intervals_say() -> None:
    bars = effects_chart(ANY)["data"]["values"]
    assert [(bar["name"], bar["effect"], bar["look"]) for bar in bars] == [
        ("disk.cache", 0.42, "saves"),
        ("disk.bus", 0.02, "not known"),
        ("disk.cache and disk.bus", 0.04, "saves"),
        ("all, confirmed over current", 0.41, "saves"),
        ("all, confirmed over safe", 0.27, "saves"),
    ]


def test_what_a_change_set_brought_is_drawn_beside_the_guest_as_it_is_with_each_later_check() -> None:
    bars = brought_chart(SAFE)["data"]["values"]
    assert [(bar["name"], round(bar["time"], 3), bar["look"]) for bar in bars] == [
        ("the guest as it is", 1.0, "before"),
        ("as confirmed", 0.81, "with the change-set"),
        ("on node<7>", 0.88, "with the change-set"),
        ("again, 2026-12-28T13:00:00Z", 0.98, "with the change-set"),
    ]
    assert all(bar["low"] <= bar["time"] <= bar["high"] for bar in bars[1:])
    assert brought_rows(replace(SAFE, saved=(), checks=())) == []


def test_bars_stand_on_one_scale_with_their_intervals() -> None:
    assert bar_texts([Bar(0.4, 0.2, 0.5), Bar(-0.1, -0.1, 0.0), Bar(0.0)], width=7) == [" |#[##]", "[]", " |"]
    assert bar_texts([]) == []
    assert bar_texts([Bar(0.0, 0.0, 0.0)], width=5) == ["]"]


def test_the_way_has_each_configuration_that_worked_and_the_best_so_far() -> None:
    layers = {layer["name"]: layer["data"]["values"] for layer in way_chart(tuning())["layer"]}
    assert [round(point["saved"], 3) for point in layers["configuration"]] == [0.4, 0.2, 0.455]
    assert [round(one["best"], 3) for one in layers["best"]] == [0.4, 0.455]
    assert layers["configuration"][0]["config"] == "disk.cache=unsafe disk.bus=scsi"


def test_a_step_whose_guest_as_it_is_failed_tells_nothing() -> None:
    page = tuning()
    values = tuple(replace(one, value=None if one.number == 0 else one.value) for one in page.runs[0].values)
    failed: Tuning = replace(page, runs=(replace(page.runs[0], values=values), *page.runs[1:]))
    assert len(tuning_charts(failed)) == 5
    assert "1       3           -" in text_tuning(failed)


def test_what_the_mix_may_lose_at_most_is_said() -> None:
    text = text_tuning(tuning())
    assert "by its interval flops flops may lose 1.2 %, most of the mix" in text
    assert "by its interval <job> wall_time may lose 10 %, most of the mix" in text
    assert "may lose 10 %" in html_tuning(tuning())
