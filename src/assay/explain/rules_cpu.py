"""What causes look like that keep the processors busy: one rule a cause (``docs/explain.md``)."""

from __future__ import annotations

from assay.explain.cpu import Work
from assay.explain.evidence import Case, Claim, Seen
from assay.explain.sentence import count_text
from assay.explain.split import Category


def emulation(case: Case) -> Claim | None:
    """Return the claim of emulation: the guest ran under TCG, and the baseline did not."""
    treated = case.treatment
    if treated.accelerator != "tcg" or case.baseline.accelerator == "tcg":
        return None
    user, system = case.seconds(Category.USER), case.seconds(Category.SYSTEM)
    here, there = (a + b for a, b in zip(user, system, strict=True))
    sentence = (
        "The guest's instructions are emulated (TCG): "
        f"{there:.3g} s on a processor instead of {here:.3g} s{_waited(treated)}{qemu_text(treated)}."
    )
    step = "use a host with hardware virtualization (/dev/kvm; nested=1 where the host is a guest itself)"
    return Claim("emulation", sentence, step, (Category.USER, Category.SYSTEM))


def slower_cpu(case: Case) -> Claim | None:
    """Return the claim of slower execution: the program itself takes more CPU time for the same work."""
    base, treated = case.baseline, case.treatment
    here, there = case.seconds(Category.USER)
    sentence = (
        f"The program's own code takes {there:.3g} s on {treated.label} instead of {here:.3g} s"
        f"{_ratios(base.work, treated.work)}."
    )
    return Claim("slower-cpu", sentence, _cpu_step(base.work, treated.work), (Category.USER,))


def kernel_time(case: Case) -> Claim | None:
    """Return the claim of a busier kernel: page faults, the disk layer, exits."""
    base, treated = case.baseline, case.treatment
    here, there = case.seconds(Category.SYSTEM)
    faults = ""
    if base.minor_faults is not None and treated.minor_faults is not None:
        faults = (
            f"; page faults {count_text(treated.minor_faults)} instead of {count_text(base.minor_faults)}"
        )
    sentence = (
        f"The kernel takes {there:.3g} s for {treated.label} instead of {here:.3g} "
        f"s{faults}{qemu_text(treated)}."
    )
    step = (
        "see which calls (assay evaluate --profile --system); try huge pages, or another disk or "
        "network model"
    )
    return Claim("kernel-time", sentence, step, (Category.SYSTEM,))


def _waited(seen: Seen) -> str:
    """Return what is left out of a guest's CPU time; empty where nothing is."""
    return (
        f", without the {seen.vcpu_wait_s:.3g} s in which its vCPUs waited for one"
        if seen.vcpu_wait_s
        else ""
    )


def _ratios(here: Work | None, there: Work | None) -> str:
    if here is None or there is None:
        return ""
    return (
        f": {there.instructions / here.instructions:.3g} times the instructions, "
        f"{there.cpi / here.cpi:.3g} times "
        f"the cycles for each, at {there.frequency_hz / here.frequency_hz:.3g} times the frequency"
    )


def _cpu_step(here: Work | None, there: Work | None) -> str:
    if here is None or there is None:
        return "count what it executes (assay evaluate --counters instructions,cycles,task-clock)"
    factors = (
        (
            there.instructions / here.instructions,
            "compare programs, libraries and the CPU model of the guest",
        ),
        (
            there.cpi / here.cpi,
            "look at caches, page walks and neighbours (--counters cache-misses,dtlb-walks)",
        ),
        (
            here.frequency_hz / there.frequency_hz,
            "look at governor, heat and steal (--watch frequency,temperature)",
        ),
    )
    return max(factors)[1]


def qemu_text(seen: Seen) -> str:
    """Return what the host saw of a guest meanwhile; empty outside one."""
    if seen.vcpu_s is None or seen.other_s is None:
        return ""
    exits = "" if seen.exits is None else f", with {count_text(seen.exits)} exits"
    return f"; QEMU took {seen.vcpu_s:.3g} s for the vCPUs and {seen.other_s:.3g} s beside them{exits}"
