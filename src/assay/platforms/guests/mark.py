"""The mark of ours in a domain's ``<metadata>``: whose it is, and whether it still holds a record.

Source: https://libvirt.org/formatdomain.html#general-metadata (one element per foreign namespace).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

NAMESPACE = "urn:assay:guest"
KEY = "assay"


@dataclass(frozen=True)
class Mark:
    """What a domain of ours says of itself.

    Attributes:
        activity: The activity that it belongs to.
        home: Folder of assay's state, absolute.
        pending: It holds a record that was not yet collected: it must not be removed.
    """

    activity: str
    home: Path
    pending: bool = False


def mark_element(mark: Mark) -> ElementTree.Element:
    """Return the element that carries a mark in a domain's XML."""
    ElementTree.register_namespace(KEY, NAMESPACE)
    return ElementTree.Element(f"{{{NAMESPACE}}}guest", _facts(mark))


def mark_text(mark: Mark) -> str:
    """Return the text of a mark's element as libvirt wants to be given it: it adds the namespace itself."""
    return ElementTree.tostring(ElementTree.Element("guest", _facts(mark)), encoding="unicode")


def parse_mark(text: str) -> Mark | None:
    """Return the mark in an element's XML text; ``None`` where it is not one of ours."""
    element = ElementTree.fromstring(text)  # noqa: S314 (libvirt wrote it, from what we gave it)
    activity, home = element.get("activity"), element.get("home")
    if activity is None or home is None:
        return None
    return Mark(activity, Path(home), pending=element.get("pending") == "yes")


def _facts(mark: Mark) -> dict[str, str]:
    return {"activity": mark.activity, "home": str(mark.home), "pending": "yes" if mark.pending else "no"}
