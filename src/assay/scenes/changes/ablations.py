"""What can be ablated in a scene to prove that it causes a loss: each an ablation, off where the scene is as
it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.scenes.changes import ablate, ablate_settings
from assay.scenes.values.scene import Scene
from assay.workloads.command import WALL


@dataclass(frozen=True)
class Ablation:
    """One change to a scene that takes a possible cause of its loss away.

    Attributes:
        name: As the command line takes it.
        title: What is done where it is on.
        proves: What is proved where ablating it wins loss back, one sentence.
        applies: Returns why it does not apply to a scene, one clause; ``None`` where it applies.
        apply: Returns the scene with it on; its text is left as it was.
        proves_causes: Codes of the causes of a budget that are proved where it wins loss back.
        states: States of the budget that it may ablate; with the causes they tell which ablations come first.
        changes_work: Workloads are started with other arguments where it is on.
        spoils: Metrics that it changes by itself; nothing is proved by them where it takes part.
    """

    name: str
    title: str
    proves: str
    applies: Callable[[Scene], str | None]
    apply: Callable[[Scene], Scene]
    proves_causes: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    changes_work: bool = False
    spoils: tuple[str, ...] = ()


_ALL = (
    Ablation(
        "cpu-quota",
        "the treatment without its quota of processor time",
        "The quota of processor time causes this part of the loss.",
        ablate.has_factor("cpu_quota", "quota of processor time"),
        ablate.without_factor("cpu_quota"),
        proves_causes=("cpu-quota",),
        states=("queue", "idle"),
    ),
    Ablation(
        "disk-cache",
        "the guest's disk in cache mode unsafe, and a baseline guest's with it: the host's page "
        "cache carries it, no flush is waited for",
        "The guest's disk past the host's page cache, with its flushes, causes this part of the loss.",
        ablate.uncached_by_host,
        ablate.with_host_cache,
        proves_causes=("disk-throughput",),
        states=("io", "idle"),
    ),
    Ablation(
        "disk-read-limit",
        "the treatment without its limit of reading from its disk",
        "The limit of reading causes this part of the loss.",
        ablate.has_factor("read_bytes_per_s", "limit of reading"),
        ablate.without_factor("read_bytes_per_s"),
        proves_causes=("disk-throughput",),
        states=("io", "idle"),
    ),
    Ablation(
        "disk-write-limit",
        "the treatment without its limit of writing to its disk",
        "The limit of writing causes this part of the loss.",
        ablate.has_factor("write_bytes_per_s", "limit of writing"),
        ablate.without_factor("write_bytes_per_s"),
        proves_causes=("disk-throughput",),
        states=("io", "idle"),
    ),
    Ablation(
        "guest-cpu",
        "the guest with the processor of its host, as far as its accelerator can show it",
        "Another CPU model than the host's causes this part of the loss.",
        ablate_settings.has_setting(ablate_settings.OWN_CPU, "CPU model of its own"),
        ablate_settings.without_setting(ablate_settings.OWN_CPU),
        states=("user",),
    ),
    Ablation(
        "huge-pages",
        "the guest's memory in huge pages of 2 MiB, and a baseline guest's with it where it has none",
        "Small pages under the guest's memory cause this part of the loss.",
        ablate_settings.lacks_setting(ablate_settings.PAGES[0], "its memory in huge pages"),
        ablate_settings.with_setting(*ablate_settings.PAGES),
        states=("user", "system"),
    ),
    Ablation(
        "memory",
        "the treatment without its limit of memory; a guest with twice its memory, and the baseline with it",
        "Too little memory causes this part of the loss.",
        ablate.has_little_memory,
        ablate.with_more_memory,
        proves_causes=("memory-limit",),
        states=("io", "system"),
    ),
    Ablation(
        "native-network",
        "the guest's network card as it is where nothing is said: virtio on a tap of the host",
        "The guest's network back end or card causes this part of the loss.",
        ablate_settings.has_setting(("net",), "network setting of its own"),
        ablate_settings.without_setting(("net",)),
        states=("system", "idle"),
    ),
    Ablation(
        "no-output",
        "workloads that can do without their output write none, on both arms",
        "Writing the output causes this part of the loss.",
        ablate.has_output,
        ablate.on_workloads(ablate.without_output),
        states=("io", "system"),
        changes_work=True,
    ),
    Ablation(
        "page-cache",
        "the treatment's files in the state of the baseline's at the start",
        "The state of the page cache at the start causes this part of the loss.",
        ablate.has_factor("page_cache", "page cache of its own"),
        ablate.without_factor("page_cache"),
        proves_causes=("cold-cache",),
        states=("io", "idle"),
    ),
    Ablation(
        "pause",
        "the treatment no longer made to stand still",
        "Being made to stand still causes this part of the loss.",
        ablate.has_factor("pause", "pause"),
        ablate.without_factor("pause"),
        proves_causes=("waiting",),
        states=("idle",),
    ),
    Ablation(
        "preload",
        "the workloads' files are in the page cache before the start, on both arms",
        "Reading files from storage causes this part of the loss.",
        ablate.can_preload,
        ablate.on_workloads(ablate.preload),
        proves_causes=("cold-cache",),
        states=("io",),
    ),
    Ablation(
        "stagger",
        f"copies start {ablate.STAGGER_S:g} s apart instead of at once, on both arms",
        "Copies in the same phase at once cause this part of the loss.",
        ablate.can_stagger,
        ablate.on_workloads(ablate.stagger),
        states=("system", "io", "queue"),
        spoils=(WALL.name,),
    ),
)

ABLATIONS: Mapping[str, Ablation] = MappingProxyType({ablation.name: ablation for ablation in _ALL})
"""Every ablation whose factor or workload exists, by name."""
