"""What rules ask of a guest whose loss is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CLEARLY = 0.2
"""A figure that is larger by less than this share has not grown."""
RARELY = 0.01
"""Of all exits from a guest, or of all faults: what makes up less of them is not what costs its time."""


@dataclass(frozen=True)
class Situation:
    """A guest, as it was measured.

    Attributes:
        accelerator: ``kvm`` or ``tcg``.
        levels: Levels of its factors, and those of its host that are known; a factor of the guest that is not
            in it has its default.
        vcpus: Number of its processors.
        memory_bytes: Its memory.
        shared_bytes: Memory of all guests of its layout together, as it was asked for; ``None`` is not known.
        cpus: Number of the processors of its host that it may use.
        nodes: Memory nodes of the host; ``None`` is not known.
        own_nodes: Those of them that its processors belong to; ``None`` is not known.
        merged: Pages that KSM has merged on the host; ``None`` is not known.
        clock_source: The guest kernel's clock source; ``None`` is not known.
        counted: What was counted on both arms for the same work, by the name that the budget has for it:
            baseline, treatment.
        network: Its workload measures the network.
        guests: Guests that share its host's processors and memory with it in a layout, itself one of them.
        missing: Instruction sets that its host's processor has and its own lacks, in the kernel's words;
            ``None`` is not known.
        on_host: What its host counted of it by reason (exits, faults): amount, and the total that it is of.
    """

    accelerator: str
    levels: Mapping[str, str] = field(default_factory=dict)
    vcpus: int = 1
    memory_bytes: int = 2 << 30
    cpus: int = 1
    nodes: int | None = None
    merged: int | None = None
    clock_source: str | None = None
    counted: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    network: bool = False
    guests: int = 1
    missing: tuple[str, ...] | None = None
    on_host: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    own_nodes: int | None = None
    shared_bytes: int | None = None

    @property
    def kvm(self) -> bool:
        """Tell whether the processor itself runs it."""
        return self.accelerator == "kvm"

    @property
    def own_cpu(self) -> bool:
        """Tell whether it has the processor of its host, as far as its accelerator can show it."""
        return self.is_at("cpu.mode", "", "host-passthrough", "maximum") and self.is_at("cpu.model", "")

    def is_at(self, factor: str, *levels: str) -> bool:
        """Tell whether a factor has one of these levels; an empty text is the default of a guest's, and not
        known of a host's.
        """
        return self.levels.get(factor, "") in levels

    @property
    def placed(self) -> bool:
        """Tell whether its processors are pinned and its memory is bound to nodes of its host."""
        return not self.is_at("cpu.vcpupin", "", "none") and not self.is_at("numa.memory", "", "none")

    def lacks(self, switch: str) -> bool:
        """Tell whether a switch of KVM's is off that a guest with its host's processor has on."""
        return self.kvm and (self.is_at(switch, "off") or (self.is_at(switch, "") and not self.own_cpu))

    def grown(self, *names: str) -> bool | None:
        """Tell whether one of these figures is clearly larger on the treatment; ``None``: none was counted.

        What one arm alone can have (exits) has grown where the treatment has any.
        """
        known = [pair for pair in map(self.counted.get, names) if pair is not None and pair[1] is not None]
        if not known:
            return None
        return any((there or 0.0) > (1 + CLEARLY) * (here or 0.0) for here, there in known)

    def often(self, *names: str) -> bool | None:
        """Tell whether the host counted one of these clearly among all of its kind; ``None``: none was
        counted.
        """
        known = [self.on_host[name] for name in names if name in self.on_host]
        return any(amount > 0 and amount >= RARELY * total for amount, total in known) if known else None
