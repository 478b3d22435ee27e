"""Levels of a guest's own kernel, by what its kernel says of itself."""

from __future__ import annotations

import pytest

from assay.factors.catalogue import FACTORS, of_outside, verify_inside
from assay.factors.guest.seen import INSIDE, Facts

LINE, MELTDOWN, SPECTRE = (
    ("kernel", "command_line"),
    ("kernel", "vulnerabilities.meltdown"),
    ("kernel", "vulnerabilities.spectre_v2"),
)
CLOCK, THP, BALANCING = (("general", "clock_source"), ("general", "thp"), ("memory", "numa_balancing"))
PTI, RETPOLINES = "Mitigation: PTI", "Mitigation: Retpolines; STIBP: disabled"
OPEN = "Vulnerable; IBPB: disabled; STIBP: disabled"


@pytest.mark.parametrize(
    ("setting", "facts", "found"),
    [
        ("mitigations=off", {LINE: "quiet mitigations=off", MELTDOWN: "Vulnerable", SPECTRE: OPEN}, "off"),
        ("mitigations=off", {LINE: "mitigations=off", MELTDOWN: "Not affected"}, "off"),
        (
            "mitigations=off",
            {LINE: "mitigations=off", MELTDOWN: PTI, SPECTRE: OPEN},
            "off, but meltdown says Mitigation: PTI",
        ),
        ("mitigations=auto", {LINE: "mitigations=auto", MELTDOWN: PTI, SPECTRE: RETPOLINES}, "auto"),
        ("mitigations=auto", {LINE: "mitigations=auto", SPECTRE: "Vulnerable: eIBRS with BPF"}, "auto"),
        (
            "mitigations=auto",
            {LINE: "mitigations=auto", MELTDOWN: "Vulnerable", SPECTRE: RETPOLINES},
            "auto, but meltdown says Vulnerable",
        ),
        ("mitigations=auto,nosmt", {LINE: "mitigations=auto,nosmt"}, "auto,nosmt"),
        ("mitigations=off", {LINE: "quiet"}, "not given"),
        ("clocksource=hpet", {CLOCK: "hpet"}, "hpet"),
        ("clocksource=hpet", {CLOCK: "tsc", LINE: "clocksource=hpet"}, "tsc"),
        ("transparent_hugepage=never", {THP: "never"}, "never"),
        ("transparent_hugepage=never", {THP: "always", LINE: "transparent_hugepage=never"}, "always"),
        ("transparent_hugepage=never", {THP: None}, "not told by the guest's kernel"),
        ("idle=poll", {LINE: "idle=halt idle=poll"}, "poll"),
        ("numa_balancing=enable", {BALANCING: 1}, "enable"),
        ("numa_balancing=disable", {BALANCING: 0}, "disable"),
        ("numa_balancing=enable", {BALANCING: None}, "not told by the guest's kernel"),
    ],
)
def test_what_is_in_force_inside_is_what_the_guest_s_kernel_says(
    setting: str, facts: Facts, found: str
) -> None:
    name, _, level = f"guest.{setting}".partition("=")
    (seen,) = verify_inside({"disk.cache": "none", name: level}, facts)
    assert (seen.actual, seen.ok) == (found, found == level)
    assert "in the guest" in seen.how


def test_every_factor_of_a_guest_s_kernel_is_looked_at_inside_and_nowhere_else() -> None:
    assert [name for name in FACTORS if name.startswith("guest.")] == list(INSIDE)
    assert of_outside({"guest.idle": "poll", "disk.cache": "none"}) == {"disk.cache": "none"}
