"""Is the machine that we reach the domain that is named? What it says of itself against what libvirt says.

Source: Linux ``Documentation/ABI/testing/sysfs-firmware-dmi-entries``, ``/sys/class/dmi/id/product_uuid``
    (for root
alone), which QEMU fills with the domain's UUID; ``/sys/class/net/*/address``. SMBIOS before 2.6 had the first
three parts of the UUID in the other order of bytes.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.errors import AssayError


class NotThatDomainError(AssayError):
    """The machine that is reached is another one than the domain, or cannot be told to be it."""


@dataclass(frozen=True)
class Inside:
    """What a machine says of itself.

    Attributes:
        uuid: Its firmware's; ``None`` where that is hidden from us.
        macs: Hardware addresses of its interfaces, lower case.
    """

    uuid: str | None
    macs: tuple[str, ...]


def check_identity(
    inside: Inside, *, machine: str, domain: str, domain_uuid: str, macs: Sequence[str]
) -> str:
    """Make sure that a machine is a domain, and return how that is known.

    Args:
        inside: What the machine says of itself.
        machine: Its name.
        domain: Name of the domain.
        domain_uuid: The domain's UUID.
        macs: Hardware addresses of the domain's interfaces, lower case.

    Raises:
        NotThatDomainError: It is another one, or cannot be told.
    """
    if inside.uuid is not None:
        if _same(inside.uuid, domain_uuid):
            return "its UUID"
        raise _other(
            machine, domain, f"its UUID is {inside.uuid.lower()}, the domain's {domain_uuid.lower()}"
        )
    if shared := sorted(set(inside.macs) & set(macs)):
        return f"its hardware address {shared[0]}"
    reported = ", ".join(inside.macs) or "none"
    raise _other(
        machine, domain, f"its hardware addresses are {reported}, the domain's {', '.join(macs) or 'none'}"
    )


def _same(one: str, other: str) -> bool:
    try:
        first, second = uuid.UUID(one), uuid.UUID(other)
    except ValueError:
        return False
    return second.bytes in {first.bytes, first.bytes_le}


def _other(machine: str, domain: str, why: str) -> NotThatDomainError:
    msg = f"machine {machine} is not domain {domain}: {why}"
    return NotThatDomainError(
        msg, hint="the machine's firmware tells its UUID to root alone: reach it as root"
    )
