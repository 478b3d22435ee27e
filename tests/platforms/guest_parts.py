"""Real parts for the tests of guests: the probe, the image, a home that QEMU's user can enter."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import assay
from assay.platforms.guests.domains import remove_domain
from assay.platforms.guests.guest import Accelerator, Guest, GuestSpec, pick_port
from assay.platforms.images.image import Image, build_image, site_packages
from assay.platforms.images.recipe import current_recipe
from assay.platforms.leftovers.clean import clean
from assay.platforms.libvirt.traces import domains_of, passing_connection

PROBE = Path(
    os.environ.get("ASSAY_TEST_PROBE", Path(assay.__file__).parent / "probe" / "bin" / "assay-probe")
)
IMAGES = Path(os.environ.get("ASSAY_HOME") or "/var/lib/assay")
CORE = max(os.sched_getaffinity(0))
ACTIVITY = "test-guests"


@contextmanager
def fresh_home() -> Iterator[Path]:
    """Yield an empty home; pytest's own folders are closed to QEMU's user. At the end nothing of
    it is left.
    """
    home = Path(tempfile.mkdtemp(prefix="assay-test-", dir="/var/tmp"))
    home.chmod(0o755)
    try:
        yield home
    finally:
        with passing_connection(home, subreaper=PROBE) as connection:
            for domain, _ in domains_of(connection, home) if connection else []:
                remove_domain(domain)
        clean(home, subreaper=PROBE)
        shutil.rmtree(home)


@cache
def real_image() -> Image:
    """Return the current image, built first on a machine that has none."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    return build_image(IMAGES, current_recipe(site_packages(IMAGES)), progress=lambda _step, _share: None)


def spec_of(
    home: Path, image: Image, *, block: int = 0, tap: str | None = None, activity: str = ACTIVITY
) -> GuestSpec:
    """Return a small guest on one core under emulation."""
    name = f"assay-{activity}-b{block}"
    return GuestSpec(
        name=name,
        activity=activity,
        vcpus=1,
        memory_bytes=2 * 1024**3,
        cpus=(CORE,),
        disk_cache="none",
        image=image,
        accelerator=Accelerator("tcg", "the test says so"),
        tap=tap,
        address="198.18.0.3/24" if tap else None,
        port=pick_port(),
        folder=home / "guests" / name,
    )


def ssh(guest: Guest, *command: str, host_key: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a guest by OpenSSH, which accepts only the given host key."""
    machine = guest.machine
    known = guest.spec.home / "known_hosts"
    known.write_text(f"[{machine.host}]:{machine.port} {host_key or machine.host_key}\n")
    options = [
        "StrictHostKeyChecking=yes",
        f"UserKnownHostsFile={known}",
        "BatchMode=yes",
        "ConnectTimeout=30",
    ]
    words = [word for option in options for word in ("-o", option)]
    where = ["-p", str(machine.port), "-i", str(machine.identity), f"{machine.user}@{machine.host}"]
    return subprocess.run(
        ["ssh", "-F", "none", *words, *where, *command],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def program(name: str) -> str:
    """Return the path of a program of the system; the test fails where it is missing."""
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if found is None:
        pytest.fail(f"{name} is not installed")
    return found


def addresses() -> str:
    """Return all addresses of the root namespace as ``ip`` shows them."""
    return subprocess.run([program("ip"), "-o", "address"], capture_output=True, text=True, check=True).stdout
