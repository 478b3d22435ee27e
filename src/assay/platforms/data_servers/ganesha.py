"""An NFS server in user space over the data, read only, and over a folder that jobs write in.

NFS 4 alone, which needs no port mapper.

Source: nfs-ganesha's ``ganesha-core-config(8)``, ``ganesha-export-config(8)``, ``ganesha-vfs-config(8)``,
    4.3;
Linux ``fs/nfs/fs_context.c`` for the options of a mount without a helper.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.platforms.bench_network.daemons import Site, start_daemon

PORT = 2049
EXPORT, WRITTEN = "/data", "/scratch"


def start_ganesha(site: Site) -> None:
    """Start the server.

    Raises:
        MissingError: it is not installed.
        PlatformError: it does not start; its last words are in the message.
    """
    own = site.folder / "ganesha"
    (own / "recovery").mkdir(parents=True, exist_ok=True)
    config, log = own / "ganesha.conf", own / "ganesha.log"
    exports = [export(1, site.files, EXPORT, "RO")]
    if "nfs" in site.writable:
        exports.append(export(2, site.written, WRITTEN, "RW"))
    config.write_text(configuration(exports, own, site.network.server_address))
    files = ["-f", str(config), "-L", str(log), "-p", str(own / "ganesha.pid")]
    start_daemon(site, ["ganesha.nfsd", "-F", *files], port=PORT, log=log)


def configuration(exports: Sequence[str], own: Path, address: str) -> str:
    """Return the server's configuration, with blocks of exports at its end."""
    return f"""NFS_CORE_PARAM {{
    Protocols = 4;
    Bind_addr = {address};
    NFS_Port = {PORT};
    mount_path_pseudo = true;
    Enable_NLM = false;
    Enable_RQUOTA = false;
    Enable_UDP = false;
}}
NFSv4 {{
    Graceless = true;
    RecoveryRoot = "{own / "recovery"}";
    Minor_Versions = 1, 2;
}}
{"".join(exports)}"""


def export(number: int, folder: Path, name: str, kind: str) -> str:
    """Return a block of the configuration: a folder as clients see it, ``RO`` or ``RW``."""
    return f"""EXPORT {{
    Export_Id = {number};
    Path = "{folder}";
    Pseudo = "{name}";
    Access_Type = {kind};
    Squash = No_Root_Squash;
    SecType = sys;
    Protocols = 4;
    Transports = TCP;
    FSAL {{ Name = VFS; }}
}}
"""
