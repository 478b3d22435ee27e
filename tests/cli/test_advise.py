"""What to change, on a result that is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.store.store import Store
from tests.command import run
from tests.results.advice.guests import plan_with, records_of, usage_with, write_host
from tests.results.folders import kept


@pytest.fixture
def home(tmp_path: Path) -> Path:
    plan = plan_with({"disk.cache": "directsync"})
    home = tmp_path / "home"
    folder = kept(home / "activities" / plan.id, plan, records_of(plan, *usage_with("disk-throughput")))
    write_host(folder, {})
    store = Store(home)
    store.import_folder(folder)
    store.close()
    return home


def test_the_setting_that_could_lift_most_is_told_with_the_command_that_tests_it(home: Path) -> None:
    done = run("advise", "0123abcd", home=home)
    assert done.code == 0
    assert "1  disk.cache=writeback  " in done.out
    assert "   test it: assay evaluate quick --baseline guest --set disk.cache=writeback\n" in done.out


def test_it_is_told_as_json(home: Path) -> None:
    page = run("advise", "--json", home=home).page
    assert (page["schema"], page["version"]) == ("assay.advice", [1, 1])
    assert page["rows"][0]["factor"] == "disk.cache"
    assert page["rows"][0]["hazards"] == ["data", "migration"]


def test_a_result_that_is_not_there_is_said_in_a_line(home: Path) -> None:
    done = run("advise", "ffff0000", home=home)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error: unknown activity 'ffff0000'")
