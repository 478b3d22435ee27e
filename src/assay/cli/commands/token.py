"""``assay token``: API tokens of the pages that ``assay serve`` serves."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from assay.cli.output import answer, home, json_option, print_json, say

if TYPE_CHECKING:
    from assay.web.access.tokens import Token, Tokens

LONGEST_DAYS = 3650
FOLDER = "serve"
"""Of a home: the API tokens and the audit log."""


@click.group("token", epilog="Example: assay token list")
def command() -> None:
    """Add, list and remove API tokens, by which programs ask `assay serve` without a browser."""


@command.command("add", epilog="Example: assay token add grafana --role viewer --days 365")
@click.argument("name", metavar="NAME")
@click.option(
    "--role",
    required=True,
    type=click.Choice(["viewer", "operator", "admin"]),
    help="What it may do at most.",
)
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(["read", "run", "manage"]),
    help="A part of that; again for more (default: all of it).",
)  # fmt: skip
@click.option(
    "--days", default=90, show_default=True, type=click.IntRange(1, LONGEST_DAYS), help="Days until it ends."
)
@json_option
def add(name: str, role: str, scopes: tuple[str, ...], days: int, *, as_json: bool) -> None:
    """Make a token, and print it: it is shown this once, and only a digest of it is kept."""
    from assay.web.access.person import Role, Scope

    secret, token = _tokens().add(name, Role[role.upper()], frozenset(map(Scope, scopes)), days=days)
    _write_down("token-add", name=name, role=role, scopes=" ".join(token.scopes), days=str(days))
    if as_json:
        print_json("token-add", secret=secret, token=_told(token))
        return
    say(f"token {name} ({role}: {', '.join(token.scopes)}) until {_moment(token.expires)}, shown this once:")
    answer(secret)


@command.command("list", epilog="Example: assay token list")
@json_option
def list_tokens(*, as_json: bool) -> None:
    """List the tokens: what each may, until when, and when it was used last."""
    from assay.report.tables.tables import table

    tokens = _tokens().listed()
    if as_json:
        print_json("token-list", tokens=[_told(one) for one in tokens])
        return
    rows = [
        (one.name, one.role, " ".join(one.scopes), _moment(one.expires) or "", _moment(one.used) or "never")
        for one in tokens
    ]
    answer(table(("token", "role", "scopes", "until", "last used"), rows) if rows else "there is no token")


@command.command("remove", epilog="Example: assay token remove grafana")
@click.argument("name", metavar="NAME")
@json_option
def remove(name: str, *, as_json: bool) -> None:
    """Remove a token: who has it is not answered any more."""
    _tokens().remove(name)
    _write_down("token-remove", name=name)
    if as_json:
        print_json("token-remove", name=name)
    else:
        say(f"token {name} is removed")


def _tokens() -> Tokens:
    from assay.web.access.tokens import Tokens

    return Tokens(home() / FOLDER)


def _write_down(kind: str, **fields: str) -> None:
    from assay.web.access.alone import login_of
    from assay.web.access.audit import Audit

    Audit(home() / FOLDER).note_command(login_of(os.getuid()), kind, **fields)


def _told(token: Token) -> dict[str, object]:
    told = {name: value for name, value in asdict(token).items() if name != "digest"}
    return {**told, **{name: _moment(told[name]) for name in ("created", "expires", "used")}}


def _moment(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
