"""What a reader can do about a doubt, by its code (``docs/doubts.md`` says what triggers each)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from assay.model.doubt import Doubt

_AGAIN = "Run it again with the assay of today: an older probe wrote this record."
_RIGHTS = "Run the probe as root, or have control groups delegated to its user (systemd: Delegate=yes)."
_SAME = "Compare two results of one scene, one machine and one set of limits."
_LONGER = "Make the trials longer, so that the clock is compared over a longer time."
_SIZES = "Put the event numbers further apart, or add blocks: the part is lost in the noise of the whole."
_TWO_MACHINES = (
    "Compare a platform with its own host where you can; else read this loss as one between two machines."
)

NEXT: Mapping[str, str] = MappingProxyType(
    {
        "accelerators-differ": _SAME,
        "cache-no-files": "Name the files that the workload reads in 'cache: {files: [...]}'.",
        "read-ahead-failed": "Look at ahead.stderr in the trial's folder, and whether the files can be read.",
        "cache-state": "End what else reads or maps these files, or set 'drop: true' (as root), and repeat.",
        "arms-not-paired": (
            "Run both arms in every block: 'assay evaluate' does, and so should a table of your own."
        ),
        "caches-differ": _TWO_MACHINES,
        "cgroup-left": "Remove the group by hand (rmdir below /sys/fs/cgroup) once its processes are gone.",
        "clock-corrected": (
            "Nothing: the correction is in the figures. Running chrony with kvm-clock in the "
            "guest makes it needless."
        ),
        "clock-rate": (
            "Choose kvm-clock or tsc as the guest's clock source and run chrony in it; until "
            "then use figures that do not rest on its clock."
        ),
        "clock-rate-unknown": _LONGER,
        "clock-sources-differ": (
            "Set the same clock source on both "
            "(/sys/devices/system/clocksource/clocksource0/current_clocksource)."
        ),
        "collected-late": "Run the trial's block again if its guest's clock matters to you.",
        "confidence-differs": _SAME,
        "container-cpu-count": "Go by wall time on this arm, and repeat on an idle machine.",
        "controller-shares-cores": (
            "Make trials longer, leave it a core (controller: own-core), or run assay on another machine."
        ),
        "memory-overcommitted": (
            "Give the guests less (memory.size), or say what the host needs (host-memory) if it is less."
        ),
        "processor-counts-differ": "Give both arms the same 'processors', or ask for their number alone.",
        "counters-absent": "Run as root or lower kernel.perf_event_paranoid; in a guest, give it a PMU.",
        "counters-not-told": _AGAIN,
        "cpu-quota-not-applied": _RIGHTS,
        "memory-a-core": "Give the guest more memory (memory.size), or fewer processors.",
        "governor": (
            "Set it for the score: cpupower frequency-set -g performance; or host.governor in a scene."
        ),
        "disk-is-memory": "Set ASSAY_HOME to a folder on the disk that is to be measured.",
        "domain-as-found": (
            "Measure a guest that is made for it, treatment: {platform: guest}, where its own one is "
            "not the question."
        ),
        "domain-disk": (
            "Put the baseline's files (ASSAY_HOME) on the storage that carries the domain's disk, "
            "and give it cache mode none."
        ),
        "domain-elsewhere": "Run assay on the hypervisor itself.",
        "domain-memory": "Read figures of memory and page cache as those of two sizes.",
        "domain-not-confined": (
            "Confine the domain where that may be done: virsh vcpupin and virsh emulatorpin."
        ),
        "domain-processors": (
            "Read the loss as one of the processors that both have: both arms use as many as the smaller has."
        ),
        "emulated": (
            "Switch virtualization on in the firmware and load the kvm module; the sentence says "
            "what stands in the way."
        ),
        "faster-than-disk": (
            "See that the page cache did not answer: a file of twice the memory, direct I/O "
            "(fio, iozone -I), or 'cache: cold'; "
            "below a guest 'disk.cache: none'. If the disk is an array or has a cache of its "
            "own, read the figure as that one's."
        ),
        "fixed-cost-not-above-zero": _SIZES,
        "floor-not-zero": (
            "Let the machine come to rest (other users, cron, turbo, temperature), add blocks, "
            "and trust no loss below this floor."
        ),
        "frequency-governors-differ": (
            "Set the same governor on both arms: cpupower frequency-set -g performance."
        ),
        "one-boot": "Write 'start: boot' in the scene for a figure to publish.",
        "boots-differ": "Write the same 'start' for both guests of the scene.",
        "guest-not-watched": (
            "See that the guest is a QEMU process of this machine; the trial's own figures stand."
        ),
        "host-is-virtual": "Repeat it on bare metal if the loss over metal is the question.",
        "host-not-watched": "Conduct the activity on the guest's host itself; the trial's own figures stand.",
        "hosts-differ": _SAME,
        "image-cache-state": (
            "Set 'disk.cache: none' for the guest, so that its host keeps nothing of the image."
        ),
        "io-incomplete": "Add 'watch: [exits]' (as root), which counts threads that nobody waited for.",
        "io-limit-not-applied": (
            "Run the probe as root, with its folder on a real disk (not a tmpfs, not an overlay)."
        ),
        "kernels-differ": _TWO_MACHINES,
        "kink": (
            "Measure event numbers close to the kink on both sides, and look for what begins there "
            "(a cache, a buffer)."
        ),
        "limits-differ": _SAME,
        "machine-changed": (
            "Run it anew on a machine that stays as it is; blocks before and after are not comparable."
        ),
        "memory-limit-not-applied": _RIGHTS,
        "network-left-out": "Compare with a guest of this machine, as root, for the network's loss.",
        "nice": "Run the probe as root, or ask for a nice value of at least 0.",
        "no-cgroup": _RIGHTS,
        "no-figure": (
            "See the trial's stdout or files: a longer run or a larger file often gives the tool a number."
        ),
        "no-line": (
            "See whether one of the times is wrong by orders of magnitude (a unit, a failed run that "
            "was kept)."
        ),
        "no-phase": (
            "Check the patterns of 'marks' against the trial's stdout, and that the job flushes its lines."
        ),
        "no-vpmu": "Give the guest a PMU (CPU mode host-passthrough, pmu on), or count on the host.",
        "not-comparable": "Run it as the sentence asks for, or read the figure alone and not its loss.",
        "not-a-line": (
            "Add event numbers between, and read fixed cost and slope as those of the nearest line."
        ),
        "one-event-number": (
            "Measure at two event numbers at least; in a scene 'parameters: {events: [1, 1000]}'."
        ),
        "oom-kill": "Raise the memory limit (memory.size) or give the workload less to hold.",
        "order-confounded": (
            "Measure both arms in each block, in random order, or as many blocks that begin with "
            "the one as with the other."
        ),
        "orphans-lost": "Run on a kernel from 3.4 on, or let the job wait for its own children.",
        "phases-cut": "Tell of phases less often: what is counted one by one is an event.",
        "pause-not-applied": "Run the probe as root, where it may make control groups.",
        "per-event-not-above-zero": _SIZES,
        "processes-left": "Look for processes that wait for a dead file server (state D), and end them.",
        "processors-differ": _TWO_MACHINES,
        "profile-absent": "Run as root or lower kernel.perf_event_paranoid.",
        "profile-not-told": _AGAIN,
        "programs-differ": (
            "Ship the same program to both arms (--input), or build the image from the host's packages."
        ),
        "object-missing": "Bring objects/ of the activity's folder back, from a backup.",
        "proof-unreadable": "Move the file away; 'assay explain RESULT --prove' then begins another proof.",
        "record-unreadable": "'assay activity resume RESULT' sets the record aside and runs its trial again.",
        "resource-limit": "Raise the hard limit of the probe's user (ulimit -H, limits.conf).",
        "result-differs": (
            "Look at both trials' standard output: a processor that computes otherwise, a "
            "damaged file, or another program."
        ),
        "same-result": "Name two different results.",
        "scenes-differ": _SAME,
        "scheduling-policy": "Run the probe as root (CAP_SYS_NICE).",
        "score-against-wall": (
            "See what the score is of: which part of the run, how many events, whose clock. "
            "Until both agree go by the wall time for the same work."
        ),
        "series-absent": "Leave these groups out, or run on a machine that has them (docs/series.md).",
        "scan-over-machines": "Analyse each machine's rows alone for its own fixed cost and slope.",
        "scan-over-sessions": (
            "Analyse each session's rows alone, and see how far their fixed costs and slopes part."
        ),
        "steal-disagrees": (
            "Go by the host's figure, and look for a hypervisor below the host or a guest without "
            "kvm-steal-time."
        ),
        "sizes-differ": (
            "Give the file's size yourself, the same on both (size of the scene, -s of the "
            "tool), and measure again."
        ),
        "size-rule": "Run it on a machine with more memory or disk, or read the figure as one of its caches.",
        "late-start": (
            "Lower the load on the host at the start; guests that share a core come late to a common start."
        ),
        "overcommitted": (
            "Set 'cpu.vcpus' to a multiple of the guests, or take it as what overcommitment costs."
        ),
        "larger-than-its-work": (
            "Read the losses of the larger ones as those of that work; evaluate a scene a size for "
            "work that fills each."
        ),
        "start-missed": "Lower the load on the machine at the start, or set a later common start.",
        "not-quiet": (
            "Free the machine of other work and measure again; 'design: {require-quiet: true}' "
            "begins nothing before."
        ),
        "steal": "Ask who shares this machine's own host, and repeat when it is quiet or on a dedicated one.",
        "swap-not-limited": "Switch swap off for the measurement (swapoff -a), or boot with swapaccount=1.",
        "thp-modes-differ": "Set the same mode on both arms: /sys/kernel/mm/transparent_hugepage/enabled.",
        "too-few-blocks": "Add blocks ('assay evaluate' has --blocks).",
        "totals-incomplete": (
            "Let the job wait for its children, or run the probe where it may make control groups."
        ),
        "treatments-differ": _SAME,
        "trials-failed": "Read stderr in the records of the failed trials, repair the cause and run it anew.",
        "unknown-line": (
            "Read the line in the trial's stdout or files: it may say what the figures are worth."
        ),
        "unpaired-times": "Complete the blocks: a failed trial leaves its partner alone.",
        "users-own-libvirt": "Run it as root, or join group libvirt, for control groups around the guests.",
        "vhost-not-confined": (
            "Update the host's kernel to 6.4 or later, or count the vhost threads beside QEMU's."
        ),
    }
)
"""Next step by code, for doubts that do not carry one of their own."""


def with_next(doubt: Doubt) -> Doubt:
    """Return the doubt with a next step: its own, or else the one that its code has."""
    return doubt if doubt.next is not None else replace(doubt, next=NEXT.get(doubt.code))
