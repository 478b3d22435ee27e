"""Levels of a guest's network: what is written, what QEMU 7.2 and a kernel show of it, what is refused."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from assay.factors.catalogue import FACTORS, refused
from assay.factors.net.seen import parse_device
from tests.factors.parts import FakeEvidence, FakeHost, draft

LIVE = """<domain><devices><interface type="{kind}"><target dev="{link}"/><alias name="net0"/></interface>
</devices></domain>"""
USER = r"""management: index=0,type=user,net=10.0.2.0,restrict=on
virtio-net-pci.0: index=0,type=nic,model=virtio-net-pci,macaddr=52:54:00:a5:5a:01
net0: index=0,type=nic,model=e1000e,macaddr=52:54:00:a5:5a:02
 \ hostnet0: index=0,type=user,net=198.18.0.0,restrict=off
"""
TAP = r"""net0: index=0,type=nic,model=virtio-net-pci,macaddr=52:54:00:3b:c0:35
 \ hostnet0: index=0,type=tap,fd=29
net0: index=1,type=nic,
 \ hostnet0: index=1,type=tap,fd=31
"""
QTREE = """bus: main-system-bus
  dev: virtio-net-pci, id "management0"
    host_mtu = 1400 (0x578)
  dev: virtio-net-pci, id "net0"
    vectors = 6 (0x6)
    bus: virtio-bus
      type virtio-pci-bus
      dev: virtio-net-device, id ""
        mq = true
        netdev = "hostnet0"
        rx_queue_size = 512 (0x200)
        tx_queue_size = 256 (0x100)
        host_mtu = 9000 (0x2328)
  dev: ich9, id ""
    host_mtu = 7 (0x7)
"""
VCPU: dict[str, Any] = {}


def seen(network: str = TAP, *, vcpus: int = 2, kind: str = "bridge", **changes: Any) -> FakeEvidence:
    """Return a guest whose card leads to link ``vnet0``."""
    answers = {"info network": network, "info qtree": QTREE, "query-cpus-fast": [VCPU] * vcpus}
    changes.setdefault("open_files", ("/dev/net/tun",))
    live = ElementTree.fromstring(LIVE.format(kind=kind, link="vnet0"))
    return FakeEvidence(answers, live=live, **changes)


def link(**files: str) -> FakeHost:
    """Return a host with link ``vnet0``; double underscores stand for a slash."""
    return FakeHost({f"/sys/class/net/vnet0/{name.replace('__', '/')}": text for name, text in files.items()})


def found(name: str, wanted: str, evidence: FakeEvidence) -> str:
    return FACTORS[name].actual(evidence, wanted)


@pytest.mark.parametrize(
    ("host", "files", "kind"),
    [
        (link(ifindex="9", tun_flags="0x5002", brport__state="3"), ("/dev/net/tun",), "bridge"),
        (link(ifindex="9", tun_flags="0x5802", brport__state="3"), ("/dev/net/tun",), "ethernet"),
        (link(ifindex="9", tun_flags="0x5002"), ("/dev/net/tun",), "ethernet"),
        (link(ifindex="304"), ("/dev/tap304",), "direct"),
        (link(ifindex="9"), ("/dev/tap304",), "vnet0, which is no tap of this host"),
        (FakeHost(), (), "vnet0, which is no tap of this host"),
    ],
)
def test_who_made_a_link_tells_what_a_card_leads_to(
    host: FakeHost, files: tuple[str, ...], kind: str
) -> None:
    assert found("net.backend", "bridge", seen(host=host, open_files=files)) == kind


def test_a_user_network_is_seen_beside_the_management_interface() -> None:
    assert found("net.backend", "user", seen(USER, kind="user")) == "user"
    assert found("net.model", "e1000e", seen(USER, kind="user")) == "e1000e"


def test_libvirts_word_for_a_model_is_found() -> None:
    assert found("net.model", "virtio", seen()) == "virtio"


@pytest.mark.parametrize("name", ["net.backend", "net.model", "net.driver", "net.queues", "net.mtu"])
def test_a_guest_without_card_has_no_level(name: str) -> None:
    bare = FakeEvidence({"info network": USER, "info qtree": QTREE})
    assert found(name, "1500", bare) == "the guest has no network card to measure"


def test_queues_beyond_the_vcpus_are_not_in_effect() -> None:
    assert found("net.queues", "2", seen(vcpus=2)) == "2"
    assert found("net.queues", "2", seen(vcpus=1)) == "2, of which the guest's vCPUs use 1"


def test_vhost_is_seen_in_the_files_that_qemu_holds() -> None:
    assert found("net.driver", "vhost", seen(open_files=("/dev/net/tun", "/dev/vhost-net"))) == "vhost"
    assert found("net.driver", "vhost", seen()) == "qemu"


def test_rings_are_those_of_the_card_and_not_of_its_neighbours() -> None:
    assert found("net.rx_queue_size", "512", seen()) == "512"
    assert found("net.tx_queue_size", "512", seen()) == "256"
    assert "host_mtu" not in parse_device(QTREE, "net1")
    assert parse_device(QTREE, "net0")["mq"] == "true"


def test_an_mtu_is_in_force_only_on_the_whole_way() -> None:
    whole = link(mtu="9000", brport__bridge__mtu="9000")
    assert found("net.mtu", "9000", seen(host=whole)) == "9000"
    assert found("net.mtu", "9000", seen(host=link(mtu="9000"))) == "9000"
    assert found("net.mtu", "9000", seen(host=link(mtu="65521"))) == "9000"
    narrow = link(mtu="9000", brport__bridge__mtu="1500")
    said = found("net.mtu", "9000", seen(host=narrow))
    assert said == "9000 told to the guest, 9000 on the host's link, 1500 on its bridge"
    assert found("net.mtu", "1500", seen(host=whole)).startswith("9000 told to the guest")


@pytest.mark.parametrize(
    ("name", "level", "xml"),
    [
        ("net.model", "rtl8139", '<model type="rtl8139" />'),
        ("net.driver", "vhost", '<driver name="vhost" />'),
        ("net.queues", "4", '<driver queues="4" />'),
        ("net.rx_queue_size", "1024", '<driver rx_queue_size="1024" />'),
        ("net.tx_queue_size", "256", '<driver tx_queue_size="256" />'),
        ("net.mtu", "9000", '<mtu size="9000" />'),
        ("net.backend", "passt", '<backend type="passt" />'),
    ],
)
def test_a_level_is_written_as_libvirt_reads_it(name: str, level: str, xml: str) -> None:
    made = draft("<domain><devices><interface type='user'/></devices></domain>")
    FACTORS[name].edit(made, level)
    interface = made.domain.find("devices/interface")
    assert "".join(ElementTree.tostring(part, encoding="unicode") for part in interface) == xml


KVM = FakeHost({"/dev/net/tun": "", "/dev/vhost-net": ""}, accelerator="kvm", libvirt=(10, 0, 0))
TCG = FakeHost({"/dev/net/tun": ""})


@pytest.mark.parametrize(
    ("settings", "host", "reason"),
    [
        ({"net.backend": "user", "net.queues": "2"}, KVM, "only on taps"),
        ({"net.backend": "ethernet", "net.queues": "2"}, KVM, "needs net.backend=bridge or direct"),
        ({"net.queues": "2"}, KVM, "needs net.backend=bridge or direct"),
        ({"net.backend": "bridge", "net.queues": "4", "cpu.vcpus": "2"}, KVM, "uses no more queues"),
        ({"net.backend": "bridge", "net.queues": "2", "net.model": "e1000e"}, KVM, "net.queues with"),
        ({"net.backend": "user", "net.mtu": "9000"}, KVM, "libvirt sets it on bridges"),
        ({"net.backend": "direct", "net.mtu": "9000"}, KVM, "libvirt sets it on bridges"),
        ({"net.model": "e1000e", "net.mtu": "9000"}, KVM, "net.mtu with net.model=e1000e"),
        ({"net.model": "rtl8139", "net.rx_queue_size": "512"}, KVM, "of virtio cards"),
        ({"net.backend": "user", "net.driver": "vhost"}, KVM, "accepted without effect"),
        ({"net.model": "e1000e", "net.driver": "vhost"}, KVM, "vhost serves virtio"),
        ({"net.driver": "vhost"}, TCG, "under KVM alone"),
        ({"net.driver": "vhost"}, FakeHost(accelerator="kvm"), "modprobe vhost_net"),
        ({"net.tx_queue_size": "512"}, KVM, "QEMU keeps 256"),
        ({"net.backend": "passt"}, TCG, "libvirt 9.0.0 says"),
        ({"net.backend": "passt"}, KVM, "apt install passt"),
        ({"net.backend": "bridge"}, FakeHost({"/dev/net/tun": ""}, root=False), "only root"),
        ({"net.backend": "direct"}, FakeHost(), "no /dev/net/tun"),
    ],
)
def test_what_would_not_take_is_refused_with_its_reason(
    settings: dict[str, str], host: FakeHost, reason: str
) -> None:
    assert any(reason in refusal.reason for refusal in refused(settings, host))


@pytest.mark.parametrize(
    "settings",
    [
        {"net.backend": "bridge", "net.queues": "2", "cpu.vcpus": "2", "net.driver": "vhost"},
        {"net.backend": "user", "net.queues": "1", "net.model": "e1000e", "net.driver": "qemu"},
        {"net.mtu": "9000"},
        {"net.backend": "direct", "net.rx_queue_size": "1024", "net.tx_queue_size": "256"},
    ],
)
def test_what_goes_together_is_not_refused(settings: dict[str, str]) -> None:
    assert refused(settings, KVM) == ()
