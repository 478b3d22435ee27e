"""A job that maps and unmaps memory in a loop: whoever holds its memory lock for long stalls it.

Reading ``smaps`` of a process walks all its pages under that lock (Linux fs/proc/task_mmu.c).
"""

from __future__ import annotations

import json
import mmap
import sys
import time

PAGE = mmap.PAGESIZE
MAPPED_BYTES = 16 * PAGE
STALL_NS = 10_000_000


def resident(size: int) -> mmap.mmap:
    """Memory of this size in small pages, all of them touched."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    memory[::PAGE] = b"\x01" * (size // PAGE)
    return memory


def loop(seconds: float) -> dict[str, float]:
    """Maps, touches and unmaps until the time has passed."""
    loops, stalls, longest = 0, 0, 0
    last = time.monotonic_ns()
    end = last + int(seconds * 1e9)
    while last < end:
        with mmap.mmap(-1, MAPPED_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
            memory[0] = 1
        now = time.monotonic_ns()
        stalls += now - last > STALL_NS
        longest = max(longest, now - last)
        last = now
        loops += 1
    return {"loops": loops, "stalls": stalls, "longest_s": longest / 1e9}


if __name__ == "__main__":
    HELD = resident(int(sys.argv[1]))
    sys.stdout.write(json.dumps(loop(float(sys.argv[2]))))
