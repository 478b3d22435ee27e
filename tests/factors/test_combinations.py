"""What rules refuse is found by asking them."""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS, refused
from assay.factors.combinations import Refused, refused_together
from assay.factors.rules import RULES

HOST = PlainHost()


def test_a_rule_is_asked_with_the_factors_that_it_looks_at_without_naming_them() -> None:
    def fault(said: Settings, _host: Host) -> str | None:
        clash = said["cpu.vcpus"] == "8" and said.get("disk.cache") == "unsafe" and "net.mtu" in said
        return "all three" if clash else None

    found = refused_together(FACTORS, [Rule(("cpu.vcpus",), fault)], HOST)
    assert found == (Refused(("cpu.vcpus", "disk.cache", "net.mtu"), "all three"),)


def test_what_is_refused_alone_is_not_listed_with_others() -> None:
    def fault(said: Settings, _host: Host) -> str | None:
        return "never" if said["cpu.vcpus"] == "1" and said.get("disk.cache") != "x" else None

    (found,) = refused_together(FACTORS, [Rule(("cpu.vcpus",), fault)], HOST)
    assert found == Refused(("cpu.vcpus",), "never")


def test_an_example_is_refused_by_the_catalogue_too() -> None:
    assert any(
        "net.driver=vhost with net.backend=user" in one.reason
        for one in refused_together(FACTORS, RULES, HOST)
    )
    assert refused({"net.driver": "vhost", "net.backend": "user"}, HOST)
