"""What passed the interfaces of a machine, by the counters of its kernel."""

from __future__ import annotations

from pathlib import Path

from assay.activities.joint.links import links_since, parse_links
from assay.model.trial import LinkBytes

SEEN = """\
Inter-|   Receive                            |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls
    lo: 45114127   23761    0    0    0     0          0         0 45114127   23761    0    0    0     0
  eth0: 1200 12    0    0    0     0          0         0    3400     34    0    0    0     0       0   0
ib0.8001:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0
"""


def test_each_interface_but_loopback_is_told() -> None:
    assert parse_links(SEEN) == (LinkBytes("eth0", 1200, 3400), LinkBytes("ib0.8001", 5, 6))


def test_the_kernel_of_this_machine_is_read() -> None:
    seen = parse_links(Path("/proc/net/dev").read_text())
    assert "lo" not in {one.interface for one in seen}


def test_only_what_passed_meanwhile_counts() -> None:
    before = (LinkBytes("eth0", 1000, 3000), LinkBytes("eth1", 9, 9), LinkBytes("gone", 1, 1))
    after = (LinkBytes("eth0", 1200, 3400), LinkBytes("eth1", 3, 10), LinkBytes("new", 7, 7))
    assert links_since(before, after) == (LinkBytes("eth0", 200, 400),)
