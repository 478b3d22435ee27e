"""``assay serve``: the pages of machines, scenes, activities and results."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.output import home, json_option, print_json, say
from assay.model.errors import MissingError


@click.command("serve", epilog="Example: assay serve --port 8421")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on."
)
@click.option(
    "--port", default=8421, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 takes a free one."
)
@click.option(
    "--access",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Who may sign in, and what they may (docs/serve.md).",
)
@json_option
def command(host: str, port: int, access: Path | None, *, as_json: bool) -> None:
    """Serve the pages of machines, scenes, activities and results, until Ctrl-C.

    On this machine's own loopback nobody signs in: only you and root are answered. Elsewhere, and for others,
    everybody signs in by the site's provider of OpenID Connect, which --access names. With --json the address
    is printed as JSON once it is ready.
    """
    try:
        from assay.web.access.file import load_access
        from assay.web.serve import serve
    except ImportError as error:
        msg = f"cannot serve pages: {error.name} is not installed"
        raise MissingError(msg, hint="pip install 'assay[web]'") from error

    def ready(address: str) -> None:
        if as_json:
            print_json("serve", address=address)
        else:
            say(f"assay is at {address} (Ctrl-C ends it)")

    rules = None if access is None else load_access(access)
    serve(home(), host=host, port=port, ready=ready, rules=rules)
