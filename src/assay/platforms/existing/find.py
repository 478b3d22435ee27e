"""A domain by its name, which runs and is none of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.errors import MissingError, UnknownNameError
from assay.model.platforms.existing import DomainSpec
from assay.platforms.errors import ClaimedError, asking_libvirt
from assay.platforms.guests.domains import find_domain, read_mark

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain


@asking_libvirt("look for a domain")
def existing_domain(connection: virConnect, wanted: DomainSpec) -> virDomain:
    """Return the running domain of a name.

    Args:
        connection: Its hypervisor.
        wanted: Its name, and the hypervisor's for messages.

    Raises:
        UnknownNameError: There is none of that name.
        MissingError: It does not run.
        ClaimedError: It is a guest of ours, which ends with its activity.
    """
    domain = find_domain(connection, wanted.name)
    if domain is None:
        known = [str(one.name()) for one in connection.listAllDomains()]
        kind = f"domain of {wanted.hypervisor}"
        raise UnknownNameError(kind, wanted.name, known, hint=f"virsh -r -c {wanted.hypervisor} list --all")
    if (mark := read_mark(domain)) is not None:
        msg = (
            f"cannot use domain {wanted.name} as it is: it is a guest of activity {mark.activity} "
            f"under {mark.home}"
        )
        raise ClaimedError(msg, hint="name a domain that somebody else made")
    if not domain.isActive():
        msg = f"cannot use domain {wanted.name}: it does not run on {wanted.hypervisor}"
        raise MissingError(msg, hint=f"virsh -c {wanted.hypervisor} start {wanted.name}")
    return domain
