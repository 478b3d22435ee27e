"""What a scene says of a domain that is there already: its name, and where its hypervisor is.

Source: https://libvirt.org/uri.html. Limits: an address with parameters (``?command=…``) is refused: they
    name
programs that libvirt would run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.model.platforms.existing import HERE, DomainSpec
from assay.scenes.text.errors import Problem
from assay.scenes.values.expected import ExpectedError, text

if TYPE_CHECKING:
    from assay.scenes.text.tree import Tree

DOMAIN = r"^[^/\x00-\x20\x7f][^/\x00-\x1f\x7f]{0,254}$"
HYPERVISOR = (
    r"^qemu(:///|\+ssh://([A-Za-z0-9_][A-Za-z0-9_.+-]*@)?([A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])"
    r"(:[1-9][0-9]{0,4})?/)(system|session)$"
)


def domain(value: object) -> str:
    """Return the name of a domain."""
    expected = "the name of a libvirt domain"
    if re.fullmatch(DOMAIN, words := text(value, expected)) is None:
        raise ExpectedError(expected)
    return words


def hypervisor(value: object) -> str:
    """Return libvirt's address of a hypervisor."""
    expected = f"'{HERE}', 'qemu:///session' or 'qemu+ssh://USER@HOST/system'"
    if re.fullmatch(HYPERVISOR, words := text(value, expected)) is None or not _is_address(words):
        raise ExpectedError(expected)
    return words


def _is_address(uri: str) -> bool:
    """Tell whether what no pattern shows is right too: the port's number, an address in brackets."""
    try:
        return urlsplit(uri).port != 0
    except ValueError:
        return False


def to_domain(name: str | None, where: str | None) -> DomainSpec | None:
    """Return what is said of a domain; ``None`` where nothing is."""
    return None if name is None else DomainSpec(name, where or HERE)


def domain_problems(tree: Tree) -> Iterator[Problem]:
    """Yield what no single word of a treatment shows: a hypervisor of nothing, a domain that is
    this machine.
    """
    treatment = tree.value.get("treatment", {}) if isinstance(tree.value, dict) else {}
    if "hypervisor" in treatment and "domain" not in treatment:
        sentence = "expected 'domain' beside 'hypervisor': the name of the machine's domain there"
        yield tree.problem(("treatment", "hypervisor"), sentence, key=True)
    if "domain" in treatment and treatment.get("machine") == "local":
        sentence = "expected the name of another machine beside 'domain', got 'local', which is this machine"
        yield tree.problem(("treatment", "machine"), sentence)
