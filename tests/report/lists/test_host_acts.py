"""Planned changes of the host as they are told."""

from __future__ import annotations

from assay.factors.host_acts import planned_acts
from assay.report.lists.host_acts import planned_rows, planned_text
from tests.factors.parts import FakeHost

VM = "/proc/sys/vm"
HOST = FakeHost({f"{VM}/swappiness": "60", f"{VM}/dirty_ratio": "0", f"{VM}/dirty_bytes": "4096"})


def test_each_act_is_told_with_its_undo() -> None:
    acts = planned_acts({"host.dirty_ratio": "20", "disk.cache": "none", "host.swappiness": "60"}, HOST)
    lines = [line.split("  ") for line in planned_text(acts).splitlines()]
    assert [[cell.strip() for cell in line if cell] for line in lines] == [
        ["on the host", "act", "undo"],
        ["host.swappiness=60", "in force already"],
        ["host.dirty_ratio=20", f"echo 20 > {VM}/dirty_ratio", f"echo 4096 > {VM}/dirty_bytes"],
    ]


def test_a_program_is_told_what_the_file_says_now() -> None:
    (row,) = planned_rows(planned_acts({"host.swappiness": "10"}, HOST))
    assert row == {
        "factor": "host.swappiness",
        "level": "10",
        "path": f"{VM}/swappiness",
        "before": "60",
        "in_force": False,
        "act": f"echo 10 > {VM}/swappiness",
        "undo": [f"echo 60 > {VM}/swappiness"],
    }


def test_no_change_of_the_host_is_no_text() -> None:
    assert planned_text(planned_acts({"disk.cache": "none"}, HOST)) == ""
