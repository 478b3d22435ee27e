"""The server: where it listens, and for whom."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from pathlib import Path

import uvicorn

from assay.model.errors import AssayError, MissingError
from assay.store.store import Store
from assay.web.access.alone import Alone
from assay.web.acts.audit import Audit
from assay.web.acts.carry import Commands
from assay.web.app import make_app
from assay.web.site import Site

PORT = 8421


def serve(home: Path, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the pages of a home until this process is asked to end.

    Args:
        home: Folder of all state.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        ready: Is told the address of the first page.

    Raises:
        AssayError: The address is not this machine's own, and nobody would have to sign in.
        MissingError: The port is taken.
    """
    check_host(host)
    store = Store(home)
    site = Site(home, store, Alone(), Commands(home, Audit(home / "serve")))
    config = uvicorn.Config(
        "", host=host, port=port, log_level="warning", server_header=False, access_log=False
    )
    try:
        listening = config.bind_socket()
    except SystemExit as error:
        msg = f"cannot listen on {host} port {port}: it is taken"
        raise MissingError(msg, hint="assay serve --port 0 takes a free one") from error
    with listening:
        listening.listen(config.backlog)  # who is told the address may ask at once
        at = listening.getsockname()[1]
        config.app = make_app(site, hosts=names_of(host, at))
        ready(f"http://{_written(host)}:{at}/")
        uvicorn.Server(config).run(sockets=[listening])
    store.close()


def check_host(host: str) -> None:
    """Make sure that an address is this machine's own loopback.

    Raises:
        AssayError: It is another's, or none.
    """
    if not is_loopback(host):
        msg = f"cannot serve on {host}: others could reach it, and nobody would have to sign in"
        raise AssayError(msg, hint="leave --host away, or say who may sign in with --access (docs/serve.md)")


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
