"""What each cause says, word for word: the figures that triggered it and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.explain import rules, rules_cpu
from assay.explain.cpu import Work
from assay.explain.evidence import Case, Claim
from assay.explain.sentence import bytes_text, count_text, rate_text
from assay.explain.split import Category
from tests.explain.cases import MIB, case

QUEUE, IO, IDLE, SYSTEM, USER = (
    Category.QUEUE, Category.IO, Category.IDLE, Category.SYSTEM, Category.USER,
)  # fmt: skip
HERE, THERE = {QUEUE: 1.0, IO: 1.0, IDLE: 1.5, SYSTEM: 1.25}, {QUEUE: 4.0, IO: 3.0, IDLE: 2.5, SYSTEM: 3.5}
QEMU = {"vcpu_s": 18.0, "other_s": 1.5}
ALONE = "run no more copies and threads than it has processors, or compare at the same number of both"
OTHERS = "find who else runs there (assay evaluate --profile --system), pin, or book the machine alone"
QUOTA = "lift the quota (factor cpu.quota; cpu.max of the control group), or compare at the same quota"
COUNT = "count what it executes (assay evaluate --counters instructions,cycles,task-clock)"
KERNEL = (
    "see which calls (assay evaluate --profile --system); try huge pages, or another disk or network model"
)
WAITS = "look for what it waits: sleeps, locks, the network (assay evaluate --watch delay,pressure,network)"
Rule = Callable[[Case], Claim | None]
Figures = dict[str, Any]


@pytest.mark.parametrize(
    ("rule", "base", "treated", "sentence", "step", "categories"),
    [
        (
            rules.cpu_quota,
            {},
            {"throttled_s": 5.0, "quota": 0.5},
            (
"A CPU quota holds guest back: it stood still for 5 s of 20 s (it may use 50% of its processors' time)."
),
            QUOTA,
            (QUEUE,),
        ),
        (
            rules.cpu_quota,
            {},
            {"throttled_s": 5.0, "parallelism": 2},
            "A CPU quota holds guest back: it stood still for 5 s, summed over processors, of 20 s.",
            QUOTA,
            (QUEUE,),
        ),
        (
            rules.cpu_quota,
            {},
            {"quota": 0.125, "queue_known": False},
            "A CPU quota holds guest back: it may use 12.5% of its processors' time.",
            QUOTA,
            (QUEUE, IDLE),
        ),
        (
            rules.memory_limit,
            {"limit_hits": 2.0, "major_faults": 3.0},
            {"limit_hits": 5000.0, "major_faults": 12345.0, "memory_bytes": 50 * MIB},
            ("Memory is short on guest: it ran into its limit of 50 MiB 5000 times (host: 2), "
"12345 page faults waited for storage (host: 3)."),
            "give it more memory (factor memory.size or memory.limit), or a job that needs less",
            (IO, SYSTEM, IDLE),
        ),
        (
            rules.memory_limit,
            {"limit_hits": 0.0},
            {"limit_hits": 50.0},
            ("Memory is short on guest: it ran into its limit 50 times (host: 0), an untold "
"number of page faults waited for storage (host: an untold number of)."),
            "give it more memory (factor memory.size or memory.limit), or a job that needs less",
            (IO, SYSTEM, IDLE),
        ),
        (
            rules.cold_cache,
            {"logical_bytes": 300.0 * MIB, "read_bytes": 100.0 * MIB},
            {"logical_bytes": 310.0 * MIB, "read_bytes": 120.0 * MIB},
            ("The page cache is colder on guest: 120 MiB came from storage instead of 100 MiB, "
"for the same 310 MiB read and written."),
            "declare the cache state of both arms (cache: warm or cold), or preload the files",
            (IO,),
        ),
        (
            rules.disk_throughput,
            {"read_bytes": 60.0 * MIB, "write_bytes": 40.0 * MIB},
            {"read_bytes": 70.0 * MIB, "write_bytes": 30.0 * MIB},
            "The disk is slower on guest: 100 MiB of storage took it 20 s (5 MiB/s), host 10 s (10 MiB/s).",
            (
"look at the disk's limits and cache mode (factor disk.cache; io.max of the control group; the pool)"
),
            (IO,),
        ),
        (
            rules.io_wait,
            {"read_bytes": 60.0 * MIB, "write_bytes": 40.0 * MIB},
            {"read_bytes": 70.0 * MIB},
            "Storage is waited for longer on guest, for an untold amount instead of 100 MiB.",
            "watch the disks (assay evaluate --watch disks,pressure) to see whose bytes these are",
            (IO,),
        ),
        (
            rules.run_queue,
            {},
            {"steal_s": 9.0},
            (
"Others have the processors of guest: the job waits 4 s for one instead of 1 s; a hypervisor took 9 s."
),
            OTHERS,
            (QUEUE,),
        ),
        (
            rules.run_queue,
            {},
            {"steal_s": 0.0},
            "Others have the processors of guest: the job waits 4 s for one instead of 1 s.",
            OTHERS,
            (QUEUE,),
        ),
        (
            rules.run_queue,
            {},
            {"threads": 3},
            (
"More copies than processors on guest: the job waits 4 s for one instead of 1 s, and "
"no others are seen there."
),
            ALONE,
            (QUEUE,),
        ),
        (
            rules_cpu.emulation,
            {},
            {"accelerator": "tcg", **QEMU, "exits": 1234.0},
            ("The guest's instructions are emulated (TCG): 23.5 s on a processor instead of 11.2 "
"s; QEMU took 18 s for the vCPUs and 1.5 s beside them, with 1234 exits."),
            "use a host with hardware virtualization (/dev/kvm; nested=1 where the host is a guest itself)",
            (USER, SYSTEM),
        ),
        (
            rules_cpu.slower_cpu,
            {},
            {"work": Work(1.0, 1.0, 1.0)},
            "The program's own code takes 20 s on guest instead of 10 s.",
            COUNT,
            (USER,),
        ),
        (
            rules_cpu.slower_cpu,
            {"work": Work(1.0, 1.0, 1.0)},
            {},
            "The program's own code takes 20 s on guest instead of 10 s.",
            COUNT,
            (USER,),
        ),
        (
            rules_cpu.kernel_time,
            {"minor_faults": 900.0},
            {"minor_faults": 90_000.0, **QEMU},
            ("The kernel takes 3.5 s for guest instead of 1.25 s; page faults 90000 instead of "
"900; QEMU took 18 s for the vCPUs and 1.5 s beside them."),
            KERNEL,
            (SYSTEM,),
        ),
        (
            rules_cpu.kernel_time,
            {},
            {"minor_faults": 90_000.0, "vcpu_s": 18.0},
            "The kernel takes 3.5 s for guest instead of 1.25 s.",
            KERNEL,
            (SYSTEM,),
        ),
        (
            rules_cpu.kernel_time,
            {"minor_faults": 90_000.0},
            {"other_s": 18.0},
            "The kernel takes 3.5 s for guest instead of 1.25 s.",
            KERNEL,
            (SYSTEM,),
        ),
        (
            rules.waiting,
            {"waits": 50.0},
            {"waits": 400.0},
            (
"The job is idle on guest for 2.5 s instead of 1.5 s; it gave a processor up 400 instead of 50 times."
),
            WAITS,
            (IDLE,),
        ),
        (
            rules.waiting,
            {"waits": 50.0},
            {"io_known": False, "queue_known": False},
            ("The job is idle on guest for 2.5 s instead of 1.5 s. Its own waits for storage and "
"a processor were not told and are in it."),
            WAITS,
            (IDLE,),
        ),
        (
            rules.waiting,
            {},
            {"waits": 50.0, "io_known": False},
            (
"The job is idle on guest for 2.5 s instead of 1.5 s. Its own waits for storage were not told and are in it."
),
            WAITS,
            (IDLE,),
        ),
    ],
)  # fmt: skip
def test_each_claim_is_told_word_for_word(
    rule: Rule, base: Figures, treated: Figures, sentence: str, step: str, categories: tuple[Category, ...]
) -> None:
    claim = rule(case(HERE, THERE, base=base, treated=treated))
    assert claim is not None
    assert (claim.sentence, claim.next, claim.categories) == (sentence, step, categories)


@pytest.mark.parametrize(
    ("treated", "ratios", "step"),
    [
        (
            Work(3e9, 4e9, 4.0),
            "3 times the instructions, 1.33 times the cycles for each, at 1 times the frequency",
            "compare programs, libraries and the CPU model of the guest",
        ),
        (
            Work(1e9, 3e9, 3.0),
            "1 times the instructions, 3 times the cycles for each, at 1 times the frequency",
            "look at caches, page walks and neighbours (--counters cache-misses,dtlb-walks)",
        ),
        (
            Work(2e9, 2e9, 10.0),
            "2 times the instructions, 1 times the cycles for each, at 0.2 times the frequency",
            "look at governor, heat and steal (--watch frequency,temperature)",
        ),
    ],
)
def test_the_counter_that_grew_most_decides_what_to_do_about_a_slower_cpu(
    treated: Work, ratios: str, step: str
) -> None:
    claim = rules_cpu.slower_cpu(case(base={"work": Work(1e9, 1e9, 1.0)}, treated={"work": treated}))
    assert claim is not None
    assert claim.sentence == f"The program's own code takes 20 s on guest instead of 10 s: {ratios}."
    assert claim.next == step


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "an untold number of"), (0.0, "0"), (12.3456, "12.35"), (9999.4, "9999"), (1e4, "10000"),
    (123456.6, "123457")],
)  # fmt: skip
def test_counts_below_ten_thousand_have_four_digits(count: float | None, text: str) -> None:
    assert count_text(count) == text


def test_amounts_and_rates_are_told_or_said_to_be_untold() -> None:
    assert (bytes_text(None), bytes_text(3.0 * MIB)) == ("an untold amount", "3 MiB")
    assert (rate_text(None, 2.0), rate_text(3.0 * MIB, 2.0)) == ("an untold amount/s", "1.5 MiB/s")
