"""The state of a CVMFS client's cache, from what its own tools print.

Source: CernVM-FS, ``cvmfs_config``: what its ``probe`` and ``stat -v`` print.
Limits: no client was at hand where this was written: the parsers are held to a sample of that form, and
    nothing of
it has been run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ROOT = "/cvmfs"


@dataclass(frozen=True)
class CvmfsCache:
    """A repository's cache; ``None`` is "not told".

    Attributes:
        revision: Of the repository, as mounted.
        used_bytes: What the cache holds.
        size_bytes: Its limit.
        hit_ratio: Share of opened files that it had, 1.0 = all.
        proxy: Proxy in use, a URL or ``DIRECT``.
        online: The client reaches its servers.
    """

    revision: int | None = None
    used_bytes: int | None = None
    size_bytes: int | None = None
    hit_ratio: float | None = None
    proxy: str | None = None
    online: bool | None = None

    @property
    def words(self) -> str:
        """It in one clause."""
        return ", ".join(self._words()) or "its cache is not told"

    def _words(self) -> Iterator[str]:
        if self.used_bytes is not None and self.size_bytes is not None:
            yield f"cache {self.used_bytes / 1e6:,.0f} of {self.size_bytes / 1e6:,.0f} MB"
        if self.hit_ratio is not None:
            yield f"hit rate {self.hit_ratio:.1%}"
        if self.proxy is not None:
            yield f"proxy {self.proxy}"


def repository(path: str) -> str | None:
    """Return the repository that a path lies in: ``/cvmfs/alice.cern.ch/x`` in ``alice.cern.ch``."""
    match = re.match(rf"{ROOT}/([A-Za-z0-9.-]+)(/|$)", path)
    return match and match[1]


def parse_probe(text: str) -> bool:
    """Tell whether every repository that ``cvmfs_config probe`` asked is ``OK``."""
    states = [line.rsplit("... ", 1)[-1].strip() for line in text.splitlines() if line.startswith("Probing")]
    return bool(states) and all(word == "OK" for word in states)


def parse_stat(text: str) -> CvmfsCache:
    """Return the cache's state in what ``cvmfs_config stat -v REPOSITORY`` prints."""
    usage = re.search(r"^Cache Usage: (\d+)k / (\d+)k", text, re.MULTILINE)
    hits = re.search(r"^Usage: .*\(hitrate ([0-9.]+)%\)", text, re.MULTILINE)
    revision = re.search(r"^File Catalog Revision: (\d+)", text, re.MULTILINE)
    proxy = re.search(r"through proxy (\S+) \((online|offline)\)", text)
    return CvmfsCache(
        revision=int(revision[1]) if revision else None,
        used_bytes=int(usage[1]) * 1024 if usage else None,
        size_bytes=int(usage[2]) * 1024 if usage else None,
        hit_ratio=float(hits[1]) / 100 if hits else None,
        proxy=proxy[1] if proxy else None,
        online=proxy[2] == "online" if proxy else None,
    )
