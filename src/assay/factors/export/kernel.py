"""Levels as words of a kernel's command line: the guest's and the host's."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.catalogue import FACTORS
from assay.factors.export.tuned import boot_word
from assay.factors.export.words import Exported

GUEST, HOST = "# in the guest", "# on the host"


def to_kernel(settings: Settings, on: Host) -> Exported:
    """Return the words that a boot loader adds, for each kernel a line."""
    words: dict[str, list[str]] = {GUEST: [], HOST: []}
    left = {}
    for name, level in settings.items():
        of_guest, of_host = _of_guest(name, level, on), boot_word(name, level)
        if of_guest:
            words[GUEST] += of_guest
        elif of_host is not None:
            words[HOST].append(of_host)
        else:
            left[name] = "it is on no kernel's command line"
    lines = [line for head, those in words.items() if those for line in (head, " ".join(those))]
    return Exported("".join(f"{line}\n" for line in lines), left)


def _of_guest(name: str, level: str, on: Host) -> list[str]:
    """Return the words that a level adds to a guest's kernel."""
    edit = FACTORS[name].edit
    if edit is None or FACTORS[name].group != "guest":
        return []
    draft = Draft(Element("domain"), on.accelerator, 1, 1 << 30, on.cpus)
    edit(draft, level)
    return draft.kernel_words
