"""Where this machine's own packages come from, as APT itself tells it: no mirror's name is ours.

Source: ``man 8 apt-get`` (indextargets), ``man 5 sources.list`` (both formats).
"""

from __future__ import annotations

import platform
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assay.model.errors import MissingError
from assay.platforms.errors import PlatformError
from assay.platforms.host_command import host_command

_KEPT_OPTIONS = ("signed-by", "trusted", "check-valid-until")
ROOM = 256 << 20
"""Bytes that a disk has free where APT keeps what it has read."""
LEFT_S = 600.0
"""What APT writes is done after this."""
_HINT = "apt-get update, then try again; the guest's packages come from this machine's own sources"


@dataclass(frozen=True, order=True)
class Source:
    """One suite of one archive.

    Attributes:
        uri: Root of the archive with a slash at the end.
        suite: The suite as the machine's entry calls it, ``bookworm`` or ``stable``.
        codename: The suite's codename by its own signed word, ``bookworm-security``.
        component: ``main``.
        options: ``("signed-by", "/usr/share/keyrings/…")`` and the like, as in the machine's entry.
    """

    uri: str
    suite: str
    codename: str
    component: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def line(self) -> str:
        """The entry in APT's one-line format."""
        options = " ".join(f"{name}={value}" for name, value in self.options)
        return f"deb {f'[{options}] ' if options else ''}{self.uri} {self.suite} {self.component}"


def machine_sources(apt_options: Sequence[str] = (), *, release: str | None = None) -> tuple[Source, ...]:
    """Return the sources of the running distribution's own release, sorted, or of another one in the same
    archives.

    Args:
        apt_options: Further options for ``apt-get``, to read other sources than the machine's.
        release: Codename of another release, ``trixie``: each of the machine's suites in its place, so that
            ``bookworm-security`` becomes ``trixie-security``. ``None`` is the running one.

    Raises:
        MissingError: APT is not there, or it has no such source, or never fetched its lists.
    """
    running = _os_release()
    targets = list(_stanzas(_indextargets(apt_options)))
    origin, codename = running.get("ID", "debian"), running.get("VERSION_CODENAME", "")
    ours = _of_origin(targets, origin) or _of_origin(targets, "debian")
    sources = sorted({_source(target) for target in ours if _is_of_release(target, codename)})
    if not sources:
        raise MissingError(_nothing(targets, origin, codename), hint=_HINT)
    return tuple(sources if release is None else sorted({_of(release, one, codename) for one in sources}))


def kept_lists(file: Path) -> tuple[str, ...]:
    """Return options by which APT keeps in a file what it has read of its lists, some 40 MB, and reads them
    no more until they change; none where the disk has no room for it, which APT would fail for.

    Containers tell APT to keep nothing, and users other than root cannot write where it does. What an APT
    that was killed left beside the file is removed.
    """
    if not file.parent.is_dir() or shutil.disk_usage(file.parent).free < ROOM:
        return ()
    for left in file.parent.glob(f"{file.name}.*"):
        with suppress(OSError):  # APT gives it its name, or another process of ours removes it
            if time.time() - left.lstat().st_mtime > LEFT_S:
                left.unlink()
    return ("-o", f"Dir::Cache::pkgcache={file}")


def _of(release: str, source: Source, codename: str) -> Source:
    suite = release + source.codename.removeprefix(codename)
    return replace(source, suite=suite, codename=suite)


def _os_release() -> dict[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}


def _indextargets(apt_options: Sequence[str]) -> str:
    command = ["apt-get", *apt_options, "indextargets", "Created-By: Packages", "Target-Of: deb"]
    cannot, on = (
        "cannot read this machine's package sources",
        "guest images are built on Debian and its relatives",
    )
    try:
        return host_command(command, cannot, missing=on, hint="apt-get indextargets")
    except PlatformError as error:
        raise MissingError(error.message, hint=error.hint) from error


def _stanzas(text: str) -> Iterator[dict[str, str]]:
    """Yield the fields of each paragraph; names in lower case, continuation lines joined by blanks."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        fields = re.findall(r"^([^\s:]+):((?:.*)(?:\n[ \t].*)*)", "\n".join(lines), re.MULTILINE)
        if fields:
            yield {name.lower(): " ".join(value.split()) for name, value in fields}


def _of_origin(targets: Iterable[dict[str, str]], origin: str) -> list[dict[str, str]]:
    return [each for each in targets if each.get("origin", "").lower() == origin.lower()]


def _is_of_release(target: dict[str, str], codename: str) -> bool:
    # Another release's sources may be there too, held back by pins that a guest would not have.
    return f"{target.get('codename', '')}-".startswith(f"{codename}-" if codename else "")


def _source(target: dict[str, str]) -> Source:
    uri, suite = target["repo-uri"], target["release"]
    options = tuple(sorted(_options(Path(target["sourcesentry"].rpartition(":")[0]), uri, suite)))
    return Source(uri, suite, target["codename"], target["component"], options)


def _options(file: Path, uri: str, suite: str) -> Iterator[tuple[str, str]]:
    text = file.read_text(encoding="utf-8")
    fields = (
        _deb822_options(text, uri, suite) if file.suffix == ".sources" else _line_options(text, uri, suite)
    )
    for name in _KEPT_OPTIONS:
        value = fields.get(name, "")
        if value and "PGP" not in value:  # a key inside the entry has no place on one line
            yield name, ",".join(value.split())


def _deb822_options(text: str, uri: str, suite: str) -> dict[str, str]:
    for fields in _stanzas(text):
        uris = [each.rstrip("/") for each in fields.get("uris", "").split()]
        if uri.rstrip("/") in uris and suite in fields.get("suites", "").split():
            return fields
    return {}


def _line_options(text: str, uri: str, suite: str) -> dict[str, str]:
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)", line)
        if match and match[2].rstrip("/") == uri.rstrip("/") and match[3] == suite:
            return dict(pair.partition("=")[::2] for pair in (match[1] or "").split())
    return {}


def _nothing(targets: Sequence[dict[str, str]], origin: str, codename: str) -> str:
    seen = sorted({f"{each.get('origin') or 'unknown origin'} {each.get('release', '')}" for each in targets})
    wanted = f"{origin} {codename}".strip()
    lists = ", ".join(seen) or "nothing"
    return f"cannot read this machine's package sources: expected {wanted}, APT has lists of {lists}"
