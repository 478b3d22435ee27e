"""The server: where it listens, and for whom."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from assay.model.errors import AssayError, MissingError
from assay.store.copied import CopiedStore
from assay.store.store import Store
from assay.web import split
from assay.web.access.alone import Alone
from assay.web.access.audit import Audit
from assay.web.access.file import AccessRules
from assay.web.access.known import Known
from assay.web.access.provider import Provider
from assay.web.access.signed_in import CALLBACK, SignedIn
from assay.web.access.tokens import Tokens
from assay.web.acts.carry import Commands
from assay.web.acts.helper import Desk, Helper
from assay.web.acts.looks import OwnLooks
from assay.web.acts.open_machines import OpenMachines
from assay.web.acts.sent import Sent
from assay.web.app import make_app
from assay.web.live.feed import Feeds
from assay.web.site import Site

PORT = 8421
PATIENCE_S = 10
"""Longest that requests under way hold up the end of the server."""
FOLDER = "serve"
"""Of a home: the audit log and the API tokens; its owner's alone."""
Ready = Callable[[str], None]


def serve(home: Path, *, host: str, port: int, ready: Ready, rules: AccessRules | None = None) -> None:
    """Serve the pages of a home until this process is asked to end.

    Args:
        home: Folder of all state.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        ready: Is told the address of the first page.
        rules: Who may sign in; ``None`` answers the user who started it, and root.

    Raises:
        AssayError: The address is not this machine's own, and nobody would have to sign in.
        MissingError: The port is taken, or the web process would have root.
    """
    check_host(host, rules)
    account = None if rules is None else web_account(rules)
    config = _config(host, port, rules)
    with _listening(config) as listening:
        if rules is None:
            at = listening.getsockname()[1]
            site = alone(home)
            config.app = make_app(site, hosts=names_of(host, at))
            ready(f"http://{_written(host)}:{at}/")
            _run(config, listening, site)
        elif account is None:
            site = signed_in(home, rules)
            config.app = make_app(site, hosts={rules.host}, secure=rules.secure)
            ready(f"{rules.url}/")
            _run(config, listening, site)
        else:
            with split.meeting(account) as (folder, helper):
                site = sending(home, rules, folder)
                config.app = make_app(site, hosts={rules.host}, secure=rules.secure)
                config.load()  # the key of TLS is root's
                split.share_records(home, account)
                child = split.run_apart(account, helper, lambda: _run(config, listening, site))
                listening.close()
                ready(f"{rules.url}/")
                _help(home, rules, helper, child)


def alone(home: Path) -> Site:
    """Return the site of one person on this machine."""
    store, audit = Store(home), Audit(home / FOLDER)
    return Site(home, store, Alone(), Commands(home, audit), audit, OwnLooks(home, store))


def signed_in(home: Path, rules: AccessRules) -> Site:
    """Return a site whose people sign in, and whose web process carries out what they ask."""
    store, audit = Store(home), Audit(home / FOLDER)
    known = _known(home, rules, audit)
    carrier = Commands(home, audit, machines=OpenMachines(store, rules.operators_may_use))
    access = SignedIn(rules, provider_of(rules), known)
    return Site(home, store, access, carrier, audit, OwnLooks(home, store))


def sending(home: Path, rules: AccessRules, folder: Path) -> Site:
    """Return a site whose people sign in, and whose web process sends what they ask to the helper.

    Args:
        home: Folder of all state.
        rules: Who may sign in.
        folder: Where the two meet.
    """
    sent = Sent(folder / split.SOCKET)
    store = CopiedStore(home, sent.copy, folder / split.COPIES)
    return Site(home, store, SignedIn(rules, provider_of(rules), sent), sent, sent, sent)


def desk_of(home: Path, rules: AccessRules) -> Desk:
    """Return what answers the web process."""
    store, audit = Store(home), Audit(home / FOLDER)
    carrier = Commands(home, audit, machines=OpenMachines(store, rules.operators_may_use))
    copies, looks = split.FreshCopies(home, store), OwnLooks(home, store)
    return Desk(_known(home, rules, audit), carrier, audit, copies, looks)


def provider_of(rules: AccessRules) -> Provider:
    """Return where people sign in."""
    return Provider(rules.sign_in, f"{rules.url}{CALLBACK}")


def _known(home: Path, rules: AccessRules, audit: Audit) -> Known:
    return Known(rules, provider_of(rules), Tokens(home / FOLDER), audit)


def _help(home: Path, rules: AccessRules, helper: Helper, child: int) -> None:
    """Answer the web process until it ends."""
    try:
        helper.desk = desk_of(home, rules)
    except BaseException:
        split.end(child)
        raise
    split.keep_helping(helper, child)


def _run(config: uvicorn.Config, listening: socket.socket, site: Site) -> None:
    try:
        _Server(config, site.feeds).run(sockets=[listening])
    finally:
        site.carrier.close()
        site.store.close()


def _config(host: str, port: int, rules: AccessRules | None) -> uvicorn.Config:
    """Return how uvicorn listens; only proxies that are named are believed what they say of their clients."""
    config = uvicorn.Config(
        "",
        host=host,
        port=port,
        log_level="warning",
        server_header=False,
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=PATIENCE_S,
    )
    if rules is not None:
        config.proxy_headers, config.forwarded_allow_ips = bool(rules.proxies), [*rules.proxies]
        config.ssl_certfile, config.ssl_keyfile = rules.certificate, rules.key
    return config


def _listening(config: uvicorn.Config) -> socket.socket:
    """Return the socket, at which connections wait from now on."""
    try:
        listening = config.bind_socket()
        listening.listen(config.backlog)
        return listening
    except SystemExit as error:
        msg = f"cannot listen on {config.host} port {config.port}: it is taken"
        raise MissingError(msg, hint="assay serve --port 0 takes a free one") from error


class _Server(uvicorn.Server):
    """Ends the streams of those who follow activities as it ends."""

    def __init__(self, config: uvicorn.Config, feeds: Feeds) -> None:
        super().__init__(config)
        self._feeds = feeds

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End them first: they would hold up the end."""
        self._feeds.close()
        await super().shutdown(sockets)


def web_account(rules: AccessRules) -> split.Account | None:
    """Return whom the web process becomes; ``None`` where it stays who it is, which is not root.

    Raises:
        MissingError: It would be root, or cannot become that account.
    """
    if rules.user is not None:
        return split.account_of(rules.user)
    if os.geteuid() == 0:
        msg = "cannot serve others as root: the process that reads their requests would have all rights"
        raise MissingError(msg, hint="user: NAME in the access file, an account of its own (docs/serve.md)")
    return None


def check_host(host: str, rules: AccessRules | None = None) -> None:
    """Make sure that an address is this machine's own loopback, or that people sign in, by https.

    Raises:
        AssayError: It is another's, or none.
    """
    if is_loopback(host):
        return
    if rules is None:
        msg = f"cannot serve on {host}: others could reach it, and nobody would have to sign in"
        raise AssayError(msg, hint="omit --host, or say who may sign in with --access (docs/serve.md)")
    if not rules.secure:
        msg = f"cannot serve on {host}: the url of the access file is one of this machine alone"
        raise AssayError(msg, hint="url: https://NAME")


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str, port: int) -> set[str]:
    """Return what a server on loopback is called."""
    return {f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]", _written(host))}


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host
