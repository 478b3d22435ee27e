"""Samples a process tree with psutil: the same figures as the probe's core set."""

from __future__ import annotations

import argparse
import json
import sys
import time

import psutil


def sample(top: psutil.Process, *, io: bool, pss: bool) -> float:
    """Reads a tree and the machine once; the sum keeps what was read from being left out."""
    processes = [top, *top.children(recursive=True)]
    total = float(len(processes))
    for process in processes:
        with process.oneshot():
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
            total += process.memory_full_info().pss if pss else process.memory_info().rss
            if io:
                total += process.io_counters().read_bytes
    return total + float(psutil.cpu_times().steal)


def main() -> None:
    """Takes the samples and prints the CPU time of one in nanoseconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--samples", type=int, default=0, help="0: until the process has ended")
    parser.add_argument("--every", type=float, default=0.0)
    parser.add_argument("--io", action="store_true")
    parser.add_argument("--pss", action="store_true")
    given = parser.parse_args()
    top = psutil.Process(given.pid)
    taken, began = 0, time.process_time_ns()
    due = time.monotonic()
    while not given.samples or taken < given.samples:
        if given.every:
            due += given.every
            time.sleep(max(0.0, due - time.monotonic()))
        try:
            sample(top, io=given.io, pss=given.pss)
        except psutil.NoSuchProcess:
            break
        taken += 1
    spent = time.process_time_ns() - began
    rss = psutil.Process().memory_info().rss
    sys.stdout.write(json.dumps({"samples": taken, "cpu_ns": spent / max(taken, 1), "rss_bytes": rss}))


if __name__ == "__main__":
    main()
