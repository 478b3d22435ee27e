"""GlusterFS volumes of one brick each: over the data, and over a folder that jobs write in.

Source: ``man 8 glusterd``, ``glusterd.vol``; ``man 8 gluster``; GlusterFS 10.
Limits: ``force`` lets the brick lie on the root file system, which a site would not do. The brick's log goes
    where
the package puts it (``/var/log/glusterfs/bricks``) and is removed at the end.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from assay.platforms.bench_network.daemons import Site, namespace_pids, start_daemon
from assay.platforms.errors import PlatformError
from assay.platforms.host_command import run

VOLUME, WRITTEN = "data", "scratch"
PORT = 24007
_BRICK_LOGS = Path("/var/log/glusterfs/bricks")
_BRICK = "/usr/sbin/glusterfsd"
_ERROR = re.compile(r"\[[^]]+\] [EC] (?:\[[^]]+\] )+(.+)")
"""``[time] E [MSGID: 1] [file.c:1:function] 0-volume: what``"""
_OPTIONS = {"performance.io-cache": "off", "performance.quick-read": "off"}
"""Else the client would keep files in a memory of its own, which no eviction reaches."""


def start_gluster(site: Site) -> None:
    """Start the management daemon and the volumes, of one brick each.

    Raises:
        MissingError: it is not installed.
        PlatformError: it does not start; its own words are in the message.
    """
    own = site.folder / "gluster"
    (own / "run").mkdir(parents=True, exist_ok=True)
    config, log = own / "glusterd.vol", own / "glusterd.log"
    config.write_text(volfile(own, site.network.server_address))
    command = ["glusterd", "--no-daemon", "-f", str(config), "-l", str(log), "-L", "WARNING"]
    start_daemon(site, command, port=PORT, log=own / "out.log")
    # GlusterFS keeps a folder of its own in a brick, which whoever copies the data must not meet
    brick = site.folder / "brick"
    shutil.copytree(site.files, brick, copy_function=os.link)
    _start_volume(site, VOLUME, brick)
    if "glusterfs" in site.writable:
        _start_volume(site, WRITTEN, site.written)


def _start_volume(site: Site, name: str, folder: Path) -> None:
    _ask(site, "volume", "create", name, f"{site.network.server_address}:{folder}", "force")
    for option, value in _OPTIONS.items():
        _ask(site, "volume", "set", name, option, value)
    _ask(site, "volume", "start", name)


def volfile(own: Path, address: str) -> str:
    """Return glusterd's configuration: all of its state in a folder of ours, on one address."""
    options = {
        "working-directory": own,
        "run-directory": own / "run",
        "glusterd-sockfile": _socket(own),
        "transport-type": "socket",
        "transport.address-family": "inet",
        "transport.socket.listen-port": PORT,
        "transport.socket.bind-address": address,
    }
    lines = (f"    option {name} {value}\n" for name, value in options.items())
    return f"volume management\n    type mgmt/glusterd\n{''.join(lines)}end-volume\n"


def volume_state(site: Site, name: str = VOLUME) -> str:
    """Return what the server says of a volume, one clause: ``gluster volume info: Started, 1 brick``.

    Raises:
        PlatformError: the volume is not started.
    """
    state, bricks = parse_volume(_ask(site, "volume", "info", name))
    if state != "Started":
        msg = f"cannot use the GlusterFS volume: gluster volume info says {state or 'nothing'} of it"
        raise PlatformError(msg, hint="assay platform clean")
    return f"gluster volume info: {state}, {bricks} brick{'s' if bricks != 1 else ''}"


def parse_volume(text: str) -> tuple[str | None, int]:
    """Return state and number of bricks in ``gluster volume info``; ``None`` where it tells no state."""
    state = re.search(r"^Status: (\S+)", text, re.MULTILINE)
    return state and state[1], len(re.findall(r"^Brick\d+:", text, re.MULTILINE))


def last_error(log: str) -> str:
    """Return the last error that a client wrote into its log, without time and place in its source."""
    errors = [match[1] for line in log.splitlines() if (match := _ERROR.match(line))]
    return errors[-1] if errors else "its log names no error"


def sockets(namespace: str) -> tuple[Path, ...]:
    """Return the sockets that bricks of ours opened outside the activity's folder, by their command lines."""
    lines = [_words(pid) for pid in namespace_pids(namespace)]
    return tuple(
        Path(words[words.index("-S") + 1]) for words in lines if words[:1] == [_BRICK] and "-S" in words
    )


def _words(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []


def forget_outside(folder: Path, sockets: Sequence[Path]) -> None:
    """Remove what bricks in an activity's folder left outside it, once they have ended."""
    for socket in sockets:
        socket.unlink(missing_ok=True)
    name = str(folder).strip("/").replace("/", "-")
    for file in _BRICK_LOGS.glob(f"{name}-*.log*"):
        file.unlink(missing_ok=True)


def _socket(own: Path) -> Path:
    return own / "glusterd.socket"


def _ask(site: Site, *words: str) -> str:
    own = site.folder / "gluster"
    options = ["--mode=script", f"--glusterd-sock={_socket(own)}", f"--log-file={own / 'cli.log'}"]
    command = site.inside(["gluster", *options, *words])
    ended = run(command)
    if ended.code:
        lines = (ended.stderr.strip() or ended.text.strip()).splitlines()
        msg = (
            f"cannot serve the data by GlusterFS: gluster {' '.join(words[:2])} says: "
            f"{lines[-1] if lines else 'nothing'}"
        )
        raise PlatformError(msg, hint="assay platform clean")
    return ended.text
