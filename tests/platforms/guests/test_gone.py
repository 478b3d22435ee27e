"""Domains that go while they are looked at: somebody else's guest that ends is no error of ours."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Any

import libvirt
import pytest

from assay.platforms.guests.domains import runs
from assay.platforms.guests.mark import Mark
from assay.platforms.leftovers import quiet


class Domain:
    """A domain that libvirt says this of."""

    def __init__(self, code: int | None) -> None:
        self._code = code

    def isActive(self) -> int:
        if self._code is None:
            return 1
        error = libvirt.libvirtError("no domain")
        error.err = (self._code, 10, "no domain", 2, "", None, None, -1, -1)
        raise error


def test_a_domain_that_is_gone_does_not_run_and_another_error_is_one() -> None:
    assert runs(Domain(None))  # type: ignore[arg-type]
    assert not runs(Domain(libvirt.VIR_ERR_NO_DOMAIN))  # type: ignore[arg-type]
    with pytest.raises(libvirt.libvirtError):
        runs(Domain(libvirt.VIR_ERR_RPC))  # type: ignore[arg-type]


def test_a_guest_that_ends_meanwhile_stops_no_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def connection(*_: Any, **__: Any) -> Any:
        yield object()

    gone = (Domain(libvirt.VIR_ERR_NO_DOMAIN), Mark("89abcdef", tmp_path, pending=True))
    monkeypatch.setattr(quiet, "passing_connection", connection)
    monkeypatch.setattr(quiet, "marked_domains", lambda _: [gone])
    monkeypatch.setattr(quiet, "refuse_others", lambda: None)
    quiet.end_guests(tmp_path, "0123abcd", subreaper=Path("/probe"))
