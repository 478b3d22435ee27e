"""A login by a ticket of Kerberos: a real KDC, and a real sshd that takes no key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.model.errors import Exit
from tests.command import Done
from tests.hosts import PORT, SERVER
from tests.kerberos import Realm, kerberos
from tests.live.parts import run

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    with kerberos(tmp_path_factory.mktemp("kerberos"), {"root": "secret"}) as made:
        yield made


def test_a_machine_is_added_and_looked_at_by_a_ticket_and_by_nothing_else(
    realm: Realm, tmp_path: Path
) -> None:
    def call(*words: str) -> Done:
        return run(*words, home=tmp_path / "home", wrap=realm.host.inside, variables=realm.variables)

    refused = call("machine", "add", "n01", "--ssh", f"root@{SERVER}:{PORT}", "--json")
    assert refused.code == Exit.UNREACHABLE
    error = refused.page["check"]["error"]
    assert "no ticket of Kerberos either" in error["message"]
    assert "klist" in error["hint"]
    realm.log_in("root", "secret")
    checked = call("machine", "check", "n01", "--json")
    (found,) = checked.page["machines"]
    assert found["error"] is None, checked.err
    shown = call("machine", "show", "n01", "--json")
    assert shown.code == Exit.DONE, shown.err
    assert shown.page["machines"][0]["facts"]["architecture"] == "x86_64"
    assert (
        "Authorized to root, krb5 principal root@ASSAY.TEST" in (realm.host.folder / "sshd.log").read_text()
    )
    realm.log_out()
    assert call("machine", "show", "n01").code == Exit.UNREACHABLE


def test_a_ticket_does_not_take_the_place_of_the_host_key(realm: Realm, tmp_path: Path) -> None:
    realm.log_in("root", "secret")
    known = realm.host.home / ".ssh/known_hosts"
    before = known.read_text()
    known.write_text("")
    try:
        words = ("machine", "add", "n01", "--ssh", f"root@{SERVER}:{PORT}")
        done = run(*words, home=tmp_path / "home", wrap=realm.host.inside, variables=realm.variables)
    finally:
        known.write_text(before)
        realm.log_out()
    assert (done.code, "its host key ssh-ed25519" in done.err) == (Exit.UNREACHABLE, True), done.err
