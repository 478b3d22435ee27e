"""``docs/factors.md``: the catalogue of factors, written from the code (``tools/factor-docs``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Factor
from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS
from assay.factors.combinations import refused_together
from assay.factors.export.words_of import FORMATS, export
from assay.factors.rules import RULES

HEAD = """# Factors: every setting of a virtual platform

A factor is a setting with its levels, how it is applied, and how it is seen **from outside** to be in force after the
start: in what QEMU and the kernel say, never in what was written. A scene names levels of factors in its guests
([scenes](scenes.md)); `assay factors list` lists them with what can be used on this machine, and why the rest
cannot; `assay factors try` tells in seconds whether levels take on this hypervisor:

```sh
assay factors list
assay factors show disk.cache
assay factors try disk.cache=writeback net.model=e1000e
assay factors export disk.cache=none net.queues=4 --format virt-xml
assay factors export start.stagger='10 s' start.at_once=2 --format htcondor
```

`try` starts a small paused guest with an empty disk and no image, looks at each level, and removes the guest and
whatever it made for it. A level of a guest's factor goes with the guest and its disks; a level of `host` is taken back at
the end, after a crash by `assay machine restore`; `data` and `scratch` are unmounted, and their servers ended, at the end
of the activity; `start` is how the jobs of several guests start, and in a scene a word of their [`layout`](consolidation.md). A change of level costs: *live*, nothing; *restart*, the guest is started anew; *new image*,
its disk is made anew; *reboot*, a module is loaded anew or the host is booted, which is never done by us. *May risk*
says what a level can put at risk: data, migration, isolation, memory, others (other guests or the host). What others
saw is for orientation: an own interval replaces it.
"""  # noqa: E501
TABLE = (
    "| factor | levels | default | applied | seen in | a change costs | may risk | others saw | note |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)
TOGETHER = """## Refused together

Before anything runs, with the reason. The list is found by asking the rules with all levels worth trying, on a host by
KVM with two memory nodes; a line stands for all levels and hosts of its kind.
"""  # noqa: E501
SOURCE = """## Source

This page is written by `tools/factor-docs` from the catalogue in `src/assay/factors/`; `tools/factor-docs --record`
first asks the machine that it runs on what can be used there. Each factor's sources are in its file.
"""  # noqa: E501


@dataclass(frozen=True)
class Recording:
    """What one machine said of the catalogue.

    Attributes:
        machine: What it is, ``QEMU 7.2.22``, one clause each.
        factors: Names of the factors that it was asked about.
        refused: Reason by ``name`` or ``name=level``.
    """

    machine: tuple[str, ...]
    factors: tuple[str, ...]
    refused: Mapping[str, str]


def record(host: Host, *, kernel: str) -> Recording:
    """Ask a host what can be had of every factor and of each of its levels worth trying."""
    facts = (
        f"QEMU {'.'.join(map(str, host.qemu))}",
        f"libvirt {'.'.join(map(str, host.libvirt))}",
        f"guests by {host.accelerator}",
        f"kernel {kernel}",
        f"{len(host.nodes)} memory node{'s' if len(host.nodes) > 1 else ''}",
    )
    return Recording(facts, tuple(FACTORS), dict(_refusals(host)))


def parse_recording(values: Mapping[str, Any]) -> Recording:
    """Return a recording from the JSON of its fields."""
    return Recording(tuple(values["machine"]), tuple(values["factors"]), dict(values["refused"]))


def factor_document(here: Recording) -> str:
    """Return the page.

    Args:
        here: What a machine said, of all factors of the catalogue.
    """
    return "\n".join([HEAD, *_groups(), TOGETHER, *_together(), "", *_not_here(here), *_exports(), SOURCE])


def _refusals(host: Host) -> Iterator[tuple[str, str]]:
    for name, factor in FACTORS.items():
        if reason := factor.needs(host, None):
            yield name, reason
            continue
        for level in factor.levels.choices:
            if reason := factor.needs(host, level):
                yield f"{name}={level}", reason


def _groups() -> Iterator[str]:
    for group in dict.fromkeys(factor.group for factor in FACTORS.values()):
        rows = [_row(factor) for factor in FACTORS.values() if factor.group == group]
        yield "\n".join([f"## {group}", "", TABLE, *rows, ""])


def _row(factor: Factor) -> str:
    saw = "; ".join(f"{one.figure}: {one.workload} ({one.source})" for one in factor.effects)
    cells = (
        f"`{factor.name}`: {factor.title}",
        factor.levels.words,
        factor.default,
        factor.applied,
        factor.verified,
        str(factor.cost),
        ", ".join(map(str, factor.hazards)),
        saw,
        factor.note,
    )
    return _line(cells)


def _together() -> Iterator[str]:
    reasons = [one.reason for one in refused_together(FACTORS, RULES, PlainHost())]
    yield from (f"- {_plain(reason)}" for reason in dict.fromkeys(reasons))


def _not_here(here: Recording) -> Iterator[str]:
    yield f"## Not on one machine\n\nWhat a machine with {', '.join(here.machine)} said:\n"
    yield "| factor | why not |\n| --- | --- |"
    yield from (_line((f"`{name}`", reason)) for name, reason in here.refused.items())
    yield ""


def _exports() -> Iterator[str]:
    yield (
        "## Export\n\n`assay factors export` writes levels in the words of another tool, and "
        "lists those that it has no words for. Those for Nova, Proxmox and KubeVirt are held to the values "
        "that these take, by their sources; none of them was run.\n"
    )
    yield _line(("factor", *FORMATS)) + "\n" + _line(["---"] * (1 + len(FORMATS)))
    for name in FACTORS:
        yield _line((f"`{name}`", *("yes" if _can_say(name, form) else "" for form in FORMATS)))
    yield ""


def _can_say(name: str, form: str) -> bool:
    """Tell whether a tool can say any level of a factor, with the levels beside it that some words need."""
    for level in FACTORS[name].levels.choices:
        beside = {"disk.bus": "scsi"} | ({"cpu.vcpus": level} if name.endswith(".queues") else {})
        levels = {one: beside[one] for one in beside if one in FACTORS} | {name: level}
        if name not in export(levels, form, PlainHost()).left_out:
            return True
    return False


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(_plain, cells)) + " |"


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is; a name in backquotes at its start is left alone."""
    if text.startswith("`"):
        name, _, rest = text[1:].partition("`")
        return f"`{name}`{_plain(rest)}"
    return re.sub(r"([\\*_\[\]<>|])", r"\\\1", text)
