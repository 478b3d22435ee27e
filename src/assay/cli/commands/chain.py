"""``assay chain``: the reference chain's executable, and its files as ROOT files."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import click

from assay.cli.output import answer_line, json_option, print_json
from assay.model.errors import MissingError
from assay.model.files.native import CHAIN


@click.group("chain", epilog="Example: assay chain convert evtrec.chain events.root")
def command() -> None:
    """Look at the reference HEP chain and convert what it wrote (docs/chain.md)."""


@command.command("path", epilog="Example: assay chain path")
@json_option
def path(*, as_json: bool) -> None:
    """Print where the chain's executable lies: one static binary, to be run anywhere."""
    place = CHAIN.path()
    if as_json:
        print_json("chain-path", path=str(place), sha256=CHAIN.sha256())
    else:
        answer_line(str(place))


@command.command("convert", epilog="Example: assay chain convert detsim.chain evtrec.chain events.root")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.argument("output", metavar="OUTPUT.root", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace OUTPUT.root where it is there.")
@json_option
def convert_files(files: tuple[Path, ...], output: Path, *, force: bool, as_json: bool) -> None:
    """Write files of the chain as trees of one ROOT file, through uproot.

    FILE is the output of a step, NAME.chain or a folder of small files, and gives the tree NAME. All
    checksums are checked. Needs: pip install 'assay-hep[root]'.
    """
    if find_spec("assay_hep") is None:
        msg = "cannot write ROOT files: the Python package assay-hep is not installed"
        raise MissingError(msg, hint="pip install 'assay-hep[root]'")
    from assay_hep.chain_root import convert

    trees = convert(files, output, force=force)
    if as_json:
        print_json("chain-convert", output=str(output), trees=[asdict(tree) for tree in trees])
        return
    for tree in trees:
        answer_line(f"{tree.name}: {tree.entries} events, {len(tree.branches)} branches")
