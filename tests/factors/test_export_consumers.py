"""Exports for OpenStack, Proxmox VE and KubeVirt hold nothing that these refuse or ignore.

The values that they take are written down in ``consumers.yaml``, from their sources.
"""

from __future__ import annotations

import configparser
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS
from assay.factors.export.words_of import export

HOST = PlainHost()
CONSUMERS = YAML(typ="safe").load(Path(__file__).with_name("consumers.yaml").read_text())
GUESTS: list[dict[str, str]] = [
    {},
    *({"disk.bus": bus, "cpu.vcpus": "4"} for bus in FACTORS["disk.bus"].levels.choices),
    *({"cpu.mode": mode} for mode in FACTORS["cpu.mode"].levels.choices),
    {"cpu.mode": "custom", "cpu.model": "EPYC"},
    *({"net.model": model} for model in FACTORS["net.model"].levels.choices),
    *({"memory.hugepages": size} for size in FACTORS["memory.hugepages"].levels.choices),
]


@pytest.mark.parametrize("form", CONSUMERS)
@pytest.mark.parametrize("name", FACTORS)
def test_every_level_is_one_that_the_consumer_takes(name: str, form: str) -> None:
    for guest in GUESTS:
        for level in FACTORS[name].levels.choices:
            beside = {one: value for one, value in guest.items() if one != name}
            said = export({name: level}, form, HOST, beside)
            assert not faults(form, said.text), (level, beside, said.text)


@pytest.mark.parametrize("form", CONSUMERS)
def test_every_word_of_a_consumer_is_written_for_some_level(form: str) -> None:
    written = {
        word
        for name, factor in FACTORS.items()
        for guest in GUESTS
        for level in factor.levels.choices
        for word, _ in READ[form](export({name: level}, form, HOST, guest).text)
    }
    assert set(CONSUMERS[form]["words"]) == written


def test_what_a_consumer_would_refuse_is_found() -> None:
    assert faults("nova", "# nova.conf\n[libvirt]\ncpu_mode = maximum\n")
    assert faults("nova", "# nova.conf\n[libvirt]\ncpu_models = EPYC\n")
    assert faults("nova", "openstack flavor set FLAVOR --property hw:locked_memory=true\n")
    assert faults("proxmox", "qm set ID --scsi0 VOLUME,iothread=1\n")
    assert faults("proxmox", "qm set ID --sata0 VOLUME,iothread=1\n")
    assert faults("kubevirt", "domain:\n  devices:\n    disks:\n      - name: DISK\n        cache: unsafe\n")
    assert not faults("nova", "# nova.conf\n[libvirt]\ncpu_mode = custom\ncpu_models = EPYC\n")


def test_nova_has_a_mode_for_a_model_and_none_that_follows_the_emulator() -> None:
    said = export({"cpu.model": "EPYC"}, "nova", HOST)
    assert said.text.splitlines()[-2:] == ["cpu_mode = custom", "cpu_models = EPYC"]
    other = export({"cpu.mode": "maximum"}, "nova", HOST)
    assert (other.text, list(other.left_out)) == ("", ["cpu.mode"])


def test_locked_memory_of_nova_comes_with_a_size_of_pages() -> None:
    said = export({"memory.locked": "on"}, "nova", HOST).text
    assert "--property hw:locked_memory=true --property hw:mem_page_size=small" in said
    said = export({"memory.locked": "on"}, "nova", HOST, {"memory.hugepages": "1 GiB"}).text
    assert "--property hw:mem_page_size=1GB" in said


def test_a_disk_of_proxmox_stands_on_the_bus_that_the_guest_has() -> None:
    assert export({"disk.cache": "none"}, "proxmox", HOST).text == "qm set ID --virtio0 VOLUME,cache=none\n"
    said = export({"disk.iothread": "on"}, "proxmox", HOST, {"disk.bus": "scsi"}).text
    assert said == "qm set ID --scsihw virtio-scsi-single --scsi0 VOLUME,iothread=1\n"
    other = export({"disk.cache": "none"}, "proxmox", HOST, {"disk.bus": "nvme"})
    assert (other.text, list(other.left_out)) == ("", ["disk.cache"])


def test_a_dedicated_thread_of_kubevirt_is_of_a_virtio_disk() -> None:
    assert "bus: virtio" in export({"disk.iothread": "on"}, "kubevirt", HOST).text
    assert export({"disk.iothread": "on"}, "kubevirt", HOST, {"disk.bus": "scsi"}).left_out


def test_levels_that_the_guest_keeps_are_not_said() -> None:
    said = export({"net.queues": "4"}, "kubevirt", HOST, {"cpu.vcpus": "4"})
    assert said.text == "domain:\n  devices:\n    networkInterfaceMultiqueue: true\n"


def faults(form: str, text: str) -> list[str]:
    """Return what a consumer would refuse of an export, or ignore."""
    found, known = READ[form](text), CONSUMERS[form]
    words: dict[str, str] = dict(found)
    wrong = [f"{word}={value}" for word, value in found if not _taken(known["words"].get(word), value)]
    for word in words.keys() & known["beside"]:
        wanted = known["beside"][word]
        wrong += [
            f"{word} without {one}" for one, value in wanted.items() if not _fits(value, words.get(one))
        ]
    for pair, other in known["only_with"].items():
        word, _, value = pair.rpartition("=")
        wrong += [f"{pair} without {other}"] if words.get(word) == value and other not in words else []
    return wrong


def _taken(values: Any, value: str) -> bool:
    if isinstance(values, list):
        return value in map(str, values)
    return values is not None and _fits(values, value)


def _fits(form: str, value: str | None) -> bool:
    return value is not None and re.fullmatch(form, value) is not None


def _nova(text: str) -> list[tuple[str, str]]:
    commands, _, lines = text.partition("# nova.conf\n")
    found: list[tuple[str, str]] = []
    for command in commands.splitlines():
        words = shlex.split(command)
        assert words[0] == "openstack"
        for option, value in pairwise(words):
            if option == "--property":
                name, _, level = value.partition("=")
                found.append((f"{words[1]} {name}", level))
            elif option.startswith("--"):
                found.append((f"{words[1]} {option}", value))
    parser = configparser.ConfigParser(default_section="none", delimiters=("=",))
    parser.read_string(lines.replace("# nova.conf\n", ""))
    return found + [(f"[{name}] {key}", value) for name in parser for key, value in parser[name].items()]


def _proxmox(text: str) -> list[tuple[str, str]]:
    words = shlex.split(text)
    assert words[:3] in ([], ["qm", "set", "ID"])
    found: list[tuple[str, str]] = []
    for option, value in zip(words[3::2], words[4::2], strict=True):
        grouped = option in ("--cpu", "--net0") or option.endswith("0")
        head, *parts = value.split(",") if grouped else [value]
        head = head.removesuffix("=MAC")
        found.append((option, head))
        found += [(f"{option} {name}", one) for name, _, one in (part.partition("=") for part in parts)]
    return found


def _kubevirt(text: str) -> list[tuple[str, str]]:
    tree = YAML(typ="safe").load(text) if text else None
    return [] if tree is None else list(_leaves(tree["domain"], ""))


def _leaves(tree: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(tree, dict):
        for key, inner in tree.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(tree, list):
        for inner in tree:
            yield from _leaves(inner, path)
    else:
        yield path, str(tree).lower() if isinstance(tree, bool) else str(tree)


READ = {"nova": _nova, "proxmox": _proxmox, "kubevirt": _kubevirt}
