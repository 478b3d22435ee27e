"""Which database a home uses: its own file, or one on a server that it was moved to.

Layout of a home whose rows are on a server::

    database.json            address of the server's database, and what this controller is called there
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.model.errors import AssayError

FILE = "database.json"
SCHEMA, VERSION = "assay.database", (1, 0)
DRIVER = "postgresql+psycopg"
EXAMPLE = "postgresql://assay@db.example.org/assay"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Chosen:
    """A database on a server.

    Attributes:
        url: Its address, ``postgresql://USER@HOST:PORT/DATABASE?OPTION=…``, without a password.
        controller: What this home is called in it, where several write to one database.
    """

    url: str
    controller: str


def chosen(home: Path) -> Chosen | None:
    """Return the database on a server that a home uses; ``None`` where it has its own file.

    Raises:
        AssayError: What says so cannot be read.
    """
    file = home / FILE
    try:
        read = json.loads(file.read_bytes())
        made = Chosen(read["url"], read["controller"])
        parsed(made.url)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, LookupError, TypeError, RecursionError, AssayError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"expected an address and a name ({error})"
        hint = f"write it anew, or remove it to have a database in {home}: assay store rebuild"
        msg = f"cannot read {file}: {reason}"
        raise AssayError(msg, hint=hint) from error
    return made


def choose(home: Path, other: Chosen | None) -> None:
    """Write down which database a home uses from here on; ``None`` is its own file."""
    from assay.store.readers import keep_file
    from assay.store.record import replace_file, sync_folder

    file = home / FILE
    if other is None:
        file.unlink(missing_ok=True)
        sync_folder(home)
        return
    content = {"schema": SCHEMA, "version": VERSION, **asdict(other)}
    replace_file(file, json.dumps(content, indent=1).encode() + b"\n")
    keep_file(file)


def parsed(url: str) -> Any:
    """Return an address in its parts, as SQLAlchemy takes them.

    Where nothing is said of encryption, a server on another machine must prove its name by a certificate.

    Raises:
        AssayError: It is none of PostgreSQL, names no database, or holds a password.
    """
    import sqlalchemy as sa

    try:
        parts = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise _no_address(url, "no address") from error
    if parts.drivername not in {"postgresql", "postgres", DRIVER}:
        raise _no_address(url, f"'{parts.drivername}'")
    if not parts.database:
        raise _no_address(url, "no database in it")
    if parts.password is not None:
        msg = f"cannot use {shown(url)}: expected no password in an address, which other users can see"
        raise AssayError(msg, hint="write it to ~/.pgpass: host:port:database:user:password, mode 0600")
    if not is_local(parts) and "sslmode" not in parts.query:
        parts = parts.update_query_dict({"sslmode": "verify-full"})
    return parts.set(drivername=DRIVER)


def is_local(parts: Any) -> bool:
    """Tell whether a server is on this machine: by a socket, or on loopback."""
    host = parts.host or parts.query.get("host") or ""
    return not host or host.startswith("/") or host in LOOPBACK


def shown(url: str) -> str:
    """Return an address as it is told, without a password."""
    import sqlalchemy as sa

    try:
        return sa.make_url(url).render_as_string(hide_password=True).replace("%2F", "/")
    except (sa.exc.ArgumentError, ValueError):
        return url


def check_controller(name: str) -> str:
    """Return the name of a controller.

    Raises:
        AssayError: It is none that can stand in lists and messages.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        msg = f"cannot call this controller {name!r}: expected at most 64 letters, digits, '.', '_' and '-'"
        raise AssayError(msg, hint="--controller NAME")
    return name


def _no_address(url: str, got: str) -> AssayError:
    msg = f"cannot use {shown(url)}: expected an address of PostgreSQL, got {got}"
    return AssayError(msg, hint=f"like {EXAMPLE}")
