"""Machines of publications as ``assay-probe record`` would have recorded them, as far as plans need it.

``REGENERATE=1 pytest tests/machines/test_recorded.py`` writes their folders anew from the table below.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Recorded:
    """What is recorded of a machine.

    Attributes:
        cores: Cores of each memory node.
        memory_kib: What its kernel tells as ``MemTotal``.
        flag: The processor's word for virtualisation.
        threads: Processors of each core; the second ones are numbered after all first ones.
        model: Name of the processor; ``None`` where nobody told it.
        cache_kib: Size of each last-level cache; ``None`` where nobody told it.
        cache_cores: Cores that share one.
        huge_pages: Free pages of 2 MiB, of a pool that is mounted.
        switches: How its kernel has transparent huge pages and KSM is recorded.
    """

    cores: tuple[int, ...]
    memory_kib: int
    flag: str = "vmx"
    threads: int = 1
    model: str | None = None
    cache_kib: int | None = None
    cache_cores: int = 1
    huge_pages: int = 0
    switches: bool = False


GIB = 1024**2
MACHINES = {
    "juno-h1-12-cores": Recorded((12,), 48 * GIB),
    "juno-h2-12-cores": Recorded((12,), 48 * GIB),
    "juno-h3-2x8-cores": Recorded((8, 8), 64 * GIB),
    "boss-12-cores": Recorded((12,), 48_099 * 1024, huge_pages=8_192, switches=True),
    "atlas-r410-16-cores-24-gb": Recorded((8, 8), 24 * GIB),
    "proof-8-cores": Recorded((4, 4), 16 * GIB),
    "ijclab-r6525-2x64-smt-512-gb": Recorded(
        (64, 64), 527_900_000, "svm", 2, "AMD EPYC 7702 64-Core Processor", 16_384, 4
    ),
}


def files_of(name: str) -> dict[str, str]:
    """Return the files of a record by their path."""
    machine = MACHINES[name]
    count = sum(machine.cores)
    every = f"0-{count * machine.threads - 1}"
    flags = f"fpu {machine.flag} sse2"
    told = f"model name\t: {machine.model}\n" if machine.model else ""
    cpus = "".join(
        f"processor\t: {number}\n{told}flags\t\t: {flags}\n\n" for number in range(count * machine.threads)
    )
    files = {
        "proc/cpuinfo": cpus,
        "proc/meminfo": f"MemTotal:       {machine.memory_kib} kB\n",
        "proc/self/status": f"Name:\tassay-probe\nCpus_allowed_list:\t{every}\n",
        "proc/sys/kernel/hostname": f"{name}\n",
        "proc/sys/kernel/osrelease": "5.14.0-427.el9.x86_64\n",
        "sys/devices/system/cpu/online": f"{every}\n",
        "sys/devices/system/node/online": _span(0, len(machine.cores)),
    }
    if machine.huge_pages:
        pool = "sys/kernel/mm/hugepages/hugepages-2048kB"
        files |= {f"{pool}/{word}_hugepages": f"{machine.huge_pages}\n" for word in ("nr", "free")}
        files["proc/mounts"] = "hugetlbfs /dev/hugepages hugetlbfs rw,relatime,pagesize=2M 0 0\n"
    if machine.switches:
        files |= {
            "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
            "sys/kernel/mm/ksm/run": "0\n",
            "sys/kernel/mm/ksm/pages_sharing": "0\n",
        }
    first = 0
    for node, cores in enumerate(machine.cores):
        spans = (_span(first + count * thread, cores).strip() for thread in range(machine.threads))
        files[f"sys/devices/system/node/node{node}/cpulist"] = ",".join(spans) + "\n"
        first += cores
    for number in range(count * machine.threads):
        core = (number % count + count * thread for thread in range(machine.threads))
        files[f"{_cpu(number)}/topology/core_cpus_list"] = ",".join(map(str, core)) + "\n"
    if machine.cache_kib is not None:
        for core in range(0, count, machine.cache_cores):
            files |= _cache(machine, core, count)
    return files


def _cache(machine: Recorded, first: int, count: int) -> dict[str, str]:
    shared = (_span(first + count * thread, machine.cache_cores).strip() for thread in range(machine.threads))
    words = {
        "level": "3\n",
        "type": "Unified\n",
        "size": f"{machine.cache_kib}K\n",
        "shared_cpu_list": ",".join(shared) + "\n",
    }
    return {f"{_cpu(first)}/cache/index3/{word}": text for word, text in words.items()}


def _cpu(number: int) -> str:
    return f"sys/devices/system/cpu/cpu{number}"


def _span(first: int, count: int) -> str:
    return f"{first}-{first + count - 1}\n" if count > 1 else f"{first}\n"
