"""API tokens: programs that ask without a browser; of each only a digest is kept.

Layout::

    serve/tokens.json        digest, name, role, scopes, end and last use of each; its owner's alone
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from assay.model.errors import AssayError, UnknownNameError
from assay.platforms.locks import locked
from assay.store.record import sync_folder
from assay.web.access.person import Person, Role, Scope, scopes_of

FILE, LOCK = "tokens.json", "tokens.lock"
SCHEMA, VERSION = "assay.tokens", [1, 0]
PREFIX = "assay_"
"""By it a token that was left somewhere is found."""
USED_EVERY_S = 300.0
"""Its last use is written down at most as often."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Token:
    """An API token.

    Attributes:
        name: As shown and as written into the audit log.
        digest: SHA-256 of it, in hex.
        role: What it may: ``viewer``, ``operator`` or ``admin``.
        scopes: The parts of that which it may use.
        created: Wall clock at its making, in seconds.
        expires: Wall clock at its end.
        used: Wall clock at its last use, to five minutes; ``None`` where it was not used.
    """

    name: str
    digest: str
    role: str
    scopes: tuple[str, ...]
    created: float
    expires: float
    used: float | None = None


class Tokens:
    """A home's API tokens.

    Args:
        folder: Where they lie: ``serve`` of the home; made where it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, name: str, role: Role, scopes: Collection[Scope], *, days: int) -> tuple[str, Token]:
        """Make a token.

        Args:
            name: Its name.
            role: What it may.
            scopes: The parts of that which it may use; empty is all.
            days: After how many it ends.

        Returns:
            The token, which is not kept, and what is.

        Raises:
            AssayError: The name cannot be one or is taken, or the role has no such scope.
        """
        if not _NAME.fullmatch(name):
            msg = f"cannot call a token {name!r}: expected at most 64 letters, digits, '.', '_' and '-'"
            raise AssayError(msg)
        if more := sorted(set(scopes) - scopes_of(role)):
            msg = f"cannot add the token {name}: a token of the role {role.word} has no scope '{more[0]}'"
            raise AssayError(msg, hint=f"scopes of that role: {', '.join(sorted(scopes_of(role)))}")
        secret, now = PREFIX + secrets.token_urlsafe(32), time.time()
        kept = tuple(sorted(scopes or scopes_of(role)))
        token = Token(name, _digest(secret), role.word, kept, now, now + days * 86400)
        with self._alone():
            known = self.listed()
            if any(one.name == name for one in known):
                msg = f"cannot add the token {name}: the name is taken"
                raise AssayError(msg, hint=f"assay token remove {name}")
            self._write((*known, token))
        return secret, token

    def remove(self, name: str) -> None:
        """Remove a token: who has it is not known any more.

        Raises:
            UnknownNameError: There is none of that name.
        """
        with self._alone():
            known = self.listed()
            if name not in {one.name for one in known}:
                names = [one.name for one in known]
                raise UnknownNameError(kind="token", name=name, known=names, hint="assay token list")
            self._write(tuple(one for one in known if one.name != name))

    def listed(self) -> tuple[Token, ...]:
        """Return all tokens by name, also those that have ended.

        Raises:
            AssayError: They cannot be read.
        """
        file = self._folder / FILE
        try:
            content = json.loads(file.read_bytes())
            tokens = [Token(**{**one, "scopes": tuple(one["scopes"])}) for one in content["tokens"]]
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, LookupError, TypeError) as error:
            msg = f"cannot read {file}: {error}"
            raise AssayError(msg, hint="remove it, and add the tokens again: assay token add") from error
        return tuple(sorted(tokens, key=lambda one: one.name))

    def person(self, secret: str) -> Person | None:
        """Return who has a token that has not ended; ``None`` for any other."""
        if not secret.startswith(PREFIX):
            return None
        digest, now = _digest(secret), time.time()
        found = next((one for one in self.listed() if secrets.compare_digest(one.digest, digest)), None)
        if found is None or now >= found.expires:
            return None
        if found.used is None or now - found.used > USED_EVERY_S:
            self._note_use(digest, now)
        return Person(
            name=f"token {found.name}", role=Role[found.role.upper()], key=f"token {found.digest}",
            by_token=True, scopes=frozenset(map(Scope, found.scopes)), proof=secret,
        )  # fmt: skip

    def _note_use(self, digest: str, now: float) -> None:
        with self._alone():
            self._write(
                tuple(replace(one, used=now) if one.digest == digest else one for one in self.listed())
            )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        with locked(self._folder / LOCK):
            yield

    def _write(self, tokens: tuple[Token, ...]) -> None:
        content = {"schema": SCHEMA, "version": VERSION, "tokens": [asdict(one) for one in tokens]}
        new = self._folder / f".{FILE}.new"
        with os.fdopen(
            os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w"
        ) as file:
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._folder / FILE)
        sync_folder(self._folder)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
