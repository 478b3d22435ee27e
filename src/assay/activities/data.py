"""The activity's data brought to each arm for a visit, and taken away at its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assay.activities.data_seen import Run, check_mount, check_sizes, check_url
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.sharing import PLACE, mount_share
from assay.activities.stage import Stage
from assay.factors.data_share import SHARES
from assay.model.activity import ActivityPlan, Side
from assay.model.data import LOCAL, DataPlace, DataSet, access
from assay.model.errors import AssayError, MissingError
from assay.model.machine import Reach
from assay.model.platform import SeenFactor
from assay.platforms.data_servers import cvmfs, xrootd
from assay.platforms.data_servers.daemons import Site, in_namespace
from assay.platforms.data_servers.files import lay_data
from assay.platforms.data_servers.mount import PROGRAMS, mount_command
from assay.platforms.data_servers.serve import data_folder, end_left_data, mounted_client, serve
from assay.platforms.host_filesystem import remove_folder, unmount
from assay.platforms.network import BenchNetwork
from assay.probe import ProgramMissingError

_ALONE = {LOCAL, "cvmfs", *SHARES}
"""Ways to the data that need no server of ours."""
MOUNT_S = 60.0
"""Under emulation a mount's first module loads in seconds."""


def needs_servers(plan: ActivityPlan) -> bool:
    """Tell whether an arm reads the data from a server on the bench network."""
    return bool(_served(plan))


def _served(plan: ActivityPlan) -> tuple[str, ...]:
    if plan.data is None:
        return ()
    return tuple(sorted({access(side.data) for side in (plan.baseline, *plan.treatments)} - _ALONE))


class DataVenue:
    """The data on this machine and their servers, for the time of an activity."""

    def __init__(
        self, plan: ActivityPlan, home: Path, watcher: Watcher, stack: ExitStack, interrupts: Interrupts
    ) -> None:
        self._plan, self._home, self._watcher = plan, home, watcher
        self._stack, self._interrupts = stack, interrupts
        self._site: Site | None = None
        self._folder = data_folder(home, plan.id)

    def open(self, network: BenchNetwork | None, cpus: tuple[int, ...]) -> None:
        """Lay the data out and start the servers that an arm reads them from.

        Raises:
            MissingError: there is no room for them, or a server is not installed.
            PlatformError: a server does not start.
        """
        end_left_data(self._home, self._plan.id)
        if self._plan.data is None:
            return
        self._stack.callback(remove_folder, self._folder)
        served = _served(self._plan)
        if served and network is not None:
            self._site = Site(self._folder, network, cpus)
            self._watcher.step(f"serving the data by {', '.join(served)}")
            self._stack.enter_context(serve(self._site, served, self._plan.data))
        else:
            self._watcher.step("laying out the data")
            lay_data(self._plan.data, self._folder / "files")

    @contextmanager
    def brought(self, stage: Stage, side: Side) -> Iterator[None]:
        """Let a stage see the data as its arm shall, for a visit.

        Raises:
            MissingError: the arm lacks a program for it.
            PlatformError: what it sees is not what was asked for.
        """
        if self._plan.data is None:
            yield
            return
        try:
            stage.data = self._bring(stage, side, self._plan.data)
            yield
        finally:
            stage.data, stage.client = None, None
            with self._interrupts.held():
                self._take_away(side)

    def _bring(self, stage: Stage, side: Side, data: DataSet) -> DataPlace:
        way = access(side.data)
        if way == LOCAL:
            return self._local(stage, side, data)
        if way == "cvmfs":
            return _cvmfs(stage, data)
        if way in SHARES:
            seen = mount_share(stage, side, self._folder / "files")
            check_sizes(stage, data, PLACE)
            return _place(PLACE, data, seen, below=self._below(data))
        self._require(stage, way)
        return self._by_url(stage, data) if way == "xrootd" else self._mounted(stage, side, data, way)

    def _local(self, stage: Stage, side: Side, data: DataSet) -> DataPlace:
        """Let a machine read its own copy, and give a guest or another machine one of its own."""
        files = self._folder / "files"
        here = side.machine.reach is Reach.LOCAL and side.guest is None and side.container is None
        root = str(files) if here else f"{stage.directory}/data"
        if not here:
            stage.put(files, root)
        told = check_sizes(stage, data, root)
        return _place(root, data, (SeenFactor("data.access", LOCAL, told),))

    def _by_url(self, stage: Stage, data: DataSet) -> DataPlace:
        site = self._served_site()
        told = check_url(self._runner(stage, ()), data, site.network.server_address)
        address = site.network.server_address
        files = tuple(xrootd.url(address, file.name) for file in data.files)
        seen = (SeenFactor("data.access", "xrootd", told),)
        return DataPlace(xrootd.url(address), files, local=False, below=self._below(data), seen=seen)

    def _mounted(self, stage: Stage, side: Side, data: DataSet, way: str) -> DataPlace:
        site, levels = self._served_site(), dict(side.data)
        guest = side.guest is not None
        point = f"{stage.directory}/data" if guest else str(self._folder / "mount")
        own = site.network.guest_address if guest else site.network.client_address
        note = f"{point}.pid"
        stage.run(("mkdir", "-p", point), timeout_s=MOUNT_S)
        command = mount_command(way, site.network.server_address, own, point, levels=levels, pid_file=note)
        self._runner(stage, side.limits.cpus)(command)
        seen = check_mount(stage, site, side.data, point=point)
        told = check_sizes(stage, data, point)
        stage.client = None if guest else mounted_client(Path(note))
        first, *others = seen
        named = SeenFactor(first.name, first.level, f"{first.how}; {told}")
        return _place(point, data, (named, *others), below=self._below(data))

    def _runner(self, stage: Stage, cpus: Sequence[int]) -> Run:
        """Return what runs a command on a stage with its link to the servers: of a machine, its client's."""
        if stage.guest is not None:
            return lambda command: stage.run(command, timeout_s=MOUNT_S)
        namespace = self._served_site().network.client_namespace
        return lambda command: stage.run(in_namespace(namespace, command, cpus=cpus), timeout_s=MOUNT_S)

    def _require(self, stage: Stage, way: str) -> None:
        program, package = PROGRAMS[way]
        try:
            stage.program(program)
        except (ProgramMissingError, MissingError) as error:
            msg = f"cannot use data.access={way} on {stage.machine}: it has no {program}"
            in_guest = f"assay platform image build --package {package}"
            hint = in_guest if stage.guest else f"apt install {package}"
            raise MissingError(msg, hint=hint) from error

    def _below(self, data: DataSet) -> tuple[str, ...]:
        return tuple(str(self._folder / "files" / file.name) for file in data.files)

    def _served_site(self) -> Site:
        if self._site is None:
            msg = "BUG: data are to be served, and there is no network"
            raise ValueError(msg)
        return self._site

    def _take_away(self, side: Side) -> None:
        """Unmount what a machine has mounted; a guest takes its own along."""
        if side.guest is None and access(side.data) not in _ALONE | {"xrootd"}:
            unmount(self._folder / "mount")


def _place(
    root: str, data: DataSet, seen: tuple[SeenFactor, ...], *, below: tuple[str, ...] = ()
) -> DataPlace:
    return DataPlace(root, tuple(f"{root}/{file.name}" for file in data.files), below=below, seen=seen)


def _cvmfs(stage: Stage, data: DataSet) -> DataPlace:
    """Let an arm read a repository by its own client, and note the state of its cache.

    Raises:
        MissingError: it has no client, or the client does not reach the repository.
    """
    root = str(data.path)
    if (repository := cvmfs.repository(root)) is None or not _probes(stage, repository):
        msg = (
            f"cannot use data.access=cvmfs on {stage.machine}: its client does not reach {repository or root}"
        )
        raise MissingError(msg, hint="cvmfs_config probe; data: /cvmfs/REPOSITORY/…")
    told = stage.run(("cvmfs_config", "stat", "-v", repository), timeout_s=MOUNT_S)
    words = cvmfs.parse_stat(told.decode(errors="replace")).words
    how = f"cvmfs_config probe and stat of {repository}: {words}; {check_sizes(stage, data, root)}"
    return _place(root, data, (SeenFactor("data.access", "cvmfs", how),))


def _probes(stage: Stage, repository: str) -> bool:
    try:
        told = stage.run(("cvmfs_config", "probe", repository), timeout_s=MOUNT_S)
    except AssayError:
        return False
    return cvmfs.parse_probe(told.decode(errors="replace"))
