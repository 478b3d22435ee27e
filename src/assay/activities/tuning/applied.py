"""A change-set in a domain and on the host: put in, looked at, taken back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.activities.tuning.kept import FOLDER
from assay.model.errors import AssayError
from assay.model.files.native import PROBE
from assay.pages.tuning import Tuning
from assay.platforms.applied.apply import Looked, apply, look, refuse_held_files, roll_back
from assay.platforms.applied.journal import BACK, Applied, read_applied
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.host.this_host import ThisHost

if TYPE_CHECKING:
    from libvirt import virConnect


def applied_to(tuning: Tuning, settings: Mapping[str, str], domain: str | None, *, home: Path) -> Applied:
    """Put the changes of a search into a domain, and into the settings of this host.

    Args:
        tuning: The search.
        settings: Levels by factor.
        domain: Name of the domain; ``None`` changes the host alone.
        home: Folder of all state.

    Raises:
        AssayError: Something is applied already, there is no such domain, or a change is refused.
    """
    host = ThisHost(home)
    refuse_held_files(settings, home, host)
    with _hypervisor(domain, home) as connection:
        return apply(_folder(tuning, home), settings, domain=domain, connection=connection, host=host)


def looked_at(tuning: Tuning, *, home: Path) -> list[Looked]:
    """Return how what was applied is now.

    Raises:
        AssayError: Nothing is applied.
    """
    applied = read_applied(_folder(tuning, home))
    if applied is None or applied.state == BACK:
        msg = f"nothing of search {tuning.id} is applied"
        raise AssayError(msg, hint=f"assay tune apply {tuning.id} --domain NAME")
    with _hypervisor(applied.domain, home) as connection:
        return look(applied, connection=connection, host=ThisHost(home))


def not_looked_at(tuning: Tuning, *, home: Path) -> dict[str, str]:
    """Return what of an applied change-set was not put in, and so is not looked at, each with the reason."""
    applied = read_applied(_folder(tuning, home))
    return {} if applied is None else dict(applied.left)


def taken_back(tuning: Tuning, *, home: Path) -> list[str]:
    """Take back what was applied; return what was left as it is, one sentence each.

    Raises:
        AssayError: Nothing is applied, or it cannot be taken back.
    """
    applied = read_applied(_folder(tuning, home))
    with _hypervisor(None if applied is None else applied.domain, home) as connection:
        return roll_back(_folder(tuning, home), connection=connection)


def applied_of(tuning: Tuning, *, home: Path) -> Applied | None:
    """Return what of a search is applied; ``None`` where nothing is, or not any more."""
    applied = read_applied(_folder(tuning, home))
    return None if applied is None or applied.state == BACK else applied


def _folder(tuning: Tuning, home: Path) -> Path:
    return home / FOLDER / tuning.id


@contextmanager
def _hypervisor(domain: str | None, home: Path) -> Iterator[virConnect | None]:
    """Give a connection to this machine's libvirt where a domain is named."""
    if domain is None:
        yield None
        return
    with libvirt_connection(home, subreaper=PROBE.path()) as connection:
        yield connection
