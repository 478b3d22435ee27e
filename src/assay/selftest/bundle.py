"""One file of a self-test to send back: the machine as recorded, what held, the guests as libvirt had them.

Layout of the archive::

    selftest.json      versions, facts, each check with what came of it
    machine/           the recorded machine, names taken out: for evaluate --dry-run --as
    guests/<check>.xml the domain of a check's first guest, as read back
"""

from __future__ import annotations

import getpass
import io
import json
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path, PurePosixPath

from assay.activities.visits.visit import open_probe
from assay.model.errors import AssayError, Exit
from assay.model.machines.machine import Machine
from assay.model.version import __version__
from assay.selftest.checks import Node
from assay.selftest.run import Outcome
from assay.store.objects import domain_of
from assay.store.record import read_trials

MACHINE, RESULT, GUESTS = "machine", "selftest.json", "guests"
SCHEMA, VERSION = "assay.selftest", (1, 0)
MOST_BYTES = 64 << 20
"""Of an archive that is read: a recorded machine of 256 processors has 2 MB."""


class BundleError(AssayError):
    """A file that no self-test wrote."""

    exit_code = Exit.INPUT


def write_bundle(path: Path, outcomes: Sequence[Outcome], node: Node, *, home: Path) -> None:
    """Write the file; it appears whole or not at all, and replaces an older one.

    Raises:
        AssayError: The machine cannot be recorded.
        OSError: The file cannot be written.
    """
    names = {node.facts.hostname: "node", str(home): "HOME", getpass.getuser(): "user"}
    part = path.with_name(f".{path.name}.new")
    with tempfile.TemporaryDirectory(prefix="assay-selftest-") as scratch:
        machine = Path(scratch) / MACHINE
        with open_probe(Machine("local"), home) as (probe, _):
            probe.record(str(machine))
        with tarfile.open(part, "w:gz") as archive:
            archive.add(machine, MACHINE, filter=_nobodys)
            _add(archive, RESULT, json.dumps(_told(outcomes, node, names), indent=1) + "\n")
            for name, text in _guests(outcomes, home):
                _add(archive, f"{GUESTS}/{name}.xml", _without(text, names))
    part.replace(path)


def _nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(text.encode()), 0o644
    archive.addfile(_nobodys(entry), io.BytesIO(text.encode()))


def _told(outcomes: Sequence[Outcome], node: Node, names: Mapping[str, str]) -> dict[str, object]:
    host = node.host
    told = {
        "schema": SCHEMA,
        "version": list(VERSION),
        "assay": __version__,
        "libvirt": list(host.libvirt),
        "qemu": list(host.qemu),
        "accelerator": host.accelerator,
        "checks": [asdict(one) for one in outcomes],
    }
    redacted: dict[str, object] = json.loads(_without(json.dumps(told), names))
    return redacted


def _without(text: str, names: Mapping[str, str]) -> str:
    """Return a text without names of this site; longer ones first, since they may hold others."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        if len(name) > 2 and name != "root":
            text = text.replace(name, names[name])
    return text


def _guests(outcomes: Sequence[Outcome], home: Path) -> Iterator[tuple[str, str]]:
    """Yield the domain of the first guest of each check that had one."""
    for one in outcomes:
        if one.activity is None:
            continue
        folder = home / "activities" / one.activity
        domains = (domain_of(folder, record) for record in read_trials(folder, damaged=[]))
        if (first := next(filter(None, domains), None)) is not None:
            yield one.name, first


@contextmanager
def recorded_machine(path: Path) -> Iterator[Path]:
    """Give the folder of a recorded machine: that of a path, or out of the file of a self-test.

    Raises:
        BundleError: It is neither.
    """
    if path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="assay-selftest-") as scratch:
        try:
            with tarfile.open(path, "r:gz") as archive:
                _unpack(archive, Path(scratch), path)
        except (OSError, tarfile.TarError, EOFError) as error:
            msg = f"cannot use {path} as a recorded machine: expected the file of a self-test or a folder"
            raise BundleError(msg, hint="assay selftest, or assay-probe record --into FOLDER") from error
        folder = Path(scratch) / MACHINE
        if not folder.is_dir():
            msg = f"cannot use {path}: there is no recorded machine in it"
            raise BundleError(msg)
        yield folder


def _unpack(archive: tarfile.TarFile, into: Path, path: Path) -> None:
    """Write the plain files of a recorded machine, none of them outside of its folder.

    ``tarfile`` has filters for this since Python 3.11.4 alone.
    """
    left = MOST_BYTES
    for entry in archive:
        parts = PurePosixPath(entry.name).parts
        if parts[:1] != (MACHINE,) or not entry.isfile():
            continue
        left -= entry.size
        content = archive.extractfile(entry)
        if ".." in parts or left < 0 or content is None:
            most = f"at most {MOST_BYTES >> 20} MiB below {MACHINE}/"
            msg = f"cannot use {path}: expected {most}, got {entry.name}"
            raise BundleError(msg)
        place = into.joinpath(*parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.read())
