"""A machine by SSH for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hosts import SshHost, entered, ssh_host


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    """A real sshd, shared by the tests of a file."""
    with ssh_host(tmp_path_factory.mktemp("host")) as made:
        yield made


@pytest.fixture
def reached(host: SshHost, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshHost]:
    """The same, within reach of this process, with the home folder that knows it."""
    monkeypatch.setenv("HOME", str(host.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with entered(host.client_namespace):
        yield host
