"""The views of the database are what its page says, alike in both makes, and enough for the dashboard."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.activities.pages import page_of
from assay.activities.summaries import keep_summary, summary_of
from assay.model.errors import MissingError
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.store.chosen import Chosen, choose
from assay.store.rows import KeptFleetSummary, KeptSummary
from assay.store.store import Store
from assay.store.views import NAMES
from tests.cli.conftest import home_with_result
from tests.postgres import Server
from tests.results.test_outcome import PLAN
from tests.store.test_fleet import FLEET

ROOT = Path(__file__).parents[2]
DOUBT = {"code": "steal", "severity": "shifts", "count": 3, "sentence": "It was taken."}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a store with something in every view."""
    made = Store(home_with_result(tmp_path / "home"))
    folder = made.home / "activities" / PLAN.id
    keep_summary(made, page_of(folder))
    machine = Machine("node01", reach=Reach.SSH, host="192.0.2.1", user="root")
    made.add_machines([Entry(machine, groups=("farm",))])
    made.add_health([Health("node01", at_ns=1_700_000_000_500_000_000, busy=0.5)])
    yield made
    made.close()


def rows(store: Store, query: str) -> list[dict[str, Any]]:
    with store._engine.connect() as connection:
        return [dict(row) for row in connection.execute(sa.text(query)).mappings()]


def documented() -> dict[str, list[str]]:
    """Return the columns of each view, as docs/store.md tells them."""
    text = (ROOT / "docs" / "store.md").read_text()
    found = {}
    for name, section in re.findall(r"^### (\w+)\n(.*?)(?=^##)", text, re.DOTALL | re.MULTILINE):
        cells = re.findall(r"^\| ([\w, ]+) \|", section, re.MULTILINE)
        found[name] = [column for cell in cells[1:] for column in cell.split(", ")]
    return found


def test_each_view_has_the_columns_that_its_page_tells(store: Store) -> None:
    inspector = sa.inspect(store._engine)
    assert set(inspector.get_view_names()) == set(NAMES) == set(documented())
    for name, columns in documented().items():
        assert {column["name"] for column in inspector.get_columns(name)} == set(columns), name


def test_losses_are_those_of_the_result(store: Store) -> None:
    page = page_of(store.home / "activities" / PLAN.id)
    found = rows(
        store,
        "SELECT workload, metric, loss, low, high, blocks, verdict FROM losses ORDER BY workload, metric",
    )
    expected = sorted(page.estimates, key=lambda row: (row.workload, row.metric))
    assert [tuple(row.values()) for row in found] == [
        (row.workload, row.metric, row.loss, row.low, row.high, row.blocks, str(row.verdict))
        for row in expected
    ]
    (result,) = rows(store, "SELECT result, planned, measured, headline FROM results")
    assert (result["result"], result["planned"]) == (PLAN.id, len(PLAN.trials))
    assert result["headline"]
    (costs,) = rows(store, "SELECT badge, seconds, probe_cpu_s, facts FROM results")
    summary = summary_of(page)
    assert costs == {name: getattr(summary, name) for name in costs}
    doubts = rows(store, "SELECT code, severity, count, sentence FROM result_doubts ORDER BY code")
    assert doubts == [
        {"code": one.code, "severity": str(one.severity), "count": one.count, "sentence": one.sentence}
        for one in sorted(page.doubts, key=lambda one: one.code)
    ]


def test_trials_and_measurements_tell_times_as_times(store: Store) -> None:
    trials = rows(
        store, "SELECT trial, state, seconds, started FROM trials WHERE state = 'ended' ORDER BY trial"
    )
    assert trials
    assert all(row["seconds"] > 0 for row in trials)
    moment = rows(store, 'SELECT "at" FROM looks')[0]["at"]
    text = moment if isinstance(moment, str) else moment.astimezone().isoformat(timespec="milliseconds")
    assert text.startswith("2023-11-14T22:13:20.500")
    values = rows(store, "SELECT value FROM measurements WHERE value IS NOT NULL")
    assert values
    (machine,) = rows(store, "SELECT machine, host, groups FROM machines")
    assert tuple(machine.values()) == ("node01", "192.0.2.1", '["farm"]')


def test_activities_on_several_machines_have_their_headline_once_it_was_kept(store: Store) -> None:
    asked = "SELECT fleet, scene, machines, state, headline FROM fleets"
    store.add_fleet(FLEET, store.home / "activities" / FLEET.id)
    (before,) = rows(store, asked)
    assert tuple(before.values()) == (FLEET.id, "spin", 3, "running", None)
    store.keep_fleet_summary(KeptFleetSummary(FLEET.id, 0, "now", "running", "spin (large)", "12 % lost"))
    (after,) = rows(store, asked)
    assert (after["scene"], after["headline"]) == ("spin (large)", "12 % lost")


def test_nodes_of_a_batch_system_tell_what_their_job_is_asked_for(store: Store) -> None:
    machine = Machine("wn01", reach=Reach.SLURM, host="wn01", job=(("partition", "short"),))
    store.add_machines([Entry(machine)])
    (found,) = rows(store, "SELECT reach, job FROM machines WHERE machine = 'wn01'")
    assert (found["reach"], json.loads(found["job"])) == ("slurm", {"partition": "short"})


def test_what_results_are_found_by_is_told(store: Store) -> None:
    found = rows(store, "SELECT result, field FROM found_by WHERE value = 'loss'")
    assert [tuple(row.values()) for row in found] == [(PLAN.id, "verdict")]


def test_a_nul_that_a_result_tells_of_spoils_no_view(store: Store) -> None:
    content = json.dumps({"estimates": [], "machines": [], "badge": "a\0b\\u0000", "doubts": [DOUBT]})
    store.keep_summary(KeptSummary(PLAN.id, 0, "it", "complete", "2026", "", content=content))
    assert rows(store, "SELECT badge FROM results") == [{"badge": "a\ufffdb\\u0000"}]
    assert rows(store, "SELECT loss FROM losses") == []
    assert rows(store, "SELECT * FROM result_doubts") == [{"result": PLAN.id, **DOUBT}]


@pytest.mark.one_make
def test_who_may_read_the_views_may_read_those_of_the_next_version(
    postgresql: Server, tmp_path: Path
) -> None:
    address = postgresql.database("granted")
    name = address.split("/")[3].partition("?")[0]
    choose(tmp_path, Chosen(address, "ctl01"))
    Store(tmp_path).close()
    postgresql.sql(
        'CREATE USER "Graf ana"; GRANT SELECT ON losses TO "Graf ana"; GRANT SELECT ON looks TO PUBLIC', name
    )
    older = "UPDATE alembic_version SET version_num = '0011'; DROP TABLE boot CASCADE; DROP TABLE seen"
    postgresql.sql(older, name)
    Store(tmp_path).close()
    for view, who in (("losses", "Graf ana"), ("looks", "Graf ana"), ("trials", None)):
        may = postgresql.sql(f"SELECT has_table_privilege('Graf ana', '{view}', 'SELECT')", name)
        assert may == ("t" if who else "f"), view
    postgresql.sql(f"{older}; CREATE VIEW mine AS SELECT loss FROM losses", name)
    with pytest.raises(MissingError, match="a view of others is made of its views"):
        Store(tmp_path)
    postgresql.sql("DROP VIEW mine", name)
    Store(tmp_path).close()


@pytest.mark.one_make
def test_the_dashboard_asks_for_what_is_there(postgresql: Server, tmp_path: Path) -> None:
    from assay.store.move import move

    home = home_with_result(tmp_path / "home")
    made = Store(home)
    keep_summary(made, page_of(home / "activities" / PLAN.id))
    made.close()
    address = postgresql.database("grafana")
    move(home, Chosen(address, "ctl01"))
    name = address.split("/")[3].partition("?")[0]
    dashboard = json.loads((ROOT / "examples" / "grafana" / "assay.json").read_text())
    chosen = {}
    for variable in dashboard["templating"]["list"]:
        values = postgresql.sql(filled(variable["query"], chosen), name).splitlines()
        assert values, variable["name"]
        chosen[variable["name"]] = values[0]
    answers = {}
    for panel in dashboard["panels"]:
        (target,) = panel["targets"]
        answers[panel["id"]] = postgresql.sql(filled(target["rawSql"], chosen), name)
    assert answers[1]
    assert PLAN.id in answers[2]
    assert answers[3]


def filled(query: str, chosen: dict[str, str]) -> str:
    """Return a query as Grafana sends it."""
    query = re.sub(r"\$__timeFilter\(([^)]*)\)", r"\1 BETWEEN '1970-01-01' AND '2100-01-01'", query)
    return re.sub(r"\$\{(\w+)\}", lambda found: chosen[found[1]], query)
