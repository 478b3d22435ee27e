"""A second machine, ``bench``: a hypervisor that has the image of guests, in the inventory of a home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.command import Done
from tests.hosts import SshHost
from tests.hypervisor import hypervisor, lay
from tests.live.parts import LONG_S, run
from tests.platforms.guest_parts import real_image

HOME = "/var/lib/assay/remote"
"""Where assay keeps what is its own on another machine."""
Call = Callable[..., Done]


@contextmanager
def bench(folder: Path) -> Iterator[SshHost]:
    """Start it, with the image laid there."""
    image = real_image()
    with hypervisor(folder) as made:
        for file in (image.disk, image.kernel, image.initrd):
            assert file is not None
            lay(made, file, f"{HOME}/images/{image.digest}/{file.name}")
        yield made


def caller(host: SshHost, home: Path, *, longest_s: float = LONG_S) -> Call:
    """Return what runs the command where it is reached, as a user who knows it."""

    def call(*arguments: str) -> Done:
        variables = {"HOME": str(host.home)}
        return run(*arguments, home=home, wrap=host.inside, variables=variables, longest_s=longest_s)

    address, key = f"{host.user}@{host.address}:{host.port}", str(host.identity)
    added = call("machine", "add", "bench", "--ssh", address, "--identity", key)
    assert added.code == 0, added.err
    return call
