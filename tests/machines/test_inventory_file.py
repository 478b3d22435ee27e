"""The inventory as a YAML file, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.machines.address import AddressError
from assay.machines.inventory_file import (
    InventoryError,
    check_groups,
    load_inventory,
    read_inventory,
    write_inventory,
)
from assay.model.machines.inventory import Entry, Role
from assay.model.machines.machine import Machine, Reach

TEXT = """\
machines:
  - {name: n01, ssh: root@10.0.0.2, groups: [farm, a7], tags: {rack: a7, slot: 3, gpu: }}
  - name: n02
    ssh: "alice@[2001:db8::1]:2222"
    identity: /root/.ssh/farm
    role: hypervisor
    notes: repaired in June
  - name: n03
    guest-of: n02
"""
ENTRIES = (
    Entry(
        Machine("n01", Reach.SSH, "10.0.0.2", "root"),
        ("a7", "farm"),
        (("gpu", ""), ("rack", "a7"), ("slot", "3")),
    ),
    Entry(
        Machine("n02", Reach.SSH, "2001:db8::1", "alice", 2222, identity="/root/.ssh/farm"),
        role=Role.HYPERVISOR,
        notes="repaired in June",
    ),
    Entry(Machine("n03", Reach.SSH, "n03"), guest_of="n02"),
)


def test_a_file_is_read() -> None:
    assert read_inventory(TEXT, "hosts.yaml") == ENTRIES


def test_what_is_written_is_read_as_it_was() -> None:
    written = write_inventory((Entry(Machine("local")), *ENTRIES))
    assert read_inventory(written, "hosts.yaml") == ENTRIES
    assert read_inventory(write_inventory(()), "hosts.yaml") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "hosts.yaml:1:1: expected "),
        ("hosts: []", "hosts.yaml:1:1: expected 'machines:' and a list, got a mapping of hosts"),
        ("machines: n01", "hosts.yaml:1:1: expected 'machines:' and a list"),
        ("machines: [n01]", "hosts.yaml:1:12: expected a mapping of name, ssh, slurm, htcondor, job"),
        ("machines: [{ssh: n01}]", "hosts.yaml:1:12: expected a name, got a mapping of ssh"),
        ("machines: [{name: N01}]", "hosts.yaml:1:19: cannot name a machine 'N01'"),
        ("machines: [{name: local}]", "hosts.yaml:1:19: cannot name a machine 'local': the name is reserved"),
        ("machines: [{name: n, ssh: 'a b'}]", "hosts.yaml:1:27: cannot understand the address 'a b'"),
        ("machines: [{name: n, group: [x]}]", "hosts.yaml:1:22: expected one of name, ssh, "),
        ("machines: [{name: n, group: [x]}]", "nearest: 'groups'"),
        ("machines: [{name: n, groups: x}]", "hosts.yaml:1:30: expected a list of names, got 'x'"),
        ("machines: [{name: n, groups: ['a b']}]", "hosts.yaml:1:31: expected a word of letters"),
        ("machines: [{name: n, tags: [x]}]", "hosts.yaml:1:28: expected a mapping of keys and values"),
        ("machines: [{name: n, tags: {a: [1]}}]", "hosts.yaml:1:32: expected a text, got a list"),
        ("machines: [{name: n, role: boss}]", "hosts.yaml:1:28: unknown role 'boss'"),
        ("machines: [{name: n, notes: [x]}]", "hosts.yaml:1:29: expected a text, got a list"),
        (
            "machines:\n- {name: n}\n- {name: n}\n",
            "hosts.yaml:3:10: expected each machine once, got 'n' again (first in line 2)",
        ),
    ],
)
def test_what_is_wrong_is_said_at_its_place(text: str, message: str) -> None:
    with pytest.raises(InventoryError) as refused:
        read_inventory(text, "hosts.yaml")
    assert message in refused.value.message


def test_a_node_has_the_name_that_its_batch_system_gives_it() -> None:
    node = Machine("wn01", Reach.SLURM, "WN01", job=(("partition", "main"), ("time", "4:00:00")))
    other = Machine("wn02", Reach.HTCONDOR, "WN02.example.org", job=(("cores", "8"),))
    entries = (Entry(node), Entry(other))
    assert read_inventory(write_inventory(entries), "hosts.yaml") == entries


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("slurm: wn01, job: {partion: main}", "1:53: unknown option of Slurm's jobs 'partion'"),
        ("slurm: wn01, job: {cores: two}", "1:51: cannot ask Slurm for cores='two': expected a number"),
        ("slurm: wn01, job: {time: }", "1:44: cannot ask Slurm for time='': expected printable text"),
        ("slurm: -wn01", "1:32: cannot use '-wn01' as a node: expected a word of letters"),
        ("job: {time: 10}", "1:30: expected slurm or htcondor"),
        ("htcondor: wn01, job: {time: 1}", "1:53: unknown option of HTCondor's jobs 'time'"),
        ("slurm: wn01, htcondor: wn01", "expected one of slurm, htcondor, got slurm and htcondor"),
    ],
)  # fmt: skip
def test_what_a_job_cannot_be_asked_for_is_said_at_its_place(words: str, message: str) -> None:
    with pytest.raises(InventoryError, match=message.replace("(", r"\(")):
        read_inventory(f"machines: [{{name: wn01, {words}}}]", "hosts.yaml")


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InventoryError) as refused:
        read_inventory("machines:\n- {name: N}\n- {name: n, role: boss}\n", "hosts.yaml")
    assert [problem.line for problem in refused.value.problems] == [2, 3]


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for content in (None, b"\xff\xfe", b"#" * (5 << 20)):
        file = tmp_path / "hosts.yaml"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(InventoryError) as refused:
            load_inventory(file)
        assert refused.value.message.startswith(f"{file}:1:1: expected an inventory")
        assert "\n" not in refused.value.message


def test_a_group_is_not_called_as_a_machine_is() -> None:
    check_groups(ENTRIES)
    with pytest.raises(AddressError, match="cannot use 'n03' as a group: a machine is called so"):
        check_groups((*ENTRIES, Entry(Machine("n04", Reach.SSH, "n04"), ("n03",))))
