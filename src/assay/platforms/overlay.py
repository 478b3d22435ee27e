"""The disk that takes a guest's writes; the image below it is never written to."""

from __future__ import annotations

import subprocess

from assay.model.errors import MissingError
from assay.platforms.errors import PlatformError
from assay.platforms.process import PATH
from assay.platforms.spec import GuestSpec


def make_overlay(spec: GuestSpec) -> None:
    """Make a guest's disk over its image's; its folder must be there.

    Raises:
        MissingError: ``qemu-img`` is not installed.
        PlatformError: it could not be made; most often the disk is full.
    """
    command = [
        "qemu-img",
        "create",
        "-q",
        "-f",
        "qcow2",
        "-b",
        str(spec.image.disk),
        "-F",
        "raw",
        str(spec.overlay),
    ]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, env={"PATH": PATH}, timeout=60)
    except FileNotFoundError as error:
        msg = "cannot make the guest's disk: qemu-img is not installed"
        raise MissingError(msg, hint="apt install qemu-utils") from error
    except subprocess.CalledProcessError as error:
        msg = f"cannot make the guest's disk: {spec.overlay}, {error.stderr.strip()}"
        raise PlatformError(msg, hint=f"df -h {spec.folder}") from error
