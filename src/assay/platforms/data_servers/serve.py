"""An activity's servers of data: started or taken over, ended with it, and what a crash left of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.model.files.activities import activity_folder
from assay.model.files.marker import FILE
from assay.model.platforms.data import DataSet
from assay.platforms.bench_network.bench_links import bench_names
from assay.platforms.bench_network.daemons import Site, end_daemons, listens_in
from assay.platforms.bench_network.network import network_in_use, network_owner, network_token, remove_network
from assay.platforms.claims import is_live
from assay.platforms.data_servers import ganesha, gluster, xrootd
from assay.platforms.data_servers.files import is_data_folder, lay_data, make_folder
from assay.platforms.durable import read_json, write_json
from assay.platforms.filesystems.host_filesystem import remove_folder, unmount_below
from assay.platforms.mounts import mounts_below, read_mounts

_START: Mapping[str, Callable[[Site], None]] = {
    "glusterfs": gluster.start_gluster,
    "xrootd": xrootd.start_xrootd,
    "nfs": ganesha.start_ganesha,
}
_PORTS = {"glusterfs": gluster.PORT, "xrootd": xrootd.PORT, "nfs": ganesha.PORT}
_NOTE = "served.json"


def data_folder(home: Path, activity: str) -> Path:
    """Return the folder of an activity's data on this machine, without links before its name.

    The kernel's table of mounts and the logs of GlusterFS name it so.
    """
    return _all_data(home) / activity


def _all_data(home: Path) -> Path:
    return (home / "data").resolve()


@contextlib.contextmanager
def serve(
    site: Site, accesses: Sequence[str], data: DataSet | None, *, shared: bool = False
) -> Iterator[None]:
    """Lay the data out and serve them, for the time inside; what an earlier process left whole goes on.

    Args:
        site: Where to.
        accesses: By which of ``SERVED``.
        data: What is wanted; ``None`` where jobs write alone.
        shared: Others than root read the files themselves too, as QEMU's 9p must.

    Raises:
        MissingError: a server is not installed, or there is no room for the data.
        PlatformError: one does not start.
    """
    try:
        if not _is_whole(site, accesses):
            end_data(site.folder)
            lay_data(data or DataSet(()), site.files, shared=shared or "xrootd" in accesses)
            make_folder(site.written)
            for one in accesses:
                _START[one](site)
            write_json(site.folder / _NOTE, _note(site, accesses))
        yield
    finally:
        _end_servers(site.folder, site.network.server_namespace)


def _is_whole(site: Site, accesses: Sequence[str]) -> bool:
    ports = [_PORTS[one] for one in accesses]
    return read_json(site.folder / _NOTE) == _note(site, accesses) and all(
        listens_in(site.network.server_namespace, port) for port in ports
    )


def _note(site: Site, accesses: Sequence[str]) -> dict[str, list[str]]:
    return {"served": list(accesses), "writable": list(site.writable)}


def end_data(folder: Path, *, home: Path | None = None) -> bool:
    """End an activity's data: its mounts, its servers, what those left outside, and then the folder.

    Args:
        folder: Of the activity (``data_folder``), whose name is the network's too.
        home: Folder of all state, in which the activity's jobs may have something mounted, too; ``None`` for
            none. It goes first: without its server, what is mounted with ``hard`` could not be taken away.

    Returns:
        Nothing of the folder is left. A part that stays keeps its mark, so that it is found again.
    """
    if home is not None:
        unmount_below((home / "work" / folder.name).resolve())
    _end_servers(folder, bench_names(network_token(folder.name)).server_namespace)
    if mounts_below(folder, read_mounts()):
        return False
    for entry in _entries(folder):
        _remove(entry)
    if not _entries(folder):
        remove_folder(folder)
    return not folder.exists()


def _entries(folder: Path) -> list[Path]:
    """Return what lies in a real folder, without its mark."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return [entry for entry in folder.iterdir() if entry.name != FILE]


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        remove_folder(entry)  # with the loop devices of file systems of its own
        return
    with contextlib.suppress(OSError):  # the caller looks whether it is gone
        entry.unlink()


def _end_servers(folder: Path, namespace: str) -> None:
    """Unmount what is mounted in a folder of data, and end the servers that served it."""
    unmount_below(folder)
    owner = network_owner(namespace.removesuffix("-server"))
    sockets = gluster.sockets(namespace)
    end_daemons(namespace, spare=owner.servers if owner else ())
    gluster.forget_outside(folder, sockets)


def left_data(home: Path) -> tuple[Path, ...]:
    """Return folders of data that assay made for activities that no process conducts any more."""
    ours = (folder for folder in sorted(_all_data(home).glob("*")) if is_data_folder(folder))
    return tuple(folder for folder in ours if not is_live(home, folder.name))


def holds_trial(home: Path, activity: str) -> bool:
    """Tell whether a trial of an activity that was cut off may still read its data."""
    return (activity_folder(home, activity) / "inflight.json").exists()


def end_left_data(home: Path, activity: str) -> None:
    """Remove data and servers that crashes left; those of an activity itself, and of one with a
    trial, stay.
    """
    for folder in left_data(home):
        if folder.name != activity and not holds_trial(home, folder.name):
            end_data(folder, home=home)
            _end_network(folder.name)


def end_own_data(home: Path, activity: str) -> None:
    """Remove what an earlier process of an activity left of its data, their servers and its network.

    Raises:
        MissingError: there is a network, and the caller is not root.
    """
    folder = data_folder(home, activity)
    if is_data_folder(folder):
        end_data(folder, home=home)
    _end_network(activity)


def _end_network(activity: str) -> None:
    token = network_token(activity)
    if not network_in_use(token):
        remove_network(token)
