"""What rules ask of a guest whose loss is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Situation:
    """A guest, as it was measured.

    Attributes:
        accelerator: ``kvm`` or ``tcg``.
        levels: Levels of its factors, those of its host too, where they are known; a factor that is not in
            it has its default.
        vcpus: Number of its processors.
        cpus: Number of the processors of its host that it may use.
        nodes: Memory nodes of the host; ``None`` is not known.
        clock_source: The guest kernel's clock source; ``None`` is not known.
        counted: What was counted of both arms, by the name that the budget has for it: baseline, treatment.
        network: Its workload measures the network.
    """

    accelerator: str
    levels: Mapping[str, str] = field(default_factory=dict)
    vcpus: int = 1
    cpus: int = 1
    nodes: int | None = None
    clock_source: str | None = None
    counted: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    network: bool = False

    @property
    def kvm(self) -> bool:
        """Tell whether the processor itself runs it."""
        return self.accelerator == "kvm"

    def is_at(self, factor: str, *levels: str) -> bool:
        """Tell whether a factor is known to be at one of these levels; an empty text is its default."""
        return self.levels.get(factor, "") in levels

    def more(self, name: str, by: float = 1.0) -> bool:
        """Tell whether clearly more was counted on the treatment: by so many times more than the baseline's."""
        baseline, treatment = self.counted.get(name, (None, None))
        return treatment is not None and treatment > (1 + by) * (baseline or 0.0) and treatment > 0
