"""A guest from its saved state beside one that boots: a pair a round, the same machine, the same end."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.machines.ssh.talk import talk
from assay.model.files.native import PROBE
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import Accelerator, Guest, GuestSpec, pick_port, start_guest
from assay.platforms.images.image import Image, find_image, site_packages
from assay.platforms.images.recipe import current_recipe
from assay.platforms.leftovers.clean import clean
from assay.platforms.saved_states import restore
from assay.platforms.saved_states.resume_setup import WORDS
from assay.platforms.saved_states.saved import save_guest
from bench.rows import Row, ratios, row

RESTORE_GOAL_S, SHARE_GOAL = 2.0, 0.25
STEPS = {
    "copy_disk": "its disk copied",
    "define_domain": "defined",
    "start_domain": "QEMU started",
    "load_memory": "memory loaded",
    "talk": "SSH login",
    "wake": "clock set and checked",
}
"""What is timed of a restore, by the name of the function that does it."""
REST = "the rest: folder, keys, XML, good-bye"
MEMORY_BYTES = 1024**3
HOME = Path(os.environ.get("ASSAY_HOME", "/var/lib/assay"))


def rows(rounds: int) -> list[Row]:
    """Time and CPU time until a guest has answered over SSH, booted and restored; and what a save takes."""
    image = find_image(HOME, current_recipe(site_packages(HOME)))
    if image is None:
        msg = f"no guest image under {HOME}: make setup"
        raise SystemExit(msg)
    with _home() as home, libvirt_connection(home, subreaper=PROBE.path()) as connection:
        return _told([_pair(connection, home, image, number) for number in range(rounds)])


def _told(pairs: list[dict[str, float]]) -> list[Row]:
    of = {name: [pair[name] for pair in pairs] for name in pairs[0]}
    restored = row("guest: from its saved state", "s", of["restore"], goal=RESTORE_GOAL_S)
    used = row("guest: CPU time of QEMU, from its saved state", "s", of["restore cpu"])
    share = [one / other for one, other in zip(of["restore"], of["boot"], strict=True)]
    return [
        row("guest: booted", "s", of["boot"]),
        ratios(restored, of["restore"], of["boot"], "booted"),
        row("guest: share of a boot", "ratio", share, goal=SHARE_GOAL),
        *(row(f"guest: of that, {step}", "s", of[step]) for step in (*STEPS.values(), REST)),
        row("guest: CPU time of QEMU, booted", "s", of["boot cpu"]),
        ratios(used, of["restore cpu"], of["boot cpu"], "booted"),
        row("guest: saved", "s", of["save"]),
        row("guest: its state on the disk", "MB", of["size"]),
    ]


def _pair(connection: Any, home: Path, image: Image, number: int) -> dict[str, float]:
    begun = time.monotonic()
    booted = start_guest(connection, _spec(home, image, 2 * number))
    with talk(booted.machine, WORDS) as channel:
        channel.send(b"now")
        channel.receive(30.0)
    told = {"boot": time.monotonic() - begun, "boot cpu": _cpu_s(booted)}
    begun = time.monotonic()
    saved = save_guest(booted, talk=talk)
    told |= {"save": time.monotonic() - begun, "size": saved.size_bytes / 1e6}
    spec = _spec(home, image, 2 * number + 1)
    with _timed() as (steps, login):
        restored = restore.restore_guest(connection, saved, spec, talk=login)
    whole = restored.boot_s or 0.0
    steps[REST] = whole - sum(steps.values())
    try:
        return told | steps | {"restore": whole, "restore cpu": _cpu_s(restored)}
    finally:
        restored.destroy()


@contextmanager
def _timed() -> Iterator[tuple[dict[str, float], Callable[..., Any]]]:
    """Time each step of the restore meanwhile, s; with the login that is timed."""
    steps: dict[str, float] = {}

    def timed(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def step(*given: Any, **named: Any) -> Any:
            begun = time.monotonic()
            try:
                return act(*given, **named)
            finally:
                steps[STEPS[name]] = time.monotonic() - begun

        return step

    @contextmanager
    def login(*given: Any) -> Iterator[Any]:
        within = talk(*given)
        channel = timed("talk", within.__enter__)()
        try:
            yield channel
        finally:
            within.__exit__(None, None, None)

    names = [name for name in STEPS if name != "talk"]
    before = {name: getattr(restore, name) for name in names}
    for name, act in before.items():
        setattr(restore, name, timed(name, act))
    try:
        yield steps, login
    finally:
        for name, act in before.items():
            setattr(restore, name, act)


def _cpu_s(guest: Guest) -> float:
    used = guest.hypervisor_cpu()
    return used.vcpu_s + used.other_s


def _spec(home: Path, image: Image, number: int) -> GuestSpec:
    name = f"assay-bench{os.getpid()}-b{number}"
    return GuestSpec(
        name=name,
        activity=f"bench{os.getpid()}",
        vcpus=1,
        memory_bytes=MEMORY_BYTES,
        cpus=(max(os.sched_getaffinity(0)),),
        disk_cache="none",
        image=image,
        accelerator=Accelerator("tcg", "it runs everywhere"),
        tap=None,
        address=None,
        port=pick_port(),
        folder=home / "guests" / name,
    )


@contextmanager
def _home() -> Iterator[Path]:
    home = Path(tempfile.mkdtemp(prefix="assay-bench-", dir="/var/tmp"))
    home.chmod(0o755)  # QEMU's user has to enter it
    try:
        yield home
    finally:
        clean(home, subreaper=PROBE.path())
        shutil.rmtree(home)
