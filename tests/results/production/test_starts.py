"""prmon's files of a farm whose starts are made up: what is found again, and what is not said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.exchange.jobs.nodes import read_nodes
from assay.pages.starts import StartsPage, StartsRow
from assay.report.render.starts import html_starts, text_starts
from assay.results.production.nodes import FarmNode, FarmNodes
from assay.results.production.starts import starts_page
from assay.stats.starts.course import Startup
from tests.exchange.jobs.told import HEADING, line
from tests.results.production.started import CLASS, LIMITED, READ_BYTES, RUN_S, Started


def page_of(files: Path, nodes: Path | Mapping[str, FarmNode], *others: Path) -> StartsPage:
    known = FarmNodes(read_nodes(nodes), dict) if isinstance(nodes, Path) else FarmNodes((), lambda: nodes)
    return starts_page([files, *others], known)


def row_of(farm: Started, folder: Path) -> StartsRow:
    (row,) = page_of(*farm.write(folder)).rows
    return row


def test_starts_at_once_cost_small_guests_what_was_planted(tmp_path: Path) -> None:
    row = row_of(Started(), tmp_path)
    assert (row.of_class, row.machines, row.held_out) == (CLASS, 6, "machines")
    assert row.alone_s is not None
    assert row.alone_s.value == pytest.approx(60, rel=0.05)
    assert row.fed is not None
    assert row.fed.value == pytest.approx(4, rel=0.1)
    assert row.fed.low is not None
    assert row.fed.low < row.fed.value
    assert row.kept is not None
    assert row.kept.value == pytest.approx(0.3, rel=0.15)
    assert row.read_bytes == pytest.approx(READ_BYTES, rel=0.05)
    assert row.disk_bytes_s == pytest.approx(4 * READ_BYTES / 60, rel=0.1)
    assert row.error is not None
    assert row.trivial_error is not None
    assert row.error < 0.1
    assert row.trivial_error > 0.2
    assert row.wall_error is not None
    assert row.wall_error < 0.05
    planted = LIMITED.together_s(12)
    (twelve,) = (one for one in row.forecasts if (one.cores, one.guests) == (1, 12))
    assert twelve.init_s.value == pytest.approx(planted, rel=0.1)
    assert twelve.run_s == pytest.approx(RUN_S, rel=0.05)
    assert twelve.jobs_per_hour.value == pytest.approx(3600 / (planted + RUN_S), rel=0.07)
    assert twelve.loss.value == pytest.approx(1 - (60 + RUN_S) / (planted + RUN_S), abs=0.04)
    assert twelve.loss.low is not None
    assert twelve.loss.high is not None
    assert twelve.loss.low < twelve.loss.value < twelve.loss.high
    assert [one.guests for one in row.forecasts if one.cores == 12] == [1]
    assert {(one.cores, one.files) for one in row.checks} >= {(1, "disk"), (1, "memory"), (12, "disk")}
    assert sum(one.jobs for one in row.checks) == row.jobs
    assert row.reasons == ()


def in_wait(row: StartsRow, files: str) -> list[float]:
    """Return the processors in I/O wait in guests of one core, by how many read at once."""
    found = [one.in_wait for one in row.checks if (one.cores, one.files) == (1, files)]
    told = [wait for wait in found if wait is not None]
    assert len(told) == len(found)
    return told


def test_the_io_wait_of_the_guests_stands_beside_a_limit_of_the_disk(tmp_path: Path) -> None:
    row = row_of(Started(), tmp_path)
    waits = in_wait(row, "disk")
    assert waits == sorted(waits)
    assert waits[0] == pytest.approx(0.5, abs=0.1)
    assert waits[-1] == pytest.approx(1 - 60 / LIMITED.together_s(12) / 2, abs=0.1)
    assert in_wait(row, "memory") == [0.0]
    assert row.reasons == ()


def test_what_slows_starts_without_io_wait_need_not_be_the_disk(tmp_path: Path) -> None:
    row = row_of(Started(waits="else"), tmp_path)
    assert row.fed is not None
    assert in_wait(row, "disk")[-1] < 0.3
    (reason,) = row.reasons
    assert reason.startswith("no more processors of a guest were in I/O wait beyond the limit than within it")


def test_where_prmon_tells_no_io_wait_none_is_said(tmp_path: Path) -> None:
    row = row_of(Started(waits=None), tmp_path)
    assert row.fed is not None
    assert {one.in_wait for one in row.checks} == {None}
    assert row.reasons == ()


def test_nothing_is_forecast_where_starts_tell_nothing(tmp_path: Path) -> None:
    row = row_of(Started(startup=Startup(60.0), sizes=(1,) * 6), tmp_path)
    assert row.fed is None
    assert row.disk_bytes_s is None
    assert row.forecasts == ()
    assert row.reasons[0].startswith("no forecast: for jobs held out it is no better than the median")
    assert row.reasons[1] == "the disks fed all that read at once, up to 12 guests"


def test_physical_machines_have_nobody_beside_them(tmp_path: Path) -> None:
    row = row_of(Started(sizes=(0, 0, 0, 0, 0, 0)), tmp_path)
    assert (row.machines, row.guests, row.most_together) == (6, 6, 1)
    assert row.reasons[-1] == "no two guests of a machine read at once: what that would cost is not known"


def test_one_machine_is_held_out_by_times(tmp_path: Path) -> None:
    row = row_of(Started(sizes=(1,), batches=12), tmp_path)
    assert row.held_out == "times"
    assert row.fed is not None
    assert row.fed.value == pytest.approx(4, rel=0.2)
    assert "intervals are of these machines alone" in row.reasons[-1]


def test_too_few_jobs_are_said(tmp_path: Path) -> None:
    row = row_of(Started(sizes=(12,), batches=2), tmp_path)
    assert row.alone_s is None
    assert row.reasons == ("4 jobs whose initialization is seen: a fit needs 10",)


def test_jobs_without_a_place_are_counted_by_why(tmp_path: Path) -> None:
    jobs, nodes = Started(sizes=(12, 12)).write(tmp_path)
    text = nodes.read_text().replace(",12,wn0", ",12,").replace("vm1-0,", "vm1-9,")
    nodes.write_text(text)
    (jobs / "vm1-9").mkdir()
    (jobs / "vm1-9" / "1.json").write_text('{"Max": {"wtime": 600}, "Avg": {}}')
    (jobs / "vm1-9" / "2.txt").write_text("Time\twtime\nx\ty\n")
    page = page_of(jobs, nodes)
    assert page.rows == ()
    assert {one.why: one.jobs for one in page.left_out} == {
        "on guests whose machine is not known": 6,
        "on nodes that are not known": 6,
        "without a time of start": 1,
    }
    assert page.unknown == ("vm1-0",)
    assert page.damaged == 1
    assert "no job is left whose start, node and machine are known" in text_starts(page)
    assert "no job is left" in html_starts(page)


def test_a_job_of_centuries_is_left_out(tmp_path: Path) -> None:
    jobs, nodes = Started(sizes=(12, 12, 12), batches=4).write(tmp_path)
    rows = "".join(f"{9 * 10**9}\t{10**300 * at}\t{10**300 * at}\t0\t0\n" for at in range(1, 30))
    (jobs / "vm0-0" / "long.txt").write_text(f"Time\twtime\tutime\tstime\tread_bytes\n{rows}")
    page = page_of(jobs, nodes)
    assert page.rows[0].alone_s is not None
    assert page.damaged + sum(one.jobs for one in page.left_out) == 1


def test_jobs_that_failed_by_accounting_are_in_no_figure(tmp_path: Path) -> None:
    jobs, nodes = Started(sizes=(12, 12, 12), batches=4).write(tmp_path)
    whole = page_of(jobs, nodes)
    sacct = tmp_path / "sacct.txt"
    sacct.write_text(HEADING + line(JobID=1, NodeList="vm0-0", State="FAILED", ExitCode="1:0"))
    page = page_of(jobs, nodes, sacct)
    assert whole.rows[0].jobs - page.rows[0].jobs == 3, "job 1 of each machine"
    assert {one.why: one.jobs for one in page.left_out} == {"failed": 1}
    assert [one.kind for one in page.sources] == ["sacct", "prmon"]


def test_nodes_of_the_inventory_have_their_cores_and_carriers(tmp_path: Path) -> None:
    jobs, _ = Started(sizes=(12, 12, 12), batches=4).write(tmp_path)
    inventory = {f"vm{at}-0": FarmNode(virtual=True, of_class="A", cores=12, on=f"wn{at}") for at in range(3)}
    (row,) = page_of(jobs, inventory).rows
    assert (row.of_class, row.machines, row.checks[0].cores) == ("A", 3, 12)


def test_text_and_pages_have_all_of_it(tmp_path: Path) -> None:
    page = page_of(*Started().write(tmp_path))
    text = text_starts(page)
    for part in (
        "guests the disk feeds",
        "in memory",
        "lost by it",
        "processors in I/O wait",
        "jobs held out (machines): forecasts are off by ",
        "A job's initialization is taken to read from one disk",
    ):
        assert part in text
    html = html_starts(page)
    assert html.count('class="chart" data-chart=') == 2
    jobs, nodes = Started(sizes=(1,) * 6).write(tmp_path / "b")
    nodes.write_text(nodes.read_text().replace(CLASS, "<b>7763"))
    assert "<b>7763" not in html_starts(page_of(jobs, nodes))
