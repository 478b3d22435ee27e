"""What each ready workload measures, one line."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

TITLES: dict[str, str] = {
    "iperf3": "Network by iperf3: one TCP stream to a peer.",
    "iperf3-reverse": "Network by iperf3: one TCP stream from a peer.",
    "iperf3-udp": "Network by iperf3: datagrams to a peer, as many as go.",
    "netperf-tcp-stream": "Network by netperf: one TCP stream to a peer.",
    "netperf-tcp-rr": "Network by netperf: a byte there and back over one TCP connection.",
    "netperf-tcp-crr": "Network by netperf: a byte there and back, a new TCP connection each time.",
    "netperf-udp-stream": "Network by netperf: datagrams to a peer, as many as go; sent and received.",
    "tcp-rr": "A stand-in for netperf's TCP_RR by the probe's own kernel: a byte there and back over one connection.",
    "tcp-crr": "A stand-in for netperf's TCP_CRR by the probe's own kernel: a new connection for each byte.",
    "udp-rr": "A stand-in for netperf's UDP_RR by the probe's own kernel: a datagram of a byte there and back.",
    "integer": "Whole numbers by the probe's own kernel: generators and a sieve of primes.",
    "astar": "Searches for the cheapest path through a grid, by the probe's own kernel.",
    "latency": "Memory latency by working set: a load that waits for the one before, by the probe's own kernel.",
    "syscall": "System calls by the probe's own kernel: getppid, read, write, stat, open and close.",
    "context-switch": "Context switches by the probe's own kernel: a token round a ring of processes.",
    "fork": "Making processes by the probe's own kernel: fork and exit; fork, exec and exit.",
    "page-fault": "Page faults by the probe's own kernel: first touch of fresh memory and of a cached file.",
    "mmap": "Mapping a cached file by the probe's own kernel: map, touch each page, unmap.",
    "files": "A file in records by the probe's own kernel: in order, again, at random, in strides.",
    "two-phase": "An initialization and an event loop of fixed work, by the probe's own kernel.",
    "sysbench-memory": "Blocks of 1 KiB to a shared buffer by sysbench: the cache's bandwidth.",
    "sysbench-threads": "Locks taken and given back by sysbench's threads, with a yield between.",
    "stress-ng-cpu": "Bogo operations by stress-ng: all its methods of arithmetic in turn.",
    "stress-ng-vm": "Bogo operations by stress-ng: 64 MiB a processor written and checked, mapped anew.",
    "stress-ng-switch": "Bogo operations by stress-ng: context switches between two processes by a pipe.",
    "stress-ng-fault": "Bogo operations by stress-ng: page faults of fresh memory and of a file.",
    "chain-phygen": "The reference chain's generator of particles.",
    "chain-detsim": "The reference chain's detector simulation: optical photons, one by one.",
    "chain-elecsim": "The reference chain's electronics simulation: waveforms, the most output of all.",
    "chain-elecsim-no-output": "The reference chain's electronics simulation with nothing written.",
    "chain-pmtrec": "The reference chain's waveform reconstruction: charge and time by deconvolution.",
    "chain-evtrec": "The reference chain's event reconstruction: vertex and energy by likelihood.",
    "chain-analysis": "A pass over many reconstructed events of the reference chain.",
    "chain-powheg": "An event generator that writes text by many small appends.",
    "chain": "The reference chain, from particles to reconstructed events.",
    "chain-gen-sim-digi-reco": "The reference chain under a collider experiment's names, with many small files.",
    "root-analysis": "ROOT files analysed by workers as PROOF's: all branches are read.",
    "root-analysis-quarter": "ROOT files analysed by workers as PROOF's: a quarter of the branches is read.",
    "root-analysis-few": "ROOT files analysed by workers as PROOF's: the four branches of the leptons are read.",
    "root-analysis-two-users": "ROOT files analysed by workers as PROOF's: all branches, two users' jobs at once.",
    "geant4-optical": "Optical photons tracked by Geant4 through scintillator, water and photomultipliers.",
    "geant4-electron": "Electrons and their light in scintillator, tracked by Geant4.",
}
"""Of workloads whose module makes several; others are told by the first line of their module."""


def title_of(name: str, maker: Callable[..., object]) -> str:
    """Return what a workload measures; empty where nothing says it.

    Args:
        name: The workload.
        maker: The function that makes it.
    """
    if name in TITLES:
        return TITLES[name]
    made_in = maker.func if isinstance(maker, functools.partial) else maker
    words = sys.modules[made_in.__module__].__doc__ or ""
    return words.partition("\n")[0].strip().replace("``", "")
