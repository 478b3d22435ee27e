"""An activity's servers of data: started or taken over, ended with it, and what a crash left of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.model.data import DataSet
from assay.platforms.claims import is_live
from assay.platforms.data_servers import ganesha, gluster, xrootd
from assay.platforms.data_servers.daemons import Site, end_daemons, listens_in
from assay.platforms.data_servers.files import lay_data
from assay.platforms.durable import read_json, write_json
from assay.platforms.host_filesystem import remove_folder
from assay.platforms.network import network_in_use, network_owner, network_token, remove_network
from assay.platforms.process import ProcessMark, process_mark

_START: Mapping[str, Callable[[Site], None]] = {
    "glusterfs": gluster.start_gluster,
    "xrootd": xrootd.start_xrootd,
    "nfs": ganesha.start_ganesha,
}
_PORTS = {"glusterfs": gluster.PORT, "xrootd": xrootd.PORT, "nfs": ganesha.PORT}
_NOTE = "served.json"


def data_folder(home: Path, activity: str) -> Path:
    """Return the folder of an activity's data on this machine."""
    return home / "data" / activity


@contextlib.contextmanager
def serve(site: Site, accesses: Sequence[str], data: DataSet) -> Iterator[None]:
    """Lay the data out and serve them, for the time inside; what an earlier process left whole goes on.

    Raises:
        MissingError: a server is not installed, or there is no room for the data.
        PlatformError: one does not start.
    """
    try:
        if not _is_whole(site, accesses):
            _end(site)
            remove_folder(site.folder)
            lay_data(data, site.files, shared="xrootd" in accesses)
            for one in accesses:
                _START[one](site)
            write_json(site.folder / _NOTE, {"served": list(accesses)})
        yield
    finally:
        _end(site)


def _is_whole(site: Site, accesses: Sequence[str]) -> bool:
    note = read_json(site.folder / _NOTE)
    ports = [_PORTS[one] for one in accesses]
    return (
        note is not None
        and note.get("served") == list(accesses)
        and all(listens_in(site.network.server_namespace, port) for port in ports)
    )


def _end(site: Site) -> None:
    namespace = site.network.server_namespace
    owner = network_owner(namespace.removesuffix("-server"))
    sockets = gluster.sockets(site)
    end_daemons(namespace, spare=owner.servers if owner else ())
    gluster.forget_outside(site, sockets)


def mounted_client(note: Path) -> ProcessMark | None:
    """Return the process that carries a mount, by the file in which it noted its number; ``None`` for none."""
    try:
        return process_mark(int(note.read_text()))
    except (OSError, ValueError):
        return None


def left_data(home: Path) -> tuple[Path, ...]:
    """Return folders of data of activities that no process conducts any more."""
    return tuple(folder for folder in sorted((home / "data").glob("*")) if not is_live(home, folder.name))


def holds_trial(home: Path, activity: str) -> bool:
    """Tell whether a trial of an activity that was cut off may still read its data."""
    return (home / "activities" / activity / "inflight.json").exists()


def end_left_data(home: Path, activity: str) -> None:
    """Remove data and servers that crashes left; those of an activity itself, and of one with a trial, stay."""
    for folder in left_data(home):
        if folder.name != activity and not holds_trial(home, folder.name):
            token = network_token(folder.name)
            if not network_in_use(token):
                remove_network(token)
            remove_folder(folder)
