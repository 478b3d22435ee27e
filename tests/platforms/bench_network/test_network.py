import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.model.errors import AssayError
from assay.model.files.native import PROBE
from assay.platforms.bench_network import network_owner as network_owners
from assay.platforms.bench_network.bench_links import BenchNetwork, bench_names, is_whole
from assay.platforms.bench_network.iproute import ip_batch, links, namespaces
from assay.platforms.bench_network.network import (
    NetworkOwner,
    bench_network,
    network_in_use,
    network_owner,
    network_token,
    network_tokens,
    rehearsal_links,
    remove_network,
)
from assay.platforms.bench_network.peer import parse_listening, server_command
from assay.platforms.errors import ClaimedError
from assay.platforms.process import ProcessMark, is_alive, stop_process
from assay.platforms.readback.cpu import threads_cpus
from assay.workloads import SERVERS
from tests.platforms.guest_parts import addresses, program

CPU = min(os.sched_getaffinity(0))
NAME = f"test-network-{os.getpid()}"
IPERF3 = SERVERS["iperf3"]
TCP = """  sl  local_address rem_address   st tx_queue rx_queue
   0: 0100007F:1451 00000000:0000 0A 00000000:00000000
   1: 0100007F:0016 00000000:0000 01 00000000:00000000
"""


def client(network: BenchNetwork) -> subprocess.CompletedProcess[str]:
    """Run the host's client for a second."""
    words = ["netns", "exec", network.client_namespace, "iperf3", "-c", network.server_address, "-t", "1"]
    return subprocess.run([program("ip"), *words], capture_output=True, text=True, check=False)


def test_names_are_short_and_carry_the_mark() -> None:
    network = bench_names(network_token("20261121-a-very-long-name-of-an-activity"))
    assert all(len(link) <= 15 and link.startswith("asy") for link in network.links)
    assert network_token("a") != network_token("b")


def test_a_listener_is_told_from_a_connection() -> None:
    assert parse_listening(TCP, 5201)
    assert not parse_listening(TCP, 22)
    assert not parse_listening("", 5201)


def test_netperfs_server_stays_in_the_foreground_of_its_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path: f"/usr/bin/{name}")
    command = server_command(SERVERS["netserver"], "asy-server", "198.18.0.2", cpus=(1, 2))
    assert command[:4] == ["/usr/bin/ip", "netns", "exec", "asy-server"]
    assert command[4:] == [
        "/usr/bin/taskset",
        "--cpu-list",
        "1,2",
        "/usr/bin/netserver",
        "-D",
        "-L",
        "198.18.0.2",
    ]
    monkeypatch.setattr(shutil, "which", lambda name, path: None)
    with pytest.raises(AssayError, match="netserver is not installed") as missing:
        server_command(SERVERS["netserver"], None, "127.0.0.1", cpus=())
    assert missing.value.hint == "apt install netperf"


def test_a_note_names_the_servers_that_were_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_owners, "STATE", tmp_path)
    noted = {"iperf3": ProcessMark(1, 2), "mine_loopback": ProcessMark(3, 4)}
    network_owners.write_owner("asy1", NetworkOwner("x", ProcessMark(5, 6), noted))
    owner = network_owner("asy1")
    assert owner is not None
    assert (owner.noted, owner.servers) == (noted, (ProcessMark(1, 2), ProcessMark(3, 4)))
    network_owners.server_log("asy1", "mine").touch()
    network_owners.forget_owner("asy1")
    assert [*tmp_path.iterdir()] == []


def test_the_probe_is_a_server_by_its_own_path() -> None:
    command = server_command(SERVERS["echo"], None, "127.0.0.1", cpus=())
    assert command == [str(PROBE.path()), "peer", "--bind", "127.0.0.1"]


def test_a_note_of_an_earlier_version_names_iperf3s_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_owners, "STATE", tmp_path)
    mark = {"pid": 1, "start_ticks": 2}
    note = {"name": "x", "owner": mark, "server": mark, "loopback": None}
    (tmp_path / "asy1.json").write_text(json.dumps(note))
    owner = network_owner("asy1")
    assert owner is not None
    assert owner.noted == {"iperf3": ProcessMark(1, 2)}


@pytest.mark.live
def test_a_client_reaches_the_server_and_the_root_namespace_gets_no_address() -> None:
    before = addresses()
    with bench_network(name=NAME, cpus=(CPU,), servers=(IPERF3,)) as network:
        done = client(network)
        assert done.returncode == 0, done.stdout + done.stderr
        assert addresses() == before
        server = network_owner(network_token(NAME)).noted["iperf3"]
        assert set(threads_cpus(server.pid).values()) == {(CPU,)}
    assert addresses() == before
    assert not is_alive(server)
    assert network_token(NAME) not in network_tokens()
    assert not links(network_token(NAME))
    assert not namespaces(network_token(NAME))


@pytest.mark.live
def test_a_second_server_listens_on_loopback_where_a_guest_is_on_a_user_network() -> None:
    with bench_network(name=NAME, cpus=(CPU,), loopback=True, servers=(IPERF3,)) as network:
        assert client(network).returncode == 0
        words = [program("iperf3"), "-c", "127.0.0.1", "-t", "1"]
        assert subprocess.run(words, capture_output=True, check=False).returncode == 0
        servers = network_owner(network_token(NAME)).servers
        assert len(servers) == 2
    assert not any(map(is_alive, servers))


@pytest.mark.live
def test_the_probes_server_answers_in_its_namespace_at_its_address_alone_and_on_loopback() -> None:
    def kernel(name: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [*words, str(PROBE.path()), "kernel", name, "--seconds", "0.2", "--server"]
        address = network.server_address if words else "127.0.0.1"
        return subprocess.run([*command, address], capture_output=True, text=True, check=False)

    with bench_network(name=NAME, cpus=(CPU,), loopback=True, servers=(IPERF3, SERVERS["echo"])) as network:
        owner = network_owner(network_token(NAME))
        assert set(threads_cpus(owner.noted["echo"].pid).values()) == {(CPU,)}
        for name in ("tcp-rr", "tcp-crr", "udp-rr"):
            inside = (program("ip"), "netns", "exec", network.client_namespace)
            for done in (kernel(name, *inside), kernel(name)):
                assert done.returncode == 0, done.stderr
                assert json.loads(done.stdout)["metrics"][0]["value"] > 0
        for mark, address in (
            (owner.noted["echo"], network.server_address),
            (owner.noted["echo_loopback"], "127.0.0.1"),
        ):
            assert bound(mark.pid) == {address}
        assert client(network).returncode == 0
    assert not any(map(is_alive, owner.servers))


def bound(pid: int) -> set[str]:
    """Return the addresses at which something in a process's network namespace has the probe's port, both
    protocols.
    """
    rows = [
        line.split()
        for table in ("tcp", "udp")
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
    ]
    ours = [
        row[1].split(":")[0]
        for row in rows
        if row[1].endswith(f":{SERVERS['echo'].port:04X}") and row[3] in "0A 07"
    ]
    assert len(ours) == 2  # one listens, one takes datagrams
    return {socket.inet_ntoa(int(address, 16).to_bytes(4, "little")) for address in ours}


@pytest.mark.live
def test_a_foreign_server_on_loopback_is_refused() -> None:
    with socket.create_server(("127.0.0.1", IPERF3.port)):
        with (
            pytest.raises(ClaimedError, match=f"another process listens on port {IPERF3.port}"),
            bench_network(name=NAME, cpus=(CPU,), loopback=True, servers=(IPERF3,)),
        ):
            pass
        with bench_network(name=NAME, cpus=(CPU,), servers=(IPERF3,)) as network:
            assert client(network).returncode == 0
    assert network_token(NAME) not in network_tokens()


@pytest.mark.live
def test_all_links_carry_what_is_wished() -> None:
    with bench_network(name=NAME, cpus=(CPU,), mtu=9000, servers=(IPERF3,)) as network:
        sizes = {Path(f"/sys/class/net/{link}/mtu").read_text().strip() for link in network.links}
        assert sizes == {"9000"}
        words = ["netns", "exec", network.server_namespace, "cat", "/sys/class/net/eth0/mtu"]
        inside = subprocess.run([program("ip"), *words], capture_output=True, text=True, check=True)
        assert inside.stdout.strip() == "9000"


@pytest.mark.live
def test_a_link_that_libvirt_made_on_the_bridge_is_a_guest() -> None:
    token = network_token(NAME)
    with rehearsal_links(name=NAME) as network:
        assert not network_in_use(token)
        for made in (f"link add asyother up master {network.bridge} type veth", "link delete asyother"):
            ip_batch([made])
            assert network_in_use(token) == made.startswith("link add")
        ip_batch([f"link add link {network.lower} name asyother type macvtap mode bridge"])
        assert network_in_use(token)
    assert not links(token)
    assert token not in network_tokens()


@pytest.mark.live
def test_a_server_that_dies_is_restarted() -> None:
    with bench_network(name=NAME, cpus=(CPU,), servers=(IPERF3,)) as network:
        first = network_owner(network_token(NAME)).noted["iperf3"]
        stop_process(first, grace_s=0)
        deadline = time.monotonic() + 10
        while client(network).returncode != 0 and time.monotonic() < deadline:
            time.sleep(0.1)
        second = network_owner(network_token(NAME)).noted["iperf3"]
        assert second != first
        assert is_alive(second)
    assert not is_alive(second)


@pytest.mark.live
def test_a_second_maker_of_the_same_network_is_refused() -> None:
    with (
        bench_network(name=NAME, cpus=(CPU,), servers=(IPERF3,)),
        pytest.raises(ClaimedError, match=f"process {os.getpid()} "),
        bench_network(name=NAME, cpus=(CPU,), servers=(IPERF3,)),
    ):
        pass


def fail_on_the_network() -> None:
    """Raise while the network stands."""
    with bench_network(name=NAME, cpus=(CPU,), servers=(IPERF3,)):
        raise AssayError("from inside")


@pytest.mark.live
def test_an_error_inside_leaves_nothing() -> None:
    with pytest.raises(AssayError, match="from inside"):
        fail_on_the_network()
    assert network_token(NAME) not in network_tokens()


KILLED = f"""
import os, signal
from assay.platforms.bench_network.network import bench_network
from assay.workloads import SERVERS
with bench_network(name="{NAME}", cpus=({CPU},), servers=(SERVERS["iperf3"],)):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.live
def test_the_network_of_a_killed_process_keeps_its_server_and_is_taken_over() -> None:
    token = network_token(NAME)
    subprocess.run([sys.executable, "-c", KILLED], check=False)
    try:
        left = network_owner(token)
        assert not left.live
        server = left.noted["iperf3"]
        assert is_alive(server)
        with bench_network(name=NAME, cpus=(CPU,), servers=(IPERF3,)) as network:
            assert network_owner(token).noted == {"iperf3": server}
            assert client(network).returncode == 0
        assert not is_alive(server)
    finally:
        remove_network(token)
    assert not is_whole(bench_names(token))
    assert token not in network_tokens()
