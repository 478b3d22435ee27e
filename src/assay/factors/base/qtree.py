"""Devices of a machine as QEMU's human monitor prints them: ``info qtree`` -> devices with what they hang on.

Source: QEMU ``softmmu/qdev-monitor.c`` (``qdev_print``, ``qbus_print``).
Limits: text for people; a property that QEMU prints over several lines keeps its first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_DEVICE = re.compile(r'dev: ([^,]+), id "(.*)"')
_PROPERTY = re.compile(r"([\w.-]+) = (.*)")
_IN_WORDS = re.compile(r" \(.*\)$")
"""What follows a number: the same in hexadecimal, or with a unit."""


@dataclass(frozen=True)
class Device:
    """One device.

    Attributes:
        kind: ``virtio-blk-device``.
        id: libvirt's name of it; empty for what QEMU itself made.
        above: The device whose bus it is on; ``None`` at the top.
        properties: By name; text without quotes, numbers in decimal digits.
    """

    kind: str
    id: str
    above: Device | None
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def up(self) -> Iterator[Device]:
        """It and all devices above it, from below."""
        yield self
        if self.above is not None:
            yield from self.above.up


def parse_qtree(text: str) -> tuple[Device, ...]:
    """Return all devices of an ``info qtree``, in its order."""
    devices: list[Device] = []
    open_: list[tuple[int, Device]] = []
    for line in text.splitlines():
        word = line.strip()
        depth = len(line) - len(line.lstrip())
        if head := _DEVICE.fullmatch(word):
            open_ = [(at, device) for at, device in open_ if at < depth]
            devices.append(Device(head[1], head[2], open_[-1][1] if open_ else None))
            open_.append((depth, devices[-1]))
        elif (match := _PROPERTY.fullmatch(word)) and open_:
            _put(open_[-1][1].properties, match[1], match[2])
    return tuple(devices)


def _put(properties: dict[str, str], name: str, value: str) -> None:
    properties[name] = value[1:-1] if value.startswith('"') else _IN_WORDS.sub("", value)


def first(devices: tuple[Device, ...], **wanted: str) -> Device | None:
    """Return the first device with properties of these values; ``None`` where there is none."""
    return next((device for device in devices if _has(device.properties, wanted)), None)


def _has(properties: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(properties.get(name) == value for name, value in wanted.items())
