"""Tests of what a store does run on each make of database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.store.chosen import Chosen, choose, chosen
from assay.store.postgres import open_server
from tests.postgres import Server

BOTH = (
    "test_store",
    "test_ended",
    "test_rows",
    "test_fleet",
    "test_imports",
    "test_search",
    "test_tags",
    "test_views",
    "test_seen",
)
"""Modules whose tests say what any store does."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of any store on each make."""
    if metafunc.module.__name__.rpartition(".")[2] in BOTH and "one_make" not in {
        mark.name for mark in metafunc.definition.iter_markers()
    }:
        metafunc.fixturenames.append("make_of_database")
        metafunc.parametrize("make_of_database", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def make_of_database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let every home of a test have its database on a server of its own, unless it is to be a file."""
    make, engines = str(request.param), list[sa.Engine]()
    if make == "postgresql":
        server: Server = request.getfixturevalue("postgresql")

        def on_server(home: Path) -> Chosen | None:
            home.mkdir(parents=True, exist_ok=True)
            if chosen(home) is not None:
                return chosen(home)
            choose(home, Chosen(server.database(f"{request.node.nodeid} {home}"), "here"))
            return chosen(home)

        def kept(other: Chosen) -> sa.Engine:
            engines.append(open_server(other))  # not every test closes its store, which psycopg tells of
            return engines[-1]

        monkeypatch.setattr("assay.store.database.chosen", on_server)
        monkeypatch.setattr("assay.store.database.open_server", kept)
    yield make
    for engine in engines:
        engine.dispose()
