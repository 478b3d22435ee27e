"""What a scene may change of a ready workload."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContainerRun:
    """A container of hep-workloads, and what of it is measured.

    Attributes:
        image: As the engine takes it: a name with its tag or digest, an archive, a ``.sif`` file.
        score: Which of its scores, as its summary calls it: ``gen-sim``.
        engine: The engine's program and its own options; after the word ``run``, those of ``run``.
        threads: Of each copy.
        copies: That the container runs at once; ``None`` fills the processors.
        arguments: Further ones of the container's driver.
    """

    image: str
    score: str
    engine: tuple[str, ...] = ("podman",)
    threads: int = 1
    copies: int | None = None
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parameters:
    """Given values; ``None`` leaves the workload's own.

    Attributes:
        runtime_s: Seconds that a timed tool measures, whole seconds from 1 (``sysbench`` and ``iperf3``
            take no fractions); for fio the time of each of its three jobs.
        size_bytes: Size of the file of fio, iozone, its stand-in or bonnie++, at least
            ``SMALLEST_FILE_BYTES`` of fio.
        events: Events of a job that counts them, at least 0; of a container, those of each thread.
        record_bytes: What iozone, its stand-in or bonnie++ moves at once, whole KiB from 4; of bonnie++ a
            power of two up to 1 MiB.
        container: Of a workload that is one.
        photons: Optical photons that start in each event, at least 1.
        no_output: It does all of its work and writes no output.
        users: Users of an analysis at once, each with his share of the workers, at least 1.
    """

    runtime_s: int | None = None
    size_bytes: int | None = None
    events: int | None = None
    record_bytes: int | None = None
    container: ContainerRun | None = None
    photons: int | None = None
    no_output: bool = False
    users: tuple[tuple[str, int], ...] | None = None
