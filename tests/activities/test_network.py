"""What is left out where the benches' network cannot be had, and cards that no guest would have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.arms import Arms
from assay.activities.network import check_cards, fitting, servers_for
from assay.model.activity import GuestWish, Side
from assay.model.errors import AssayError, MissingError
from assay.model.machine import Limits, Machine
from assay.workloads import Sizes, library

SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
WORKLOADS = tuple(one for one in library(SIZES).values() if one.name in {"iperf3", "fio"})
ALONE = tuple(one for one in WORKLOADS if one.needs_network)


def arms(*settings: tuple[str, str]) -> Arms:
    host = Side("host", Machine("local"), Limits((1,)))
    return Arms(host, replace(host, label="guest", guest=GuestWish(1, 2**30, "none", "", settings)), SIZES)


def test_root_measures_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert fitting(WORKLOADS, arms()) == (WORKLOADS, ())


def test_a_plain_user_leaves_it_out_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    kept, (doubt,) = fitting(WORKLOADS, arms())
    assert [one.name for one in kept] == ["fio"]
    assert doubt.sentence == "iperf3 left out: only root can make the network that both arms would share."


def test_a_plain_user_who_wants_nothing_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(MissingError, match="by network workloads alone: only root"):
        fitting(ALONE, arms())


def test_only_the_servers_that_workloads_need_are_run() -> None:
    def ports(*names: str) -> list[int]:
        ready = library(SIZES)
        return [service.port for service in servers_for([ready[name] for name in names])]

    assert ports("iperf3", "fio") == []
    assert ports("tcp-rr", "udp-rr") == [12866]
    assert ports("netperf-tcp-rr", "tcp-crr") == [12865, 12866]


def test_a_card_that_no_guest_would_have_is_refused_before_anything_runs() -> None:
    with pytest.raises(AssayError, match=r"cannot use net\.model=e1000: no workload of this run needs"):
        check_cards([one for one in WORKLOADS if not one.needs_network], arms(("net.model", "e1000")))
    check_cards(WORKLOADS, arms(("net.model", "e1000")))
    check_cards([], arms(("disk.cache", "none")))
    with pytest.raises(AssayError, match=r"cannot use net\.backend=passt: it leads past the bench network"):
        check_cards(WORKLOADS, arms(("net.backend", "passt")))
