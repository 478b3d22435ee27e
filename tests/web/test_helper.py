"""What the helper does of what the web process sends, and what not."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa

from assay.model.errors import AssayError, MissingError
from assay.model.files.home import mark_home
from assay.store import tables as t
from assay.store.copied import CopiedStore
from assay.store.store import Store
from assay.web import serve
from assay.web.access.audit import Audit
from assay.web.access.file import load_access
from assay.web.access.known import Known
from assay.web.access.person import Person, Role, Scope, scopes_of
from assay.web.access.tokens import Tokens
from assay.web.acts.helper import MOST_BYTES, Desk, Helper
from assay.web.acts.looks import OwnLooks
from assay.web.acts.open_machines import OpenMachines
from assay.web.acts.requests import ACTS
from assay.web.acts.sent import HelperGoneError, Sent
from assay.web.split import FreshCopies
from assay.web.statuses import SentError
from tests.cli.conftest import home_with_result
from tests.results.test_outcome import PLAN
from tests.web.homes import SEARCH
from tests.web.signing import Recording, access_file, authorize, providing

ADD = {"kind": "machine-add", "name": "n1", "ssh": "root@h"}
RUN = {"kind": "evaluate", "scene": "quick"}


@dataclass(frozen=True)
class Helped:
    """A helper that listens.

    Attributes:
        home: Whose.
        place: Its socket.
        sent: The web process's side.
        run: What was carried out.
        proofs: Of who has signed in.
        server: It.
    """

    home: Path
    place: Path
    sent: Sent
    run: list[object]
    proofs: dict[str, str]
    server: Helper

    def ask(self, request: bytes) -> dict[str, object]:
        """Send anything, and return the first line of the answer."""
        with socket.socket(socket.AF_UNIX) as end:
            end.settimeout(30)
            end.connect(str(self.place))
            told = b""
            with contextlib.suppress(OSError):  # it may have left
                end.sendall(request)
                end.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError), end.makefile("rb") as answer:
                told = answer.readline()
        return json.loads(told) if told else {}


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Helped]:
    folder = tmp_path_factory.mktemp("helped")
    home = home_with_result(folder / "home")
    mark_home(home)
    with providing() as issuer:
        file = access_file(folder / "access", issuer, "http://127.0.0.1:1", "operators_may_use: local")
        rules = load_access(file)
        provider = serve.provider_of(rules)
        proofs = {}
        for sub in ("vera", "otto", "ada", "nobody"):
            begun = provider.begin()
            back = parse_qs(urlsplit(authorize(begun.address, sub)).query)
            proofs[sub], _ = provider.finish(begun, {name: values[0] for name, values in back.items()})
        store, audit = Store(home), Audit(home / "serve")
        carrier = Recording(home, audit, machines=OpenMachines(store, rules.operators_may_use))
        known = Known(rules, provider, Tokens(home / "serve"), audit)
        copies = FreshCopies(home, store)
        place = folder / "socket"
        with Helper(place, os.getuid(), Desk(known, carrier, audit, copies, OwnLooks(home, store))) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield Helped(home, place, Sent(place), carrier.run, proofs, server)
            server.shutdown()
            thread.join()
        copies.close()
        store.close()


def _person(proof: str, role: Role = Role.ADMIN) -> Person:
    """Return a person as a web process that was taken over would claim: an admin."""
    return Person("claimed", role, "k", proof=proof)


def test_who_asks_is_known_by_the_proof_and_not_by_what_is_claimed(helped: Helped) -> None:
    add, run = ACTS.validate_python(ADD), ACTS.validate_python(RUN)
    for sub, allowed in (("vera", ()), ("otto", (run,)), ("ada", (run, add))):
        for act in (run, add):
            before = len(helped.run)
            if act in allowed:
                assert helped.sent.carry_out(act, _person(helped.proofs[sub])).code == 0
                continue
            with pytest.raises(SentError) as refused:
                helped.sent.carry_out(act, _person(helped.proofs[sub]))
            assert refused.value.status == 403
            assert len(helped.run) == before
    last = json.loads((helped.home / "serve" / "audit.jsonl").read_text().splitlines()[-1])
    assert (last["who"], last["role"], last["subject"]) == ("Ada", "admin", "ada")


@pytest.mark.parametrize("proof", ["", "x", "assay_x", "a.b.c", "nobody", "vera, changed"])
def test_what_proves_nothing_is_refused(helped: Helped, proof: str) -> None:
    told = helped.proofs["vera"].split(".")
    other = helped.proofs["ada"].split(".")
    proofs = {"nobody": helped.proofs["nobody"], "vera, changed": ".".join((told[0], other[1], told[2]))}
    before = len(helped.run)
    with pytest.raises(AssayError):
        helped.sent.carry_out(ACTS.validate_python(RUN), _person(proofs.get(proof, proof)))
    assert len(helped.run) == before


def test_an_old_sign_in_is_refused(helped: Helped, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 8 * 3600 + 120)
    with pytest.raises(SentError, match="too old"):
        helped.sent.carry_out(ACTS.validate_python(RUN), _person(helped.proofs["ada"]))


def test_an_operator_uses_open_machines_alone(helped: Helped) -> None:
    act = ACTS.validate_python({**RUN, "on": "n[1-3]"})
    with pytest.raises(SentError) as unknown:
        helped.sent.carry_out(act, _person(helped.proofs["otto"]))
    assert unknown.value.status == 404


@pytest.mark.parametrize("kind", ["evaluate", "plan", "tune"])
@pytest.mark.parametrize("scene", ["no-such", "no-such@2", "quick.yaml", "../quick"])
def test_a_scene_is_named_as_it_is_listed(helped: Helped, kind: str, scene: str) -> None:
    """Also where the web process checks nothing: no file is read, whoever asks."""
    more = {"factors": "disk", "budget": "1h"} if kind == "tune" else {}
    act = ACTS.validate_python({"kind": kind, "scene": "quick", **more}).model_copy(update={"scene": scene})
    before = len(helped.run)
    with pytest.raises(SentError) as refused:
        helped.sent.carry_out(act, _person(helped.proofs["ada"]))
    assert refused.value.status == (404 if scene.startswith("no-such") else 400)
    assert len(helped.run) == before


@pytest.mark.parametrize(
    "request_",
    [
        b"",
        b"x",
        b"[]",
        b"{}",
        b'{"ask": "shell"}',
        b'{"ask": "copy", "known": "x"}',
        b'{"ask": "copy", "path": "/etc/shadow"}',
        b'{"ask": "newest", "most": 100000, "proof": "x"}',
        b'{"ask": "note", "event": "anything", "proof": "x"}',
        b'{"ask": "applied", "search": "../..", "proof": "x"}',
        b'{"ask": "advice", "result": "/etc", "proof": "x"}',
        b'{"ask": "advice", "result": "0123abcd"}',
        b'{"ask": "nodes"}',
        b'{"ask": "carry-out", "act": {"kind": "shell", "words": ["id"]}, "proof": "x"}',
        b'{"ask": "carry-out", "act": {"kind": "evaluate", "scene": "--help"}, "proof": "x"}',
        b'{"ask": "carry-out", "act": {"kind": "evaluate", "scene": "../x"}, "proof": "x"}',
        b'{"ask": "carry-out", "act": {"kind": "evaluate", "scene": "x.yaml"}, "proof": "x"}',
        b'{"ask": "carry-out", "act": {"kind": "plan", "scene": "x.yml"}, "proof": "x"}',
        b'{"ask": "carry-out", "act": {"kind": "evaluate", "scene": "q"}, "proof": "x", "role": "admin"}',
        b'{"ask": "carry-out", "act": {"kind": "evaluate", "scene": "q"}, "person": {"role": "admin"}}',
        b'{"ask": "carry-out", "act": {"kind": "evaluate", "scene": "q"}}',
        b"\xff\xfe" * 10,
        b'{"ask": ' * 5000,
    ],
)
def test_what_is_no_request_is_answered_as_such(helped: Helped, request_: bytes) -> None:
    before = len(helped.run)
    assert helped.ask(request_)["status"] == 400
    assert len(helped.run) == before


@pytest.mark.parametrize("proof", ["", "x", "nobody"])
def test_what_takes_rights_is_looked_at_for_those_who_may_see_pages(helped: Helped, proof: str) -> None:
    advice = helped.sent.advice(PLAN.id, _person(helped.proofs["vera"]))
    assert advice.result.id == PLAN.id
    assert helped.sent.nodes(_person(helped.proofs["vera"])) == ()
    other = _person(helped.proofs.get(proof, proof))
    for look in (
        lambda: helped.sent.advice(PLAN.id, other),
        lambda: helped.sent.nodes(other),
        lambda: helped.sent.applied(SEARCH, other),
        lambda: helped.sent.verified(SEARCH, other),
        lambda: helped.sent.exported(SEARCH, "safe", "virt-xml", other),
    ):
        with pytest.raises(AssayError) as refused:
            look()
        assert "search" not in refused.value.message, "nothing was looked for"


def test_a_request_without_end_is_not_read(helped: Helped) -> None:
    told = helped.ask(b'{"ask": "' + b"x" * (MOST_BYTES + 1))
    assert told == {} or told["status"] == 413
    assert helped.sent.copy(None)[1], "and others are answered"


def test_another_user_is_not_answered(helped: Helped, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helped.server, "uid", os.getuid() + 1)
    assert helped.ask(b'{"ask": "copy"}') == {}
    with pytest.raises(HelperGoneError):
        helped.sent.copy(None)


def test_a_mistake_of_the_helper_ends_nothing(
    helped: Helped, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(self: object, known: int | None) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(FreshCopies, "copy", fails)
    told = helped.ask(b'{"ask": "copy"}')
    assert (told["status"], told["error"]) == (500, "the helper has failed")
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_tokens_and_the_log_are_the_helpers(helped: Helped) -> None:
    secret, _ = Tokens(helped.home / "serve").add("t", Role.OPERATOR, {Scope.READ}, days=1)
    found = helped.sent.by_token(secret)
    assert found is not None
    assert (found.name, found.role, found.scopes) == ("token t", Role.OPERATOR, frozenset({Scope.READ}))
    assert helped.sent.by_token("assay_other") is None
    assert helped.sent.by_token("") is None
    with pytest.raises(SentError, match="takes the scope 'run'"):
        helped.sent.carry_out(ACTS.validate_python(RUN), replace(found, scopes=scopes_of(Role.ADMIN)))
    helped.sent.note(helped.proofs["vera"], "sign-in")
    newest = helped.sent.newest(_person(helped.proofs["ada"]), 5)
    assert (newest[0].who, newest[0].what) == ("Vera", "sign-in")
    for proof in (helped.proofs["otto"], secret):
        with pytest.raises(SentError):
            helped.sent.newest(_person(proof), 5)


def test_the_database_is_read_by_copies_that_follow_it(helped: Helped, tmp_path: Path) -> None:
    version, content = helped.sent.copy(None)
    assert content is not None
    assert helped.sent.copy(version) == (version, None)
    store = CopiedStore(helped.home, helped.sent.copy, tmp_path)
    assert [row.id for row in store.listed()] == [PLAN.id]
    assert [one.activity for one in store.summaries(_made_by()).values()] == [PLAN.id]
    store.keep_summary(store.summaries(_made_by())[PLAN.id])
    own = Store(helped.home)
    own.set_state(PLAN.id, own.activity(PLAN.id).state, ended_ns=7)
    own.close()
    store._at = float("-inf")
    assert store.activity(PLAN.id).ended_ns == 7
    assert len([*tmp_path.iterdir()]) == 1, "the copy before is gone"
    store.close()


def test_what_activities_of_an_older_home_saw_is_kept_for_the_web_process(tmp_path: Path) -> None:
    home = home_with_result(tmp_path / "home")
    store = Store(home)
    with store._engine.begin() as connection:
        connection.execute(sa.delete(t.seen))
    assert [row.id for row in store.unseen()] == [PLAN.id]
    copies = FreshCopies(home, store)
    version, _ = copies.copy(None)
    copies._filling.join()
    newer, content = copies.copy(version)
    assert newer != version
    assert content is not None
    (tmp_path / "copy").mkdir()
    copied = CopiedStore(home, lambda _: (newer, content), tmp_path / "copy")
    assert copied.unseen() == ()
    copied.close()
    copies.close()
    store.close()


def _made_by() -> str:
    from assay.activities.summaries import MADE_BY

    return MADE_BY


def test_rows_on_a_server_are_not_copied(tmp_path: Path) -> None:
    from assay.store.copied import Copier

    (tmp_path / "database.json").write_text(
        json.dumps(
            {"schema": "assay.database", "version": [1, 0], "url": "postgresql:///x", "controller": "c"}
        )
    )
    with pytest.raises(MissingError, match="on a server"):
        Copier(tmp_path)
