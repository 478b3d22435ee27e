"""Where activities are killed: on this machine alone, with guests, with a machine behind SSH."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay.machines.ssh.claim import folder_of
from campaign.kills_plan import CUT, KILL
from tests.live.parts import run

if TYPE_CHECKING:
    from tests.hosts import SshHost

HEAD = """\
scene: kills
title: {title}
baseline: {{machine: local}}
treatment: {treatment}
design: {{shape: pairs}}
workloads:
- name: wait
  command: sh -c 'echo run >> {ran}; sleep 0.4'
"""
PREPARED = """\
  inputs: [given]
  prepare: sh -c 'cp given made'
"""
SWAPPINESS = Path("/proc/sys/vm/swappiness")
BLOCKS = 3
TRIALS = 2 * BLOCKS


class Room:
    """This machine alone, without guests.

    Attributes:
        name: Name of the part of the campaign.
        scenes: Title, treatment and what else a workload has, by name of the scene.
        gives_up: Scenes whose trials under way are given up, and run again: another process may have changed
            what they ran under.
        by: How activities are ended.
        most: How many stories where no number is asked for.
        longest_s: An activity that takes longer is stuck.
    """

    name = "host"
    scenes: ClassVar[dict[str, tuple[str, str, str]]] = {
        "limit": (
            "This machine against itself under a limit",
            "{machine: local, factors: {cpu.quota: 50 %}}",
            "",
        ),
        "setting": (
            "This machine against itself under a setting of its kernel",
            "{machine: local, factors: {host.swappiness: 11}}",
            PREPARED,
        ),
    }
    gives_up: Sequence[str] = ("setting",)
    by = KILL
    most = 240
    longest_s = 120.0

    @contextmanager
    def open(self) -> Iterator[None]:
        """Make what all homes share."""
        yield

    @contextmanager
    def home(self) -> Iterator[Path]:
        """Make a home that is gone afterwards."""
        with tempfile.TemporaryDirectory(
            prefix="assay-kills-", dir="/var/tmp", ignore_cleanup_errors=True
        ) as home:
            yield Path(home)

    def wrap(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs another where its machines are reached."""
        return list(words)

    @property
    def variables(self) -> dict[str, str]:
        """Return what the environment of a command has besides."""
        return {}

    def scene(self, name: str, folder: Path) -> Path:
        """Write a scene whose jobs note each of their starts in ``ran`` beside it."""
        title, treatment, more = self.scenes[name]
        (folder / "given").write_text("an input\n")
        file = folder / "kills.yaml"
        file.write_text(HEAD.format(title=title, treatment=treatment, ran=folder / "ran") + more)
        return file

    def cut(self) -> list[str]:
        """Return the command that cuts the network; none where there is nothing to cut."""
        return []

    def mend(self) -> None:
        """Mend the network."""

    def elsewhere(self) -> dict[str, object]:
        """Return what lies outside the home and must be after an activity as it was before."""
        return {"vm.swappiness": SWAPPINESS.read_text().strip()}

    def acts_of(self, row: dict[str, str]) -> bool:
        """Tell whether an act is one at which activities are ended here."""
        return bool(row)


class Guests(Room):
    """Guests on this machine."""

    name = "guest"
    scenes: ClassVar[dict[str, tuple[str, str, str]]] = {
        "guest": ("A guest against its host", "{platform: guest, factors: {memory.size: 512 MiB}}", "")
    }
    gives_up = ()
    most = 40
    longest_s = 600.0

    @contextmanager
    def home(self) -> Iterator[Path]:
        """Make a home that QEMU's user can enter, with this machine's images."""
        from tests.platforms.guest_parts import real_image

        home = Path(f"/var/lib/assay-kills-{secrets.token_hex(3)}")
        home.mkdir(mode=0o755)
        try:
            (home / "images").symlink_to(real_image().folder.parent)
            yield home
        finally:
            shutil.rmtree(home, ignore_errors=True)


class Ssh(Room):
    """A machine behind SSH, in network namespaces of its own, whose network is cut."""

    name = "ssh"
    scenes: ClassVar[dict[str, tuple[str, str, str]]] = {
        "machine": ("Another machine against this one", "{machine: bench}", "")
    }
    gives_up = ()
    by = CUT
    most = 20
    longest_s = 400.0
    _host: SshHost

    @contextmanager
    def open(self) -> Iterator[None]:
        """Start the machine."""
        from tests.hosts import ssh_host

        with tempfile.TemporaryDirectory(prefix="assay-kills-ssh-") as folder, ssh_host(Path(folder)) as host:
            self._host = host
            yield

    @contextmanager
    def home(self) -> Iterator[Path]:
        """Make a home that knows the machine."""
        with super().home() as home:
            address = f"{self._host.user}@{self._host.address}:{self._host.port}"
            file = self._host.folder / "hosts.yaml"
            file.write_text(f"machines: [{{name: bench, ssh: '{address}'}}]\n")
            added = run("machine", "import", str(file), home=home)
            if added.code:
                raise SystemExit(added.err)
            yield home

    def wrap(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs another where the machine is reached."""
        return self._host.inside(words)

    @property
    def variables(self) -> dict[str, str]:
        """Return the home folder whose SSH configuration knows the machine."""
        return {"HOME": str(self._host.home)}

    def cut(self) -> list[str]:
        """Return the command that takes the machine's end of the cable out."""
        return ["ip", "-n", self._host.server_namespace, "link", "set", "up0", "down"]

    def mend(self) -> None:
        """Put it back."""
        subprocess.run([*self.cut()[:-1], "up"], check=True)

    def elsewhere(self) -> dict[str, object]:
        """Return what lies on the machine, but for the probe and the mark of the folder that it is in."""
        place = Path(folder_of("root"))
        names = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
        return {
            **super().elsewhere(),
            "on bench": [name for name in names if not name.startswith(("probe-", ".assay"))],
        }

    def acts_of(self, row: dict[str, str]) -> bool:
        """Tell whether an act needs the network."""
        return row["point"].partition("<")[0].split()[:-1][-2:] == ["on", "bench"]


ROOMS: dict[str, Callable[[], Room]] = {kind.name: kind for kind in (Room, Guests, Ssh)}
