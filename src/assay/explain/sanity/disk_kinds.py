"""Kinds of disks, and the most that one of each gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

MB = 1e6
SPINNING, SCSI, NVME = "spinning", "sata", "nvme"
MOST: Mapping[str, float] = MappingProxyType({SPINNING: 350 * MB, SCSI: 2400 * MB, NVME: 16_000 * MB})
"""The most that one disk of a kind gives, bytes a second: the fastest that turn read at some 300 MB/s on
their outer tracks (data sheets of 2024: 260 to 309 MB/s); SAS-4 carries 22.5 Gbit/s of data; four lanes of
PCIe 5.0 carry 15.75 GB/s.
"""


@dataclass(frozen=True)
class Disk:
    """The disk that carries a trial's folder, as its machine tells; ``None`` is "not told".

    Attributes:
        name: ``sda``.
        model: As the disk calls itself.
        rotational: It turns.
    """

    name: str
    model: str | None
    rotational: bool | None

    @property
    def kind(self) -> str | None:
        """Its kind among ``MOST``; ``None`` where nothing is known of such disks."""
        if self.name.startswith("nvme"):
            return NVME
        if not self.name.startswith("sd"):
            return None
        return SPINNING if self.rotational else SCSI
