"""Wrong factors, treatments and designs of a scene."""

import pytest

from tests.scenes.wrong import GOOD, MACHINE, refuse, refuse_changed


@pytest.mark.parametrize(
    ("factors", "column", "message"),
    [
        ("memory.size: 4", 53, "expected a size with its unit from 256 MiB to 64 TiB, like '4 GiB', got 4"),
        ("memory.size: 4 GHz", 53, "got '4 GHz'"),
        ("memory.size: 4 gib", 53, "got '4 gib'"),
        ("memory.size: 1 MiB", 53, "got '1 MiB'"),
        ("memory.size: -4 GiB", 53, "got '-4 GiB'"),
        ("memory.size: ", 40, "got nothing"),
        ("cpu.vcpus: 0", 51, "expected 'auto' or a whole number from 1 to 1024, got 0"),
        ("cpu.vcpus: 1.5", 51, "got 1.5"),
        ("cpu.vcpus: '2'", 51, "got '2'"),
        ("cpu.vcpus: yes", 51, "got yes"),
        (
            "disk.cache: fast",
            52,
            "expected one of none, writeback, writethrough, directsync, unsafe, got 'fast'",
        ),
        ("disk.cache: writebak", 52, "got 'writebak'; nearest: 'writeback'"),
        ("disk.cach: none", 40, "got the unknown key 'disk.cach'; nearest: 'disk.cache'"),
        ("cpu: {vcpus: 2}", 40, "got the unknown key 'cpu'; nearest: 'cpu."),
        (
            "memory.limit: 1 GiB",
            40,
            "memory.size, disk.cache, or what 'assay factors list' lists), got 'memory.limit'",
        ),
        ("host.thp: sometimes", 50, "expected one of always, madvise, never, got 'sometimes'"),
        ("host.thp: [always, always]", 50, "or a list of different ones, got a list"),
        ("host.thp: []", 50, "or a list of different ones, got an empty list"),
        ("host.thp: [always, often]", 50, "expected one of always, madvise, never, got a list"),
    ],
)
def test_an_impossible_factor_of_a_guest_is_refused(factors: str, column: int, message: str) -> None:
    error = refuse_changed("{platform: guest}", f"{{platform: guest, factors: {{{factors}}}}}")
    assert message in error.message
    assert (error.line, error.column) == (4, column)


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ("cpu.quota: 150 %", "expected a share above 0 % and at most 100 %, like '95 %', got '150 %'"),
        ("cpu.quota: 0 %", "got '0 %'"),
        ("cpu.quota: 0.5", "got 0.5"),
        ("cpu.quota: half", "got 'half'"),
        (
            "memory.limit: 1 MiB",
            "expected a size with its unit from 4 MiB to 64 TiB, like '4 GiB', got '1 MiB'",
        ),
        (
            "disk.read-limit: 20 MB",
            "expected a rate with its unit from 1 kB/s to 1 TB/s, like '20 MB/s', got '20 MB'",
        ),
        ("disk.write-limit: 1 B/s", "got '1 B/s'"),
        ("page-cache: as-is", "expected one of cold, warm, read-ahead, got 'as-is'"),
        ("pause: 95 %", "expected a share above 0 % and at most 90 %"),
        (
            "disk.cache: none",
            (
                f"expected a factor of this treatment ({MACHINE}, or what 'assay factors list' "
                "lists), got 'disk.cache'"
            ),
        ),
    ],
)
def test_an_impossible_factor_of_a_machine_is_refused(factors: str, message: str) -> None:
    error = refuse_changed("{platform: guest}", f"{{machine: local, factors: {{{factors}}}}}")
    assert message in error.message


def test_a_factor_of_another_treatment_says_where_it_belongs() -> None:
    error = refuse_changed("{platform: guest}", "{machine: local, factors: {disk.cache: none}}")
    assert error.hint == "'disk.cache' belongs to a treatment with 'platform: guest'"


def test_a_list_for_the_factors_of_another_machine_is_refused() -> None:
    error = refuse_changed("{platform: guest}", "{machine: node01, factors: {cpu.quota: [10 %, 20 %]}}")
    assert "expected one level of node01, got a list" in error.message


@pytest.mark.parametrize(
    "factor", ["cpu.vcpus: [1, auto]", "memory.size: [2 GiB, 2048 MiB]", "cpu.vcpus: []"]
)
def test_a_list_of_sizes_names_different_ones(factor: str) -> None:
    error = refuse_changed("{platform: guest}", f"{{platform: guest, factors: {{{factor}}}}}")
    assert "expected one level, or a list of different ones that are written out" in error.message


@pytest.mark.parametrize(
    ("treatment", "got"),
    [
        ("3", "3"),
        ("{}", "an empty mapping"),
        ("{platform: runc, machine: local}", "a mapping of platform, machine"),
        ("", "nothing"),
    ],
)
def test_a_treatment_is_a_platform_or_a_machine(treatment: str, got: str) -> None:
    error = refuse_changed("{platform: guest}", treatment)
    assert "expected either {platform: guest, factors: …} or {machine: NAME, factors: …}" in error.message
    assert error.message.endswith(f"got {got}")
    assert error.line == 4


def test_another_machine_is_the_baseline_of_its_own_guests_only() -> None:
    source = GOOD.replace("local", "node7")
    error = refuse(source.replace("{platform: guest}", "{machine: local}"))
    assert error.message == "trial.yaml:3:21: expected 'local' where the treatment is no guest, got 'node7'"
    assert error.hint is not None
    assert "treatment: {platform: guest}" in error.hint


@pytest.mark.parametrize(
    ("design", "column", "message"),
    [
        ("{blocks: 2}", 18, "expected a whole number from 3 to 1000, got 2"),
        ("{blocks: 1001}", 18, "got 1001"),
        ("{blocks: 3.0}", 18, "got 3.0"),
        ("{blocks: 1e3}", 18, "got 1e3"),
        ("{blocks: 0x10}", 18, "got '0x10'"),
        ("{blocks: '3'}", 18, "got '3'"),
        ("{blocks: yes}", 18, "got yes"),
        ("{blocks: [3, 4]}", 18, "got a list"),
        ("{confidence: 0.95}", 22, "expected a share from 50 % to 99.99 %, like '95 %', got 0.95"),
        ("{confidence: 100 %}", 22, "got '100 %'"),
        ("{confidence: 10 %}", 22, "got '10 %'"),
        ("{margin: 0 %}", 18, "expected a share above 0 % and below 100 %, like '95 %', got '0 %'"),
        ("{margin: 100 %}", 18, "got '100 %'"),
        ("{seed: -1}", 16, "got -1"),
        ("3", 9, "expected a mapping of words to values, got 3"),
    ],
)
def test_a_design_out_of_range_is_refused(design: str, column: int, message: str) -> None:
    error = refuse(f"{GOOD}design: {design}\n")
    assert message in error.message
    assert (error.line, error.column) == (6, column)
