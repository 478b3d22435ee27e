"""Machines by SSH and of batch systems for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines.batch import held
from assay.model.machines.machine import Machine, Reach
from tests.condor import Pool, condor
from tests.hosts import SshHost, entered, ssh_host
from tests.slurm import Cluster, slurm


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    """A real sshd, shared by the tests of a file."""
    with ssh_host(tmp_path_factory.mktemp("host")) as made:
        yield made


@pytest.fixture
def reached(host: SshHost, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshHost]:
    """The same, within reach of this process, with the home folder that knows it."""
    monkeypatch.setenv("HOME", str(host.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with entered(host.client_namespace):
        yield host


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A real Slurm of three nodes, shared by the tests of a file."""
    with slurm(3) as made:
        yield made


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """A real HTCondor of two nodes, shared by the tests of a file."""
    with condor(2) as made:
        yield made


@pytest.fixture(scope="module")
def of_nodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose job holds a node for all tests of a file."""
    return tmp_path_factory.mktemp("nodes")


@pytest.fixture
def node(cluster: Cluster, of_nodes: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Path]:
    """A node of it, within reach of this process, with the home whose job holds it."""
    for name, value in cluster.variables.items():
        monkeypatch.setenv(name, value)
    return Machine("wn0", Reach.SLURM, "wn0"), of_nodes


@pytest.fixture
def condor_node(pool: Pool, of_nodes: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Path]:
    """The same of HTCondor."""
    monkeypatch.setattr(held, "BEGINS_S", 60.0)
    for name, value in pool.variables.items():
        monkeypatch.setenv(name, value)
    return Machine("wn0", Reach.HTCONDOR, "wn0.test"), of_nodes
