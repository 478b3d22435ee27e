"""The weight of guests in every notation."""

from __future__ import annotations

from dataclasses import replace

from assay.report.charts.weight import size_chart, weight_charts, weight_legends
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.weight import weight_cells, weight_lines
from tests.report.pages import command_page, weights_page
from tests.report.weighed import ALONE, SIZES, weights_of

PAGE = weights_page()


def test_the_size_is_drawn_with_a_point_a_boot_and_a_line_for_each_number_of_vcpus() -> None:
    chart = size_chart(SIZES)
    points = [(value["look"], value["size"]) for value in chart["data"]["values"]]
    assert len(points) == 12
    assert sorted(set(points)) == [
        (look, size) for look in ("1 vCPU", "4 vCPUs") for size in (512, 1024, 4096)
    ]
    assert [layer["name"] for layer in chart["layer"]] == ["line", "point"]


def test_guests_of_one_memory_size_are_drawn_against_their_vcpus() -> None:
    guests = [weights_of(f"cpu.vcpus {n}", memory=512, vcpus=n, beside=(100 + n,)) for n in (1, 2, 4)]
    chart = size_chart(guests)
    assert chart["encoding"]["x"]["axis"]["title"] == "vCPUs"
    assert {value["look"] for value in chart["data"]["values"]} == {"512 MiB", "512 MiB, a vCPU"}


def test_guests_of_more_numbers_of_vcpus_than_sizes_are_drawn_against_them_also_for_each_vcpu() -> None:
    guests = [
        weights_of(
            f"cpu.vcpus {n}, memory.size {memory} MiB", memory=memory, vcpus=n, beside=(100 + n, 99 + n)
        )
        for n in (1, 2, 4)
        for memory in (512, 1024)
    ]
    chart = size_chart(guests)
    values = chart["data"]["values"]
    assert chart["encoding"]["x"]["axis"] | {"values": [1, 2, 4]} == chart["encoding"]["x"]["axis"]
    assert "type" not in chart["encoding"]["x"]["scale"]
    whole = {(v["look"], v["size"], v["trial"]): v["beside"] for v in values if not v.get("each")}
    each = {(v["look"], v["size"], v["trial"]): v["beside"] for v in values if v.get("each")}
    assert len(whole) == len(each) == 12
    assert each == {(f"{look}, a vCPU", n, trial): mib / n for (look, n, trial), mib in whole.items()}
    legend = dict(weight_legends(replace(PAGE, weights=tuple(guests)))[0])
    assert legend["512 MiB, a vCPU"] == (legend["512 MiB"][0], "diamond")
    assert list(legend) == ["512 MiB", "1 GiB", "512 MiB, a vCPU", "1 GiB, a vCPU"]


def test_guests_of_one_size_are_told_and_not_drawn() -> None:
    page = replace(PAGE, weights=ALONE)
    assert weight_charts(page) == weight_legends(page) == []
    assert weight_cells(page)[0][:4] == ("<b>guest</b>", "2 GiB", "1", "148 [-, -]")
    html = html_report(page)
    assert "&lt;b&gt;guest&lt;/b&gt;" in html
    assert 'id="weights"' in html


def test_one_boot_is_said_to_give_no_interval() -> None:
    first, growth = weight_lines(replace(PAGE, weights=ALONE))
    assert first == "<b>guest</b>: one boot gives no interval."
    assert growth.endswith("15 s later, QEMU gained 8.0 MiB beside the guest's memory (mean of 1 boot).")


def test_guests_that_were_never_weighed_to_the_end_have_dashes_and_no_zero() -> None:
    none = replace(
        ALONE[0], age_s=None, beside_bytes=None, beside_bytes_per_vcpu=None, touched_share=None,
        disk_bytes=None, other_cpu_share=None, points=(),
    )  # fmt: skip
    page = replace(PAGE, weights=(none,))
    assert weight_cells(page)[0][3:] == ("-", "-", "-", "-", "-", "-", "0")
    assert weight_lines(page) == ["<b>guest</b>: no boot was weighed at the end of its visit."]
    assert weight_charts(page) == []


def test_every_notation_shows_the_section_where_guests_were_weighed_and_only_there() -> None:
    for show in (text_report, markdown_report, html_report):
        assert "Weight of the guests" in show(PAGE)
        assert "Weight of the guests" not in show(command_page())


def test_a_page_of_an_older_version_has_no_weights() -> None:
    old = to_json(replace(PAGE, version=(1, 2))).replace('"weights"', '"unknown"')
    assert from_json(old.encode()).weights == ()
    assert from_json(to_json(PAGE).encode()).weights == SIZES
