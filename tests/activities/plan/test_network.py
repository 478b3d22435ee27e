"""What is left out where the benches' network cannot be had, and cards that no guest would have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.plan.arms import Arms
from assay.activities.plan.network import check_cards, check_guests, fitting, servers_for
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.doubt import Doubt
from assay.model.errors import AssayError, Exit, MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.layout import Layout
from assay.model.plugins import Catalogue, Plugins
from assay.model.work.server import Server
from assay.report.doubts import worded
from assay.workloads import SERVERS, Sizes, catalogue, command_workload, library

SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
WORKLOADS = tuple(one for one in library(SIZES).values() if one.name in {"iperf3", "fio"})
ALONE = tuple(one for one in WORKLOADS if one.needs_network)


def arms(*settings: tuple[str, str]) -> Arms:
    host = PlannedArm("host", Machine("local"), Limits((1,)))
    return Arms(host, replace(host, label="guest", guest=PlannedGuest(1, 2**30, "none", "", settings)), SIZES)


def test_root_measures_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert fitting(WORKLOADS, arms()) == (WORKLOADS, ())


def test_a_plain_user_leaves_it_out_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    kept, (doubt,) = fitting(WORKLOADS, arms())
    assert [one.name for one in kept] == ["fio"]
    assert (
        worded(doubt).sentence
        == "iperf3 left out: only root can make the network that both arms would share."
    )


def test_a_plain_user_who_wants_nothing_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(MissingError, match="by network workloads alone: only root"):
        fitting(ALONE, arms())


def test_only_the_servers_that_workloads_need_are_run() -> None:
    def names(*wanted: str) -> list[str]:
        ready = library(SIZES)
        return [server.name for server in servers_for([ready[name] for name in wanted])]

    assert names("fio") == names("iperf3", "fio") == ["iperf3"]
    assert names("tcp-rr", "udp-rr") == ["iperf3", "echo"]
    assert names("netperf-tcp-rr", "tcp-crr") == ["iperf3", "netserver", "echo"]


def test_the_server_of_a_plug_in_s_tool_is_run_for_its_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    def server(name: str, port: int) -> Server:
        return Server(name, name, ("--listen", "{address}"), port, {(f"{name}-client",): None})

    added = {"mine": server("mine", 5301), "other": server("other", 12865)}
    more = Catalogue("server", SERVERS.own, lambda: Plugins(added, ()))
    monkeypatch.setattr(catalogue, "SERVERS", more)
    mine, other = (command_workload(name, (f"{name}-client", "{server}")) for name in added)
    assert servers_for([mine]) == (SERVERS["iperf3"], added["mine"])
    with pytest.raises(AssayError, match="cannot serve other beside netserver on the bench network: both"):
        servers_for([library(SIZES)["netperf-tcp-rr"], other])


def test_a_card_that_no_guest_would_have_is_refused_before_anything_runs() -> None:
    with pytest.raises(AssayError, match=r"cannot use net\.model=e1000: no workload of this run needs"):
        check_cards([one for one in WORKLOADS if not one.needs_network], arms(("net.model", "e1000")))
    check_cards(WORKLOADS, arms(("net.model", "e1000")))
    check_cards([], arms(("disk.cache", "none")))
    with pytest.raises(AssayError, match=r"cannot use net\.backend=passt: it leads past the bench network"):
        check_cards(WORKLOADS, arms(("net.backend", "passt")))


def test_all_that_is_left_out_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    both = tuple(library(SIZES)[name] for name in ("iperf3", "fio", "tcp-rr"))
    one, far = arms(), Machine("far", Reach.SSH)
    kernel = replace(one.baseline, container=PlannedContainer(Runtime.UML))
    box = replace(one.baseline, container=PlannedContainer(Runtime.RUNC))
    for changed, why in (
        (
            replace(one, treatment=replace(one.treatment, machine=far)),
            "the path to another machine is not the path of the baseline",
        ),
        (
            Arms(replace(one.baseline, machine=far), replace(one.treatment, machine=far), SIZES),
            "the benches' network is on this machine only",
        ),
        (replace(one, treatment=kernel), "user-mode Linux has no network here"),
    ):
        kept, doubts = fitting(both, changed)
        assert [workload.name for workload in kept] == ["fio"]
        assert tuple(map(worded, doubts)) == (Doubt("network-left-out", f"iperf3, tcp-rr left out: {why}."),)
        with pytest.raises(AssayError) as refused:
            fitting(ALONE, changed)
        assert refused.value.message == f"cannot compare by network workloads alone: {why}"
        assert refused.value.exit_code == Exit.INPUT
    assert fitting(both, replace(one, treatment=box)) == (both, ())


def test_a_plain_user_is_told_that_root_would_have_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(MissingError) as refused:
        fitting(ALONE, arms())
    assert refused.value.message == (
        "cannot compare by network workloads alone: only root can make the network that both arms would share"
    )


def test_a_card_is_looked_for_on_every_guest_and_the_way_out_is_named() -> None:
    plain, quiet = arms(), [one for one in WORKLOADS if not one.needs_network]
    for level, hint in (
        (("net.model", "e1000"), "add iperf3 to the scene's workloads, or leave the factor out"),
        (("net.backend", "passt"), "net.backend=user leads past it, too, and has a server of its own"),
    ):
        guest = arms(level).treatment
        for changed in (
            replace(plain, treatment=guest),
            replace(plain, baseline=guest),
            replace(plain, more=(plain.treatment, guest)),
        ):
            with pytest.raises(AssayError) as refused:
                check_cards(quiet, changed)
            assert refused.value.hint == hint
    with pytest.raises(AssayError) as reported:
        check_cards(quiet, arms(("net.model", "e1000")))
    assert reported.value.message == (
        "cannot use net.model=e1000: no workload of this run needs the network, so its guest has no card"
    )
    with pytest.raises(AssayError) as past:
        check_cards(quiet, arms(("net.backend", "passt")))
    assert past.value.message == (
        "cannot use net.backend=passt: it leads past the bench network, a measured guest would "
        "reach no server"
    )


def test_more_guests_than_the_network_has_addresses_are_refused_where_they_need_it() -> None:
    made = arms()
    guest = made.treatment.place_as(PlannedGuest)
    crowd = replace(made, treatment=replace(made.treatment, guest=replace(guest, layout=Layout(241))))
    quiet = [one for one in WORKLOADS if not one.needs_network]
    check_guests(quiet, crowd)
    served = replace(crowd, treatment=replace(crowd.treatment, data=(("data.access", "nfs"),)))
    for workloads, arms_ in ((WORKLOADS, crowd), (quiet, served)):
        with pytest.raises(AssayError, match="241 guests, where it has addresses for 240"):
            check_guests(workloads, arms_)


def test_guests_that_read_their_data_from_a_server_have_a_card() -> None:
    made = arms(("net.model", "e1000"))
    for arm in ("baseline", "treatment"):
        served = replace(getattr(made, arm), data=(("data.access", "nfs"),))
        check_cards([], replace(made, **{arm: served}))
    local = replace(made.treatment, data=(("data.access", "9p"),))
    with pytest.raises(AssayError, match="so its guest has no card"):
        check_cards([], replace(made, treatment=local))
