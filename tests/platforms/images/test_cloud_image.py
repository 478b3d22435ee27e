"""A cloud image sets itself up from its seed: Debian with systemd and cloud-init, made here."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import start_guest
from assay.platforms.images.adopt import Adopted, add_image
from assay.platforms.images.image import Image, build_image, find_image
from assay.platforms.images.recipe import current_recipe
from tests.platforms.guest_parts import IMAGES, PROBE, fresh_home, program, spec_of, ssh

pytestmark = [pytest.mark.live, pytest.mark.long]
_WANTS = "/etc/systemd/system/multi-user.target.wants"
_OWN_INIT = f"""
rm /usr/lib/assay/init
symlink /usr/lib/assay/init /lib/systemd/systemd
rm /etc/fstab
mkdir {_WANTS}
symlink {_WANTS}/systemd-networkd.service /lib/systemd/system/systemd-networkd.service
"""


def cloud_image(home: Path) -> Image:
    """Add a disk on which systemd, networkd and cloud-init start, as a distribution's cloud image
    has them.
    """
    recipe = current_recipe(("cloud-init", "systemd-sysv", "udev"))
    built = find_image(IMAGES, recipe) or build_image(home, recipe, progress=lambda _text, _done: None)
    disk = home / "cloud.raw"
    subprocess.run(["cp", "--sparse=always", str(built.disk), str(disk)], check=True)
    edit = [program("debugfs"), "-w", "-f", "-", str(disk)]
    subprocess.run(edit, input=_OWN_INIT, capture_output=True, text=True, check=True)
    try:
        return add_image(home, Adopted(disk, "cloudy", None, (built.kernel, built.initrd)))
    finally:
        disk.unlink()


def test_a_cloud_image_takes_name_keys_and_networks_from_its_seed_and_says_when_it_is_ready() -> None:
    with fresh_home() as home:
        image = cloud_image(home)
        spec = replace(spec_of(home, image, block=60), memory_bytes=1024**3)
        with libvirt_connection(home, subreaper=PROBE) as connection:
            guest = start_guest(connection, spec, timeout_s=400)
            try:
                assert "ASSAY READY" in spec.console.read_text(errors="replace")
                # its host key is checked, and its own key alone lets us in
                done = ssh(
                    guest, "hostname; cat /run/cloud-init/cloud-id; ip -o -4 address show scope global"
                )
            finally:
                guest.destroy()
    assert done.returncode == 0, done.stderr
    name, source, address = done.stdout.splitlines()
    assert (name, source) == (guest.name, "nocloud")
    assert "10.0.2.15/24" in address
