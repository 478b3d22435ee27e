"""Domains of ours by their mark."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.platforms.errors import PlatformError
from assay.platforms.guests.mark import KEY, NAMESPACE, Mark, mark_text, parse_mark

if TYPE_CHECKING:
    from libvirt import libvirtError, virConnect, virDomain


def find_domain(connection: virConnect, name: str) -> virDomain | None:
    """Return the domain of a name, running or not; ``None`` where there is none."""
    import libvirt

    try:
        return connection.lookupByName(name)
    except libvirt.libvirtError as error:
        if _is_gone(error):
            return None
        raise


def marked_domains(connection: virConnect) -> list[tuple[virDomain, Mark]]:
    """Return all domains that carry a mark of ours, running or not, sorted by name."""
    domains = [(domain, read_mark(domain)) for domain in connection.listAllDomains()]
    marked = [(domain, mark) for domain, mark in domains if mark is not None]
    return sorted(marked, key=lambda pair: str(pair[0].name()))


def read_mark(domain: virDomain) -> Mark | None:
    """Return a domain's mark; ``None`` where it has none or the domain is gone meanwhile."""
    import libvirt

    try:
        return parse_mark(domain.metadata(libvirt.VIR_DOMAIN_METADATA_ELEMENT, NAMESPACE))
    except libvirt.libvirtError as error:
        if _is_gone(error) or error.get_error_code() == libvirt.VIR_ERR_NO_DOMAIN_METADATA:
            return None
        raise


def runs(domain: virDomain) -> bool:
    """Tell whether a domain runs; one that is gone meanwhile does not."""
    import libvirt

    try:
        return bool(domain.isActive())
    except libvirt.libvirtError as error:
        if _is_gone(error):
            return False
        raise


def write_mark(domain: virDomain, *, pending: bool) -> None:
    """Change whether a domain of ours holds a record, in the running one and in its definition."""
    import libvirt

    mark = read_mark(domain)
    if mark is None:
        msg = f"BUG: domain {domain.name()} has no mark"
        raise RuntimeError(msg)
    text = mark_text(replace(mark, pending=pending))
    flags = libvirt.VIR_DOMAIN_AFFECT_CURRENT
    if domain.isPersistent() and domain.isActive():
        flags = libvirt.VIR_DOMAIN_AFFECT_LIVE | libvirt.VIR_DOMAIN_AFFECT_CONFIG
    domain.setMetadata(libvirt.VIR_DOMAIN_METADATA_ELEMENT, text, KEY, NAMESPACE, flags)


def define_domain(connection: virConnect, name: str, text: str) -> virDomain:
    """Define a domain by its XML, without starting it.

    Raises:
        PlatformError: libvirt refuses it.
    """
    import libvirt

    try:
        return connection.defineXML(text)
    except libvirt.libvirtError as error:
        msg = f"cannot define guest {name}: libvirt said {error}"
        raise PlatformError(msg, hint=f"tail /var/log/libvirt/qemu/{name}.log") from error


def start_domain(domain: virDomain, *, paused: bool = False) -> None:
    """Start a defined domain, its processors halted until it is resumed where ``paused``.

    Raises:
        PlatformError: libvirt or QEMU refuses it.
    """
    import libvirt

    try:
        domain.createWithFlags(libvirt.VIR_DOMAIN_START_PAUSED if paused else 0)
    except libvirt.libvirtError as error:
        msg = f"cannot start guest {domain.name()}: libvirt said {error}"
        hint = "QEMU's user must be able to enter the folders of the image and of the guest"
        raise PlatformError(msg, hint=hint) from error


def remove_domain(domain: virDomain) -> None:
    """Stop a domain at once and forget it; one that is stopped or gone is no error."""
    import libvirt

    for act in (domain.destroy, domain.undefine):
        try:
            act()
        except libvirt.libvirtError as error:
            # a transient domain is gone with its destruction, a stopped one cannot be stopped
            if not (_is_gone(error) or error.get_error_code() == libvirt.VIR_ERR_OPERATION_INVALID):
                raise


def _is_gone(error: libvirtError) -> bool:
    import libvirt

    return bool(error.get_error_code() == libvirt.VIR_ERR_NO_DOMAIN)
