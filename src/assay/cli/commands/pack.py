"""``assay workload pack``: make the folder that a workload's program and libraries come in."""

from __future__ import annotations

import click

from assay.cli.names import PACK
from assay.cli.output import answer, home, json_option, print_json, say
from assay.model.units import format_bytes


@click.command("pack", epilog="Example: assay workload pack root --python 3.11 --python 3.13")
@click.argument("name", type=PACK)
@click.option("--python", "pythons", multiple=True, metavar="3.11", help="Version of python3 on the arms.")
@json_option
def pack(name: str, *, pythons: tuple[str, ...], as_json: bool) -> None:
    """Make a pack, program and libraries by pip: root for root-analysis… (uproot, awkward, numpy), geant4 for
    geant4-….

    Both come with the package assay-hep, others with packages of their own. A pack is made once in assay's
    home and brought to an arm once a boot. Give --python for each version that arms have; without it, that
    of python3 here.
    """
    from assay.platforms.packs import make_pack

    made = make_pack(name, home(), pythons=pythons)
    if as_json:
        about = {"pythons": list(made.pythons), "distributions": made.distributions}
        print_json("workload-pack", pack={"name": name, "folder": str(made.folder), **about})
        return
    versions = ", ".join(f"{name} {version}" for name, version in made.distributions.items())
    answer(str(made.folder))
    say(f"{format_bytes(made.size_bytes)} for Python {', '.join(made.pythons)}; {versions}")
