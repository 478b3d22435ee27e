"""A preload as a unit of systemd, for the machine, or the guest, whose jobs read the files.

Source: systemd.service(5) (oneshot, RemainAfterExit; a variable that is a word of its own is split at
    blanks), systemd.unit(5) (Before).
Limits: it reads once, at the start of the system: what the page cache gives up later is not read again. More
    files than fit into memory push one another out.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export.starts import left_beside
from assay.factors.export.words import Exported
from assay.factors.start.starts import PRELOAD

UNIT = """\
# /etc/systemd/system/assay-preload.service; systemctl enable assay-preload
[Unit]
Description=Read the jobs' software into the page cache
After=local-fs.target remote-fs.target
Before=slurmd.service condor.service

[Service]
Type=oneshot
RemainAfterExit=yes
# folders and files of the jobs' software, with blanks between: name yours
Environment=PRELOAD=/opt/software
ExecStart=/usr/bin/find $PRELOAD -xdev -type f -exec /bin/cat {} +
StandardOutput=null

[Install]
WantedBy=multi-user.target
"""
"""Where a folder is not there the unit fails, for ``systemctl --failed`` to list; jobs start all the same."""


def to_preload(settings: Settings, _on: Host) -> Exported:
    """Return a unit whose folders are to be named in it."""
    left = {name: "a unit that reads files says nothing of it" for name in settings if name != PRELOAD}
    left |= left_beside(settings, (PRELOAD,))
    if settings.get(PRELOAD) == "off":
        left[PRELOAD] = "nothing is read where there is no unit"
    return Exported(UNIT if settings.get(PRELOAD) == "on" else "", left)
