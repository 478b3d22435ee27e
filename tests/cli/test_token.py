"""``assay token``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.web.access.alone import login_of
from assay.web.access.audit import Audit
from assay.web.access.person import Person, Role
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
    log = Audit(tmp_path / "home" / "serve")
    removed, made = log.newest(Person("a", Role.ADMIN, key=""), 10)
    assert made.who == removed.who == login_of(os.getuid())
    assert (made.what, removed.what, removed.outcome) == ("token-add", "token-remove", "done")
    assert dict(made.fields) == {"name": "grafana", "role": "operator", "scopes": "read", "days": "3"}
    assert told["secret"] not in log.path.read_text()


def test_a_token_is_alone_on_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    added = run("token", "add", "a", "--role", "viewer")
    assert len(added.out.split()) == 1
    assert "shown this once" in added.err
    assert run("token", "add", "a", "--role", "viewer").code == 3
    assert run("token", "add", "b", "--role", "viewer", "--scope", "run").code == 3
    assert run("token", "add", "b", "--role", "owner").code == 2
