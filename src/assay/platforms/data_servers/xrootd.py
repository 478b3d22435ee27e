"""An XRootD server over the data, read only; at the same port it speaks HTTP, by which packs read.

Source: XRootD's configuration reference (``xrd.port``, ``xrd.protocol``, ``all.export``, ``oss.localroot``);
    ``man 8 xrootd``, 5.5.
Limits: it refuses to run as root and reads as user ``nobody``, so the data must be readable by all.
"""

from __future__ import annotations

import re
import shutil
import stat
from pathlib import Path

from assay.platforms.bench_network.daemons import Site, start_daemon
from assay.platforms.errors import PlatformError

PORT = 1094
EXPORT = "/files"
"""Of the activity's folder of data, as the server's clients see it."""
USER = "nobody"
_SCHEME = "root://"
_LINE = re.compile(r"^[-d]\S*\s+\S+\s+\S+\s+(\d+)\s+\S+ \S+ (/.*)$")


def start_xrootd(site: Site) -> None:
    """Start the server.

    Raises:
        MissingError: it is not installed.
        PlatformError: Its user may not enter a folder above the data; it does not start: its last words
            are in the message.
    """
    shut = next((one for one in reversed(site.folder.parents) if not one.stat().st_mode & stat.S_IXOTH), None)
    if shut is not None:
        msg = f"cannot serve the data by xrootd: the server's user {USER} may not enter {shut}"
        raise PlatformError(msg, hint=f"chmod o+x {shut}, or let ASSAY_HOME be elsewhere")
    own = site.folder / "xrootd"
    own.mkdir(exist_ok=True)
    shutil.chown(own, USER)
    config = own / "xrootd.cf"
    config.write_text(configuration(site.folder, own))
    config.chmod(0o644)
    start_daemon(site, ["xrootd", "-c", str(config), "-R", USER], port=PORT, log=site.folder / "xrootd.log")


def configuration(folder: Path, own: Path) -> str:
    """Return the server's configuration."""
    lines = (
        f"xrd.port {PORT}",
        f"xrd.protocol http:{PORT} libXrdHttp.so",
        f"all.export {EXPORT} r/o",
        f"oss.localroot {folder}",
        f"all.adminpath {own}",
        f"all.pidpath {own}",
        "xrd.network nodnr",
    )
    return "".join(f"{line}\n" for line in lines)


def url(address: str, name: str = "") -> str:
    """Return what clients call a file, or with no name all of the data."""
    return f"{_SCHEME}{address}:{PORT}/{EXPORT}" + (f"/{name}" if name else "")


def by_http(place: str) -> str:
    """Return the URL by which a file of the server is read by HTTP; what is none of its URLs stays."""
    from urllib.parse import quote

    if not place.startswith(_SCHEME):
        return place
    address, _, path = place.removeprefix(_SCHEME).partition("/")
    return f"http://{address}/{quote(path)}"


def list_command(address: str) -> tuple[str, ...]:
    """Return what lists all files with their sizes (``parse_sizes``)."""
    return ("xrdfs", f"{address}:{PORT}", "ls", "-l", "-R", EXPORT)


def parse_sizes(text: str) -> dict[str, int]:
    """Return the bytes of each file in what ``xrdfs ls -l -R`` prints, by name below the data's folder."""
    matches = (_LINE.match(line) for line in text.splitlines() if line.startswith("-"))
    return {line[2].removeprefix(f"{EXPORT}/"): int(line[1]) for line in matches if line}
