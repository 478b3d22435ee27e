"""An XRootD server on a machine by SSH, read only, for as long as its connection stands.

The machine may run XRootD for others: this one has a port that is free and a configuration of its own, and
ends with its standard input. Clients read by HTTP, which the server speaks beside its own protocol.

Source: XRootD's configuration reference (``xrd.protocol``, ``all.export``, ``oss.localroot``), 5.5;
    ``man 1 unshare``.
Limits: as root it runs as user ``nobody`` with the data mounted where everybody may look, in a mount
    namespace of its own; else as the user who logs in. Whoever reaches its port can read the data meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from assay.model.errors import AssayError
from assay.platforms.errors import PlatformError

PROGRAM = "xrootd"
START_S = 20.0
_LOOK_S = 60.0
_SHARE = """\
folder=$1 port=$2
write() {
    printf '%s\\n' "xrd.port $port" "xrd.protocol http:$port libXrdHttp.so" "all.export / r/o" \
        "oss.localroot $3" "all.adminpath $4" "all.pidpath $4" "xrd.network nodnr" > "$4/xrootd.cf"
}
if [ "$(id -u)" = 0 ]; then
    echo localhost > /proc/sys/kernel/hostname
    mount --make-rprivate / && mount --bind "$folder" /mnt && mount -t tmpfs -o mode=1777 assay /tmp || exit
    mkdir -m 777 /tmp/own && write "$folder" "$port" /mnt /tmp/own && chmod 644 /tmp/own/xrootd.cf || exit
    exec xrootd -R nobody -c /tmp/own/xrootd.cf
fi
own="$folder.served" && mkdir -p "$own" && write "$folder" "$port" "$folder" "$own" || exit
exec xrootd -c "$own/xrootd.cf"
"""
"""Serves a folder ($1) at a port ($2). xrootd needs an address of its host name; ``localhost`` has one."""
_HOLD = """\
apart=
[ "$(id -u)" = 0 ] && apart="unshare --mount --uts"
$apart sh -c "$1" sh "$2" "$3" < /dev/null > /dev/null 2>&1 &
server=$!
echo "$SSH_CONNECTION"
cat > /dev/null
kill "$server" 2> /dev/null
wait "$server"
"""
"""Holds the server until its own input ends; tells the address by which it was reached."""
_PORT = "import socket; s = socket.socket(); s.bind(('', 0)); print(s.getsockname()[1])"
_SIZES = """\
import http.client, sys
host, port, *paths = sys.argv[1:]
server = http.client.HTTPConnection(host, int(port), timeout=20)
for path in paths:
    server.request('HEAD', path)
    answer = server.getresponse()
    answer.read()
    print(answer.status, answer.getheader('Content-Length', '0'), answer.getheader('Server', 'XRootD'))
"""
_AT_ONCE = 500
"""Paths a command: an argument list has its limit."""


class Talk(Protocol):
    """A program there that answers line by line (``probe.Channel``)."""

    def receive(self, timeout_s: float) -> bytes:
        """Return the next line."""

    def close(self) -> None:
        """End its input."""


Run = Callable[..., bytes]
"""Runs a command on a machine and returns what it printed."""


@dataclass(frozen=True)
class Served:
    """A server that is there.

    Attributes:
        address: By which others reach its machine.
        port: Its port.
        version: What it calls itself.
    """

    address: str
    port: int
    version: str = "XRootD"

    def url(self, name: str = "") -> str:
        """Return what clients call a file, or with no name all of the data."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{host}:{self.port}{path_of(name)}"


def path_of(name: str) -> str:
    """Return the path of a file in its URL."""
    from urllib.parse import quote

    return f"//{quote(name)}"


@contextmanager
def serving(
    talk: Callable[[Sequence[str]], Talk], run: Run, folder: str, *, machine: str
) -> Iterator[Served]:
    """Serve a folder of a machine for the time inside.

    Args:
        talk: Starts a program there that goes on until its input ends.
        run: Runs a command there.
        folder: What is served.
        machine: Its name, for messages.

    Raises:
        PlatformError: it does not start, or the machine does not tell its address.
    """
    run(("chmod", "-R", "a+rX", folder), timeout_s=_LOOK_S)
    port = int(run(("python3", "-c", _PORT), timeout_s=_LOOK_S))
    channel = talk(("sh", "-c", _HOLD, "sh", _SHARE, folder, str(port)))
    try:
        words = channel.receive(START_S).decode(errors="replace").split()
        if len(words) != 4 or words[2] == "UNKNOWN":
            msg = (
                f"cannot serve the data on {machine}: its sshd does not tell by which address it was reached"
            )
            raise PlatformError(msg, hint="data.access: local")
        served = Served(words[2], port)
        yield _answering(served, run, machine)
    finally:
        channel.close()


def _answering(served: Served, run: Run, machine: str) -> Served:
    """Return a server once it answers on its own machine; raises as ``serving``."""
    until = time.monotonic() + START_S
    while True:
        try:
            return Served(served.address, served.port, _asked(served, run, [""])[0][2])
        except AssayError as error:
            if time.monotonic() >= until:
                msg = f"cannot serve the data on {machine}: xrootd does not answer at {served.url()}"
                raise PlatformError(
                    msg,
                    hint="has it libXrdHttp.so (of xrootd-plugins, xrootd-server-libs on Enterprise Linux),"
                    " and mount namespaces for root?",
                ) from error
            time.sleep(0.3)


def check_served(served: Served, run: Run, names: Sequence[str]) -> list[int]:
    """Return the bytes of each file as another machine sees it at the server; 0 where it is not there.

    Raises:
        PlatformError: the machine does not reach the server.
    """
    try:
        told = [
            one
            for first in range(0, len(names), _AT_ONCE)
            for one in _asked(served, run, names[first : first + _AT_ONCE])
        ]
    except AssayError as error:
        msg = f"cannot read the data by {served.url()}: {error.message}"
        raise PlatformError(msg, hint="is its port let through between the machines?") from error
    return [size if status == 200 else 0 for status, size, _ in told]


def _asked(served: Served, run: Run, names: Sequence[str]) -> list[tuple[int, int, str]]:
    command = ("python3", "-c", _SIZES, served.address, str(served.port), *map(path_of, names))
    lines = run(command, timeout_s=_LOOK_S).decode(errors="replace").splitlines()
    rows = [line.split(" ", 2) for line in lines]
    return [(int(status), int(size), name) for status, size, name in rows]
