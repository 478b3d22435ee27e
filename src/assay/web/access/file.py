"""The access file: who may sign in, by whom they are known, and what they may; YAML, with the place of each
mistake.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any
from urllib.parse import urlsplit

from assay.model.errors import MissingError
from assay.model.files.own import is_own_file
from assay.model.units import parse_seconds
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.text.tree import Path, Tree, read_tree
from assay.web.access.person import Role

WORDS = ("url", "sign_in", "roles", "operators_may_use", "session", "tls", "user", "proxies")
SIGN_IN = ("issuer", "client_id", "client_secret_file", "scopes")
ROLES = ("claim", *(role.word for role in Role))
LARGEST_BYTES = 1 << 18
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SCOPES = ("openid", "profile", "email")
_ACCOUNT = re.compile(r"[a-z_][a-z0-9_-]{0,31}")


class AccessError(SceneError):
    """An access file that cannot be used; the message has one line a problem."""

    what = "access file"


@dataclass(frozen=True)
class SignIn:
    """The provider of OpenID Connect.

    Attributes:
        issuer: Its address, as its tokens have it.
        client_id: What this server is called there.
        secret: What this server proves that with.
        scopes: What is asked for; ``openid`` is among them.
    """

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    scopes: tuple[str, ...] = _SCOPES


@dataclass(frozen=True)
class Roles:
    """Who has which role.

    Attributes:
        claim: Name of the claim of the ID token that tells.
        values: Values of it that have a role.
    """

    claim: str
    values: Mapping[Role, frozenset[str]]

    def of(self, claims: Mapping[str, Any]) -> Role | None:
        """Return the highest role that some claims have; ``None`` for none."""
        told = claims.get(self.claim)
        listed = told if isinstance(told, list) else [told]
        found = {value for value in listed if isinstance(value, str)}
        return max((role for role, values in self.values.items() if values & found), default=None)


@dataclass(frozen=True)
class AccessRules:
    """What an access file says.

    Attributes:
        url: The address by which people reach the pages, without a slash at its end.
        sign_in: The provider.
        roles: Who has which role.
        operators_may_use: The words that name the machines of operators; ``None`` is no machine.
        idle_s: Time without a request after which a session ends.
        lifetime_s: Time after which it ends in any case.
        certificate: File of the certificates for TLS; ``None`` leaves TLS to a proxy.
        key: File of its key.
        user: Account that the web process runs as; ``None`` is the one that starts it.
        proxies: Addresses whose ``X-Forwarded-For`` is believed.
    """

    url: str
    sign_in: SignIn
    roles: Roles
    operators_may_use: str | None = None
    idle_s: float = 3600.0
    lifetime_s: float = 8 * 3600.0
    certificate: FilePath | None = None
    key: FilePath | None = None
    user: str | None = None
    proxies: tuple[str, ...] = ()

    @property
    def host(self) -> str:
        """What browsers send as ``Host``: without the port that goes with the scheme."""
        usual = ":443" if self.secure else ":80"
        return urlsplit(self.url).netloc.lower().removesuffix(usual)

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by https."""
        return self.url.startswith("https:")


def load_access(file: FilePath) -> AccessRules:
    """Return what an access file says.

    Raises:
        AccessError: It cannot be read, or something in it is wrong.
        MissingError: Others may write to it.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise AccessError(str(file), [Problem(0, 0, "expected at most 256 KiB")])
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise AccessError(str(file), [Problem(0, 0, reason)]) from error
    if not is_own_file(file.resolve()):
        msg = f"cannot use {file}: others could change who may sign in"
        raise MissingError(msg, hint=f"make it yours or root's, written by nobody else: chmod go-w {file}")
    return read_access(text, str(file), file.resolve().parent)


def read_access(text: str, file: str, folder: FilePath) -> AccessRules:
    """Return what an access file says.

    Args:
        text: Its content.
        file: Its name, for messages.
        folder: Where relative paths in it start.

    Raises:
        AccessError: What is wrong, each with its line and column.
    """
    if not text.strip():
        raise AccessError(file, [Problem(1, 1, f"expected {', '.join(WORDS)}, got an empty file")])
    try:
        tree = read_tree(text, file)
    except SceneError as error:
        raise AccessError(file, error.problems) from error
    reader = _Reader(tree, folder)
    access = reader.access()
    if reader.problems or access is None:
        raise AccessError(file, reader.problems)
    return access


class _WrongError(Exception):
    """A value that is not what was expected; says what was."""


@dataclass
class _Reader:
    tree: Tree
    folder: FilePath
    problems: list[Problem] = field(default_factory=list)

    def access(self) -> AccessRules | None:
        top = self._mapping((), WORDS, needed=("url", "sign_in", "roles"))
        sign_in = self._mapping(("sign_in",), SIGN_IN, needed=SIGN_IN[:3]) if "sign_in" in top else {}
        roles = self._mapping(("roles",), ROLES, needed=("claim",)) if "roles" in top else {}
        session = self._mapping(("session",), ("idle", "lifetime")) if "session" in top else {}
        tls = (
            self._mapping(("tls",), ("certificate", "key"), needed=("certificate", "key"))
            if "tls" in top
            else {}
        )
        given: dict[str, Any] = {
            "url": self._text(top, (), "url", _site),
            "operators_may_use": self._text(top, (), "operators_may_use", _said),
            "user": self._text(top, (), "user", _account),
            "proxies": self._texts(top, (), "proxies", _address),
            "idle_s": self._text(session, ("session",), "idle", _seconds),
            "lifetime_s": self._text(session, ("session",), "lifetime", _seconds),
            "certificate": self._text(tls, ("tls",), "certificate", self._file),
            "key": self._text(tls, ("tls",), "key", self._private),
        }
        made_sign_in, made_roles = self._sign_in(sign_in), self._roles(roles)
        if self.problems or made_sign_in is None or made_roles is None:
            return None
        access = AccessRules(
            sign_in=made_sign_in, roles=made_roles, **{k: v for k, v in given.items() if v not in (None, ())}
        )
        if tls and not access.secure:
            self._wrong(("url",), "expected https://… where there is a certificate")
        return access

    def _sign_in(self, one: Mapping[str, Any]) -> SignIn | None:
        at: Path = ("sign_in",)
        issuer = self._text(one, at, "issuer", _url)
        client = self._text(one, at, "client_id", _said)
        secret = self._text(one, at, "client_secret_file", self._secret)
        scopes = self._texts(one, at, "scopes", _word) or _SCOPES
        if "scopes" in one and "openid" not in scopes:
            self._wrong((*at, "scopes"), "expected 'openid' among the scopes")
        return None if None in {issuer, client, secret} else SignIn(issuer, client, secret, scopes)

    def _roles(self, one: Mapping[str, Any]) -> Roles | None:
        at: Path = ("roles",)
        claim = self._text(one, at, "claim", _said)
        values = {role: frozenset(self._texts(one, at, role.word, _said)) for role in Role}
        if one and not any(values.values()) and not self.problems:
            self._wrong(at, f"expected values of the claim for one of {', '.join(ROLES[1:])}, got none")
        return None if claim is None else Roles(claim, values)

    def _mapping(self, at: Path, words: tuple[str, ...], needed: tuple[str, ...] = ()) -> dict[str, Any]:
        value: Any = self.tree.value
        for part in at:
            value = value[part]
        if not isinstance(value, dict):
            self._wrong(at, f"expected a mapping of {', '.join(words)}, got {self.tree.got(at)}")
            return {}
        for word in value.keys() - set(words):
            near = difflib.get_close_matches(word, words, 1)
            nearest = f"; nearest: '{near[0]}'" if near else ""
            sentence = f"expected one of {', '.join(words)}, got '{word}'{nearest}"
            self.problems.append(self.tree.problem((*at, word), sentence, key=True))
        for word in needed:
            if word not in value:
                self._wrong(at, f"expected '{word}', got {self.tree.got(at)}")
        return value

    def _text(self, one: Mapping[str, Any], at: Path, word: str, read: Callable[[str], Any]) -> Any:
        """Return what a text means; ``None`` where it is absent, or wrong, which is noted."""
        return self._value(one[word], (*at, word), read) if word in one else None

    def _texts(
        self, one: Mapping[str, Any], at: Path, word: str, read: Callable[[str], Any]
    ) -> tuple[Any, ...]:
        if word not in one:
            return ()
        listed, place = one[word], (*at, word)
        if not isinstance(listed, list):
            self._wrong(place, f"expected a list of texts, got {self.tree.got(place)}")
            return ()
        return tuple(self._value(text, (*place, index), read) for index, text in enumerate(listed))

    def _value(self, value: object, place: Path, read: Callable[[str], Any]) -> Any:
        try:
            if not isinstance(value, str | int) or isinstance(value, bool):
                msg = "a text"
                raise _WrongError(msg)
            return read(str(value))
        except _WrongError as error:
            self._wrong(place, f"expected {error}, got {self.tree.got(place)}")
        return None

    def _file(self, text: str) -> FilePath:
        path = self.folder / text
        if not path.is_file():
            msg = "a file that is there"
            raise _WrongError(msg)
        return path

    def _private(self, text: str) -> FilePath:
        path = self._file(text)
        if path.stat().st_mode & 0o007:
            msg = "a file that others may not read (chmod o= FILE)"
            raise _WrongError(msg)
        return path

    def _secret(self, text: str) -> str:
        try:
            secret = self._private(text).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            msg = f"a file that can be read ({error})"
            raise _WrongError(msg) from error
        if not secret:
            msg = "a file with the secret in it"
            raise _WrongError(msg)
        return secret

    def _wrong(self, place: Path, sentence: str) -> None:
        self.problems.append(self.tree.problem(place, sentence))


def _said(text: str) -> str:
    if not text.strip() or not text.isprintable():
        msg = "a text in one line"
        raise _WrongError(msg)
    return text.strip()


def _word(text: str) -> str:
    if not text.isascii() or not text.isprintable() or " " in text or not text:
        msg = "a word"
        raise _WrongError(msg)
    return text


def _url(text: str) -> str:
    """Return an address as it is written; http is for this machine alone."""
    expected = "an address like https://iam.example.org, with http for 127.0.0.1 and localhost alone"
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise _WrongError(expected) from error
    is_plain = (
        text.isprintable() and " " not in text and not (parts.query or parts.fragment or parts.username)
    )
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)
    if not (host and is_plain and is_safe):
        raise _WrongError(expected)
    return text


def _site(text: str) -> str:
    """Return an address without a path."""
    if urlsplit(_url(text)).path not in {"", "/"}:
        msg = "an address without a path: the pages begin at its root"
        raise _WrongError(msg)
    return text.rstrip("/")


def _seconds(text: str) -> float:
    try:
        seconds = parse_seconds(text)
    except ValueError as error:
        msg = "a time like '8 h'"
        raise _WrongError(msg) from error
    if not 60 <= seconds <= 30 * 86400:
        msg = "a time from 1 min to 30 d"
        raise _WrongError(msg)
    return seconds


def _account(text: str) -> str:
    if not _ACCOUNT.fullmatch(text) or text == "root":
        msg = "the name of an account that is not root"
        raise _WrongError(msg)
    return text


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError as error:
        msg = "an IP address"
        raise _WrongError(msg) from error
