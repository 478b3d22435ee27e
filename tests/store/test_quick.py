"""What is read without SQLAlchemy is what the store reads, or nothing is told."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.pages import page_of, write_page
from assay.activities.summaries import MADE_BY, keep_summary
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.store import quick
from assay.store.chosen import Chosen, choose
from assay.store.record import write_activity
from assay.store.revision import FILE
from assay.store.store import Store
from tests.cli.conftest import home_with_result
from tests.live.parts import environment
from tests.results.test_outcome import PLAN

OTHER = "4567abcd"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a result, a guest and its carrier, and looks at them."""
    place = home_with_result(tmp_path / "home")
    with closing(Store(place)) as store:
        carrier = Machine("node02", reach=Reach.SSH, host="192.0.2.2")
        guest = Machine("node01", reach=Reach.SSH, host="192.0.2.1")
        store.add_machines([Entry(guest, groups=("farm",), guest_of="node02"), Entry(carrier)])
        store.add_health([Health("node01", at_ns=at, busy=at / 10) for at in (1, 3, 2)])
        store.add_health([Health("node02", at_ns=1, why="no route")])
    return place


def test_it_is_what_the_store_reads(home: Path) -> None:
    with closing(Store(home)) as store:
        assert quick.entries(home) == store.entries()
        assert quick.newest_health(home) == store.health()
        store.add_health([Health("node01", at_ns=at, why="no route") for at in (4, 5)])
        assert quick.last_seen(home) == store.last_seen() == {"node01": 3}
        assert set(quick.ids(home) or ()) == store.ids() == {PLAN.id}
    assert not quick.is_empty(home)


def test_a_home_without_a_database_has_this_machine_and_nothing_else(tmp_path: Path) -> None:
    assert [entry.name for entry in quick.entries(tmp_path) or ()] == ["local"]
    assert (quick.newest_health(tmp_path), quick.last_seen(tmp_path), quick.ids(tmp_path)) == ((), {}, [])
    assert quick.is_empty(tmp_path)
    assert list(tmp_path.iterdir()) == []


def changed(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / FILE)) as connection, connection:
        connection.execute(statement)


def test_nothing_is_told_of_what_only_the_store_can_judge(home: Path) -> None:
    (home / FILE).chmod(0o600)
    changed(home, "UPDATE machine SET groups = 'x'")
    assert quick.entries(home) is None
    changed(home, "UPDATE alembic_version SET version_num = '9999'")
    assert quick.ids(home) is None
    changed(home, "DELETE FROM alembic_version")
    assert quick.ids(home) is None
    (home / FILE).write_bytes(b"no database")
    assert quick.ids(home) is None


def imported(home: Path, activity: str, **changes: Any) -> None:
    folder = home / "activities" / activity
    folder.mkdir()
    write_activity(folder, replace(PLAN, id=activity, created_ns=PLAN.created_ns + 1, **changes))
    with closing(Store(home)) as store:
        store.import_folder(folder)


def test_results_by_name_are_those_of_the_store(home: Path) -> None:
    imported(home, OTHER)
    names = (PLAN.id, PLAN.id[:3], OTHER, OTHER[:1], "last")
    with closing(Store(home)) as store:
        kept = keep_summary(store, page_of(store.activity(PLAN.id).folder))
        assert kept.page is None
        keep_summary(store, write_page(store.activity(OTHER).folder), written=store.activity(OTHER).folder)
        found = quick.named(home, names)
        assert found is not None
        assert [found.activity(name) for name in names] == [store.activity(name) for name in names]
        for activity, made_by in ((PLAN.id, MADE_BY), (OTHER, MADE_BY), (OTHER, "another"), ("x", MADE_BY)):
            assert found.page_digest(activity, made_by) == store.page_digest(activity, made_by)
        assert found.page_digest(OTHER, MADE_BY) is not None
    changed(home, "UPDATE activity SET ended = ended + 1")
    assert found.page_digest(OTHER, MADE_BY) is None


@pytest.mark.parametrize("name", ["", "f", PLAN.id[:1], "LAST", "\udc80", f"{PLAN.id}0", "%"])
def test_a_name_that_is_no_result_s_alone_is_left_to_the_store(home: Path, name: str) -> None:
    imported(home, f"{PLAN.id[:1]}fffffff")
    assert quick.named(home, (PLAN.id, name)) is None


def test_the_run_of_a_proof_is_the_last_by_the_store_s_word_alone(home: Path) -> None:
    imported(home, OTHER, proof_of=PLAN.id)
    assert quick.named(home, ("last",)) is None
    assert quick.named(home, (OTHER,)) is not None
    (home / "activities" / OTHER / "activity.json").write_text("{")
    assert quick.named(home, ("last",)) is None


@pytest.mark.parametrize("harm", ["state = 'odd'", "controller = 'ctl02'"])
def test_a_row_that_needs_a_word_is_left_to_the_store(home: Path, harm: str) -> None:
    changed(home, f"UPDATE activity SET {harm}")
    assert quick.named(home, (PLAN.id,)) is None


def test_nothing_is_told_of_rows_on_a_server(home: Path) -> None:
    choose(home, Chosen("postgresql://assay@/assay", "ctl01"))
    assert (quick.entries(home), quick.newest_health(home), quick.ids(home)) == (None, None, None)
    assert quick.named(home, (PLAN.id,)) is None
    assert not quick.is_empty(home)


@pytest.mark.parametrize(
    "words", [("machine", "list"), ("scene", "list"), ("result", "list"), ("activity", "list")]
)
def test_lists_of_a_new_home_load_nothing_heavy(tmp_path: Path, words: tuple[str, ...]) -> None:
    code = (
        "import sys; from assay.cli import main\n"
        f"try: main({list(words)!r})\n"
        "except SystemExit as end: assert not end.code\n"
        "sys.exit(bool({'sqlalchemy', 'numpy', 'pydantic', 'asyncssh'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
