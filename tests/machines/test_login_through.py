"""What is said of a machine that is reached through another one."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncssh
import pytest

from assay.machines.errors import UnreachableError
from assay.machines.ssh import login
from assay.machines.ssh import refused as explained
from assay.model.machines.machine import Machine, Reach

GUEST = Machine("guest", Reach.SSH, "127.0.0.1", "root", 2222)


class Between:
    """A connection to the machine between."""

    def get_extra_info(self, name: str) -> str:
        return {"host": "node01"}[name]


def refused(monkeypatch: pytest.MonkeyPatch, error: Exception) -> UnreachableError:
    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(asyncssh, "connect", fail)
    with pytest.raises(UnreachableError) as caught:
        asyncio.run(login.connect(GUEST, timeout_s=1, through=Between()))  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, "node01 lets no connection through: so it is"),
        (asyncssh.OPEN_CONNECT_FAILED, "node01 got no connection to it: so it is"),
    ],
)
def test_a_machine_between_that_does_not_connect_us_is_named(
    monkeypatch: pytest.MonkeyPatch, code: int, said: str
) -> None:
    error = refused(monkeypatch, asyncssh.ChannelOpenError(code, "so it is"))
    assert error.message == f"cannot reach guest (root@127.0.0.1:2222): {said}"
    assert "node01" in error.hint


def test_a_key_is_asked_for_where_the_login_went(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    async def show(*_: object, **options: object) -> None:
        asked.update(options)

    class Known(login.Trust):
        def read_files(self, configured: object) -> None:
            super().read_files(configured)
            self.known = (asyncssh.generate_private_key("ssh-ed25519"),)

    monkeypatch.setattr(login, "Trust", Known)
    monkeypatch.setattr(asyncssh, "get_server_host_key", show)
    refused(monkeypatch, asyncssh.ConnectionLost("hung up"))
    assert isinstance(asked["tunnel"], Between)


@pytest.mark.parametrize(
    ("package", "said", "hint"),
    [
        (
            None,
            "tickets of Kerberos cannot be used: no Python package gssapi",
            "pip install 'assay[kerberos]'",
        ),
        (object(), "no ticket of Kerberos either", "klist"),
    ],
)
def test_who_has_tickets_is_told_why_they_did_not_help(
    monkeypatch: pytest.MonkeyPatch, package: object, said: str, hint: str
) -> None:
    monkeypatch.setattr(explained, "find_spec", lambda _: package)
    monkeypatch.setenv("KRB5CCNAME", "FILE:/tickets")
    error = refused(monkeypatch, asyncssh.PermissionDenied("no"))
    assert "none of our keys is accepted" in error.message
    assert said in error.message
    assert hint in (error.hint or "")
