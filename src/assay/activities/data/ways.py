"""The ways by which an arm comes by the data: its own copy, a mount, a URL, its own client; and by which its
jobs write. Each is looked at.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from assay.activities.data.seen import Run, check_files, check_mount, check_sizes, check_url, check_written
from assay.activities.data.sharing import PLACE, mount_share
from assay.activities.visits.visit import Visit
from assay.factors.data.share import SHARES
from assay.machines.errors import CommandError
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError, MissingError
from assay.model.files.packages import install_command
from assay.model.machines.machine import Reach
from assay.model.platforms.data import (
    LOCAL,
    DataPlace,
    DataSet,
    access,
    of_scratch,
    own_filesystem,
    own_places,
    scratch_access,
)
from assay.model.platforms.platform import SeenFactor
from assay.platforms.bench_network.daemons import Site, in_namespace
from assay.platforms.data_servers import cvmfs, xrootd
from assay.platforms.data_servers.gluster import last_error
from assay.platforms.data_servers.mount import PROGRAMS, mount_command
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.carrier import carrier_of, end_carrier
from assay.platforms.filesystems.data_disks import PREFIX, Laid, lay_on_disks, lay_on_places
from assay.platforms.filesystems.host_filesystem import unmount, unmount_below
from assay.platforms.mounts import mounts_below, read_mounts

MOUNT_S = 60.0
"""Under emulation a mount's first module loads in seconds."""


@dataclass(frozen=True)
class DataWays:
    """The data of an activity on this machine, and how arms come by them.

    Attributes:
        folder: The activity's folder of data; ``files`` in it are the data.
        site: Where they are served; ``None`` where nobody asks a server.
    """

    folder: Path
    site: Site | None = None

    @property
    def files(self) -> Path:
        """The folder of the data themselves."""
        return self.folder / "files"

    def bring(self, visit: Visit, arm: PlannedArm, data: DataSet) -> DataPlace:
        """Let a visit see the data as its arm shall, and return where.

        Raises:
            MissingError: the arm lacks a program for it.
            PlatformError: what it sees is not what was asked for.
        """
        way = access(arm.data)
        if way == LOCAL:
            return self._local(visit, arm, data)
        if way == "cvmfs":
            return _cvmfs(visit, data)
        if way in SHARES:
            return self._shared(visit, arm, data)
        self._require(visit, way)
        return self._by_url(visit, data) if way == "xrootd" else self._mounted(visit, arm, data, way)

    def _local(self, visit: Visit, arm: PlannedArm, data: DataSet) -> DataPlace:
        """Let a machine read its own copy, and give a guest or another machine one of its own."""
        files = self.folder / "files"
        level, places = own_filesystem(arm.data), own_places(arm.data)
        here = arm.on_machine and arm.machine.reach is Reach.LOCAL
        if here and level is not None:
            return _laid("data.filesystem", level, data, lay_on_disks(self.folder, level, data))
        if here and places is not None:
            return _laid("data.place", places, data, lay_on_places(self.folder, places, data))
        root = str(files) if here else f"{visit.directory}/data"
        if not here:
            visit.probe.make(visit.directory)  # with its marker, before anything lies in it
            visit.put(files, root)
        reported = check_sizes(visit, data, root)
        place = _place(root, data, (SeenFactor("data.access", LOCAL, reported),))
        return replace(place, disks=(root,)) if here else place

    def _shared(self, visit: Visit, arm: PlannedArm, data: DataSet) -> DataPlace:
        """Let a guest see the folder itself, which it was started with."""
        first, *others = mount_share(visit, arm, self.folder / "files")
        reported = check_sizes(visit, data, PLACE)
        named = SeenFactor(first.name, first.level, f"{first.how}; {reported}")
        return _place(PLACE, data, (named, *others), below=self._below(data))

    def _by_url(self, visit: Visit, data: DataSet) -> DataPlace:
        site = self._served()
        reported = check_url(self._runner(visit, ()), data, site.network.server_address)
        address = site.network.server_address
        files = tuple(xrootd.url(address, file.name) for file in data.files)
        seen = (SeenFactor("data.access", "xrootd", reported),)
        return DataPlace(xrootd.url(address), files, local=False, below=self._below(data), seen=seen)

    def _mounted(self, visit: Visit, arm: PlannedArm, data: DataSet, way: str) -> DataPlace:
        guest = arm.guest is not None
        point = f"{visit.directory}/data" if guest else str(self.folder / "mount")
        self.take_away(arm)  # a process that was cut off may have left its mount
        self._mount(visit, arm, way, point)
        levels = tuple(level for level in arm.data if level not in of_scratch(arm.data))
        seen = check_mount(visit, self._served(), levels, point=point)
        reported = check_sizes(visit, data, point)
        first, *others = seen
        named = SeenFactor(first.name, first.level, f"{first.how}; {reported}")
        return _place(point, data, (named, *others), below=self._below(data))

    def let_write(self, visit: Visit, arm: PlannedArm) -> None:
        """Let the jobs of a visit write by the way that its arm asks for, where that is not its own disk.

        Raises:
            MissingError: the arm lacks a program for it.
            PlatformError: what is mounted is not what was asked for.
        """
        if (folder := jobs_folder(visit, arm)) is None:
            return
        way, point = scratch_access(arm.data), posixpath.dirname(folder)
        self._require(visit, way, "scratch.access")
        if arm.guest is None:
            unmount_below(
                Path(visit.directory).resolve()
            )  # a process that was cut off may have left its mount
        self._mount(visit, arm, way, point, written=True)
        shown = point if arm.guest else str(Path(point).resolve())  # as the kernel's table has it
        visit.scratch = (check_written(visit, self._served(), way, point=shown),)
        visit.run(("mkdir", "-p", folder), timeout_s=MOUNT_S)
        visit.jobs = folder

    def end_writing(self, visit: Visit, arm: PlannedArm) -> None:
        """Unmount what the jobs of a visit wrote on; nothing of it is kept."""
        if jobs_folder(visit, arm) is None:
            return
        visit.jobs, visit.scratch, visit.clients = None, (), ()
        if arm.guest is None:
            unmount_below(Path(visit.directory).resolve())

    def _mount(self, visit: Visit, arm: PlannedArm, way: str, point: str, *, written: bool = False) -> None:
        site, guest = self._served(), arm.guest is not None
        visit.probe.make(visit.directory)  # with its marker, before anything lies in it
        visit.run(("mkdir", "-p", point), timeout_s=MOUNT_S)
        if not guest:
            end_carrier(Path(point))  # of a mount that a process which was cut off has left
        if guest and way == "glusterfs":  # a guest of ours has no udev that would load it
            visit.run(("modprobe", "fuse"), timeout_s=MOUNT_S)
        address, own = site.network.server_address, _address(visit) or site.network.client_address
        levels = {} if written else dict(arm.data)
        command = mount_command(way, address, own, point, levels=levels, written=written)
        try:
            self._runner(visit, arm.limits.cpus)(command)
        except CommandError as error:
            if way != "glusterfs":
                raise
            log = ""
            with suppress(CommandError):  # it may have failed before it made one
                log = visit.run(("tail", "-n", "50", f"{point}.log"), timeout_s=MOUNT_S).decode(
                    errors="replace"
                )
            if not log:
                raise
            msg = f"cannot mount by glusterfs on {visit.machine}: {last_error(log)}"
            raise PlatformError(msg, hint=error.hint) from error
        client = None if guest else carrier_of(point)
        visit.clients += () if client is None else (client,)

    def _runner(self, visit: Visit, cpus: Sequence[int]) -> Run:
        """Return what runs a command on a visit with its link to the servers: of a machine, its client's."""
        if visit.guest is not None:
            return lambda command: visit.run(command, timeout_s=MOUNT_S)
        namespace = self._served().network.client_namespace
        return lambda command: visit.run(in_namespace(namespace, command, cpus=cpus), timeout_s=MOUNT_S)

    def _require(self, visit: Visit, way: str, name: str = "data.access") -> None:
        program, package = PROGRAMS[way]
        try:
            visit.program(program)
        except MissingError as error:
            msg = f"cannot use {name}={way} on {visit.machine}: it has no {program}"
            in_guest = f"assay platform image build --package {package}"
            hint = in_guest if visit.guest else install_command(package, has=partial(_has, visit))
            raise MissingError(msg, hint=hint) from error

    def _below(self, data: DataSet) -> tuple[str, ...]:
        return tuple(str(self.folder / "files" / file.name) for file in data.files)

    def _served(self) -> Site:
        if self.site is None:
            msg = "BUG: data are to be served, and there is no network"
            raise ValueError(msg)
        return self.site

    def take_away(self, arm: PlannedArm) -> None:
        """Unmount what a machine has mounted, but the data's own file systems; a guest takes its
        own along.
        """
        for mount in mounts_below(self.folder, read_mounts()) if arm.guest is None else ():
            if not mount.point.relative_to(self.folder).parts[0].startswith(PREFIX):
                unmount(mount.point)


def jobs_folder(visit: Visit, arm: PlannedArm) -> str | None:
    """Return where the trials' own folders lie on what a server serves; ``None`` of jobs that write on their
    own disk.

    Several guests, at once or one after the other, write on the same server.
    """
    if scratch_access(arm.data) == LOCAL:
        return None
    return f"{visit.directory}/scratch/{visit.guest.name if visit.guest else 'host'}"


def _laid(name: str, level: str, data: DataSet, laid: Laid) -> DataPlace:
    """Return where this machine reads a copy of the data that lies elsewhere than assay's state."""
    reported = check_files(data, laid.files, where=str(laid.root))
    seen = (SeenFactor("data.access", LOCAL, reported), SeenFactor(name, level, laid.how))
    return DataPlace(str(laid.root), tuple(map(str, laid.files)), seen=seen, disks=laid.disks)


def _address(visit: Visit) -> str | None:
    """Return a guest's own address on the bench network; ``None`` of what is no guest of ours."""
    return visit.guest.spec.address.partition("/")[0] if visit.guest and visit.guest.spec.address else None


def _place(
    root: str, data: DataSet, seen: tuple[SeenFactor, ...], *, below: tuple[str, ...] = ()
) -> DataPlace:
    return DataPlace(root, tuple(f"{root}/{file.name}" for file in data.files), below=below, seen=seen)


def _cvmfs(visit: Visit, data: DataSet) -> DataPlace:
    """Let an arm read a repository by its own client, and note the state of its cache.

    Raises:
        MissingError: it has no client, or the client does not reach the repository.
    """
    root = str(data.path)
    if (repository := cvmfs.repository(root)) is None or not _probes(visit, repository):
        msg = (
            f"cannot use data.access=cvmfs on {visit.machine}: its client does not reach {repository or root}"
        )
        raise MissingError(msg, hint="cvmfs_config probe; data: /cvmfs/REPOSITORY/…")
    reported = visit.run(("cvmfs_config", "stat", "-v", repository), timeout_s=MOUNT_S)
    words = cvmfs.parse_stat(reported.decode(errors="replace")).words
    how = f"cvmfs_config probe and stat of {repository}: {words}; {check_sizes(visit, data, root)}"
    return _place(root, data, (SeenFactor("data.access", "cvmfs", how),))


def _probes(visit: Visit, repository: str) -> bool:
    try:
        reported = visit.run(("cvmfs_config", "probe", repository), timeout_s=MOUNT_S)
    except AssayError:
        return False
    return cvmfs.parse_probe(reported.decode(errors="replace"))


def _has(visit: Visit, program: str) -> bool:
    try:
        visit.program(program)
    except MissingError:
        return False
    return True
