"""``assay token``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run


def test_a_token_is_added_listed_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    assert "there is no token" in run("token", "list").out
    added = run("token", "add", "grafana", "--role", "operator", "--scope", "read", "--days", "3", "--json")
    told = json.loads(added.out)
    assert told["secret"].startswith("assay_")
    assert told["token"]["scopes"] == ["read"]
    assert "digest" not in told["token"]
    listed = run("token", "list").out
    assert "grafana" in listed
    assert "never" in listed
    assert told["secret"] not in listed
    (one,) = json.loads(run("token", "list", "--json").out)["tokens"]
    assert (one["name"], one["role"], one["used"]) == ("grafana", "operator", None)
    assert run("token", "remove", "grafan").code == 3
    assert run("token", "remove", "grafana", "--json").code == 0
    assert json.loads(run("token", "list", "--json").out)["tokens"] == []


def test_a_token_is_alone_on_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    added = run("token", "add", "a", "--role", "viewer")
    assert len(added.out.split()) == 1
    assert "shown this once" in added.err
    assert run("token", "add", "a", "--role", "viewer").code == 3
    assert run("token", "add", "b", "--role", "viewer", "--scope", "run").code == 3
    assert run("token", "add", "b", "--role", "owner").code == 2
