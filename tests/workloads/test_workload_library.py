"""The ready workloads: their commands, parameters and placeholders."""

import subprocess
import sys

import pytest

from assay.model.errors import AssayError, UnknownNameError
from assay.model.trial import Usage
from assay.model.units import BYTES
from assay.workloads import (
    WORKLOADS,
    Parameters,
    Sizes,
    command_workload,
    fill,
    library,
    measure,
    most_clients,
    server_of,
    with_parameters,
)

SIZES = Sizes(cache_bytes=32 * BYTES["MiB"], memory_bytes=2 * BYTES["GiB"], cpus=2)
USAGE = Usage(wall_s=2.5, user_s=1.25, system_s=0.5, rss_bytes=1, read_bytes=None, write_bytes=None)


def test_every_ready_workload_goes_by_its_name_and_has_a_parser_and_its_metrics() -> None:
    made = library(SIZES)
    assert tuple(made) == tuple(WORKLOADS) == tuple(WORKLOADS.own)
    for name, workload in made.items():
        assert workload.name == name == WORKLOADS[name].name
        assert WORKLOADS[name].title.endswith(".")
        measured = WORKLOADS[workload.parser]
        assert (measured.parse is None) != (measured.measure is None)
        assert workload.metrics
        assert workload.program is None or workload.program in workload.command
        assert (
            workload.package in {workload.program, "dash", "iozone3"} or name == "db12"
        )  # of no Debian package


def test_only_the_network_workloads_talk_to_a_peer() -> None:
    talking = {name for name, workload in library(SIZES).items() if "{server}" in workload.command}
    assert talking == {name for name, workload in library(SIZES).items() if workload.needs_network}
    assert talking == {
        "iperf3",
        "iperf3-reverse",
        "iperf3-udp",
        *(name for name in WORKLOADS if name.startswith("netperf")),
        "tcp-rr",
        "tcp-crr",
        "udp-rr",
    }


def test_what_talks_to_a_peer_has_a_server_and_no_more_copies_than_that_serves() -> None:
    for name, workload in library(SIZES).items():
        server = server_of(workload.command)
        assert (server is not None) == workload.needs_network
        assert WORKLOADS[name].most_copies == most_clients(workload.command)


@pytest.mark.parametrize(
    ("command", "name", "most"),
    [
        (("iperf3", "-c", "{server}", "-P", "4"), "iperf3", 1),
        (("/opt/bin/iperf3", "--client={server}"), "iperf3", 1),
        (("iperf3", "-c", "192.0.2.1"), None, None),
        (("netperf", "-H", "{server}"), "netserver", None),
        (("{probe}", "kernel", "tcp-rr", "--server", "{server}"), "echo", 64),
        (("{probe}", "kernel", "udp-rr", "--server", "{server}"), "echo", None),
        (("{probe}", "kernel", "tcp-rr"), None, None),
        (("{probe}",), None, None),
        (("mine", "{server}"), None, None),
    ],
)
def test_the_server_of_a_user_s_own_command_is_that_of_its_program(
    command: tuple[str, ...], name: str | None, most: int | None
) -> None:
    server = server_of(command)
    assert (server.name if server else None, most_clients(command)) == (name, most)


def test_threads_are_the_processors_of_an_arm() -> None:
    ready = library(SIZES)
    assert "--threads=2" in ready["sysbench-cpu"].command
    assert ready["flops"].command[-2:] == ready["stream"].command[-2:] == ("--threads", "2")


def test_a_given_runtime_reaches_the_command_and_the_expected_time() -> None:
    given = Parameters(runtime_s=7)
    assert "--time=7" in with_parameters("sysbench-cpu", given, sizes=SIZES).command
    assert "--runtime=7" in with_parameters("fio", given, sizes=SIZES).command
    assert with_parameters("iperf3", given, sizes=SIZES).command[3:5] == ("--time", "7")
    assert with_parameters("iperf3-reverse", given, sizes=SIZES).command[-1] == "--reverse"
    assert with_parameters("flops", given, sizes=SIZES).seconds == 7
    assert with_parameters("fio", given, sizes=SIZES).seconds > 21


def test_a_run_of_an_hour_is_not_cut_off_by_the_time_limit() -> None:
    for name in WORKLOADS:
        workload = with_parameters(name, Parameters(runtime_s=3600), sizes=SIZES)
        assert workload.time_limit_s >= workload.seconds + 300 or name == "stream"


def test_a_given_file_size_reaches_the_command_and_the_note() -> None:
    workload = with_parameters("fio", Parameters(size_bytes=512 * BYTES["MiB"]), sizes=SIZES)
    assert f"--size={512 * 1024**2}" in workload.command
    assert workload.note.startswith("file of 512 MiB, as the scene says")


def test_an_unknown_workload_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown workload 'flop'; nearest: 'flops'"):
        with_parameters("flop", Parameters(), sizes=SIZES)


def test_placeholders_are_filled_once_and_other_braces_stay() -> None:
    command = ("{probe}", "a={directory}/x", "{server}", "{print $1}", "{}", "{other}")
    filled = fill(command, probe="/p/{server}", directory="/d", server="10.0.0.1")
    assert filled == ("/p/{server}", "a=/d/x", "10.0.0.1", "{print $1}", "{}", "{other}")


def test_a_peer_that_is_not_there_is_an_error_only_where_it_is_asked_for() -> None:
    assert fill(("sh",), probe="/p", directory="/d", server=None) == ("sh",)
    with pytest.raises(AssayError, match="cannot fill the command 'iperf3'"):
        fill(("iperf3", "{server}"), probe="/p", directory="/d", server=None)


def test_a_command_of_the_users_own_is_measured_by_the_kernels_accounting() -> None:
    workload = command_workload("job", ["./job", "--events", "100"], inputs=["/home/a/job"], time_limit_s=60)
    assert (workload.program, workload.inputs, workload.time_limit_s) == ("./job", ("/home/a/job",), 60)
    found = measure(workload, outputs=[b"whatever it prints"], usage=USAGE)
    assert [(m.metric.name, m.metric.unit, m.value) for m in found] == [
        ("wall_time", "s", 2.5),
        ("cpu_time", "s", 1.75),
    ]
    assert tuple(m.metric for m in found) == workload.metrics


def test_a_command_that_names_the_peer_needs_the_network() -> None:
    assert command_workload("ping", ["ping", "{server}"]).needs_network
    assert not command_workload("job", ["job"]).needs_network


def test_a_ready_workload_is_measured_by_its_parser() -> None:
    with pytest.raises(AssayError, match="cannot read the output of sysbench"):
        measure(library(SIZES)["sysbench-cpu"], outputs=[b""], usage=USAGE)


def test_importing_the_room_imports_no_reader_and_nothing_that_it_may_never_use() -> None:
    code = "import sys, assay.workloads; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert (
        not {"statistics", "random", "hashlib", "difflib", "importlib.metadata", "assay.model.trial"} & loaded
    )
    assert {name for name in loaded if name.startswith("assay.workloads.outputs.")} == {
        f"assay.workloads.outputs.{name}" for name in ("remarks",)
    }


@pytest.mark.parametrize("room", ["assay.workloads", "assay.scenes"])
def test_importing_the_room_does_not_import_heavy_libraries(room: str) -> None:
    code = f"import sys, {room}; print([m for m in ('pydantic', 'ruamel.yaml', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_stand_in_for_iozones_strides_reads_as_much_as_the_file_holds() -> None:
    command = with_parameters("iozone-by-fio", Parameters(), sizes=SIZES).command
    stride = command.index("--name=stride_read")
    assert command[stride:] == ("--name=stride_read", "--stonewall", "--rw=read:1024k", "--loops=17")
