"""9p and virtiofs in the catalogue: what they need, and what they do not go with."""

from __future__ import annotations

import pytest

from assay.factors.catalogue import read_level, refused
from tests.factors.parts import FakeHost

WITH_SERVER = FakeHost({"/usr/share/qemu/vhost-user/50-qemu-virtiofsd.json": "{}"})


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"data.access": "virtiofs"}, "virtiofs needs memory.source=memfd and memory.access=shared"),
        ({"data.access": "virtiofs", "memory.source": "memfd"}, "memory.access=shared"),
        ({"data.access": "virtiofs", "memory.source": "memfd", "memory.access": "private"},
        "memory.access=shared"),
        ({"data.access": "virtiofs", "memory.source": "file"}, "virtiofs needs memory.source=memfd"),
        ({"data.access": "9p", "data.virtiofs-cache": "none"},
        "data.virtiofs-cache is for data.access virtiofs"),
        ({"data.access": "local", "data.9p-msize": "8 KiB"}, "data.9p-msize is for data.access 9p"),
    ],
)  # fmt: skip
def test_what_would_be_refused_or_without_effect_is_told_before(
    settings: dict[str, str], reason: str
) -> None:
    assert [reason in one.reason for one in refused(settings, WITH_SERVER)] == [True]


@pytest.mark.parametrize(
    "settings",
    [
        {"data.access": "9p", "data.9p-msize": "512000 B"},
        {
            "data.access": "virtiofs",
            "memory.source": "memfd",
            "memory.access": "shared",
            "data.virtiofs-cache": "always",
        },
        {"data.access": "virtiofs", "memory.source": "file", "memory.access": "shared"},
    ],
)
def test_what_goes_together_is_not_refused(settings: dict[str, str]) -> None:
    assert refused(settings, WITH_SERVER) == ()


def test_a_host_without_virtiofsd_is_told_the_package() -> None:
    (refusal,) = refused(
        {"data.access": "virtiofs", "memory.access": "shared", "memory.source": "memfd"}, FakeHost()
    )
    assert "apt install virtiofsd" in refusal.reason


def test_a_host_of_enterprise_linux_is_told_its_own_command() -> None:
    (refusal,) = refused(
        {"data.access": "virtiofs", "memory.access": "shared", "memory.source": "memfd"},
        FakeHost(programs=("dnf",)),
    )
    assert "dnf install virtiofsd" in refusal.reason


def test_the_sizes_of_9p_are_the_three_that_were_compared() -> None:
    assert [read_level("data.9p-msize", text) for text in ("8 KiB", "128 KiB", "512000 B")] == [
        "8 KiB",
        "128 KiB",
        "512000 B",
    ]
