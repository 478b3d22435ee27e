"""``assay serve``: the pages of machines, scenes, activities and results."""

from __future__ import annotations

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
@json_option
def command(host: str, port: int, *, as_json: bool) -> None:
    """Serve the pages of machines, scenes, activities and results, until Ctrl-C.

    On this machine's own loopback nobody signs in: only you and root are answered. With --json the address is
    printed as JSON once it is ready.
    """
    try:
        from assay.web.serve import serve
    except ImportError as error:
        msg = f"cannot serve pages: {error.name} is not installed"
        raise MissingError(msg, hint="pip install 'assay[web]'") from error

    def ready(address: str) -> None:
        if as_json:
            print_json("serve", address=address)
        else:
            say(f"assay is at {address} (Ctrl-C ends it)")

    serve(home(), host=host, port=port, ready=ready)
