"""What the containers of a result were, in sentences: as the kernel showed them after their start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.model.platforms.container import Container
from assay.model.units import format_bytes
from assay.pages.method.place import Containers

ANSWERS = {
    "host": "the machine's own kernel",
    "gVisor": "gVisor's kernel",
    "Linux": "a Linux kernel of its own",
}


def container_sentences(arms: Iterable[Containers]) -> Iterator[str]:
    """Yield what the container of each arm was, and what it used beside its jobs."""
    for arm in arms:
        yield from (_one(arm.label, kind) for kind in arm.kinds)
        if arm.cpu_s is not None:
            whole, reported = arm.cpu_s
            yield (
                f"{arm.label}: {whole:.2f} s of CPU a trial by the machine, {reported:.2f} s by the "
                "count inside it."
            )


def _one(label: str, seen: Container) -> str:
    parts = [seen.version, f"system calls answered by {ANSWERS.get(seen.kernel, seen.kernel)}"]
    if seen.platform is not None:
        parts.append(f"caught by {seen.platform}")
    own = (
        f"namespaces of its own: {', '.join(seen.isolated)}"
        if seen.isolated
        else "in this machine's namespaces"
    )
    cpus = ", ".join(map(str, seen.cpus))
    parts += [own, f"every thread on core{'s' if len(seen.cpus) > 1 else ''} {cpus}"]
    if seen.memory_bytes is not None:
        parts.append(f"{format_bytes(seen.memory_bytes)} of memory")
    if seen.cpu_quota is not None:
        parts.append(f"a CPU quota of {100 * seen.cpu_quota:.4g}%")
    return (
        f"{label}: {'; '.join(parts)}; the machine's files, read-only but for one folder; made "
        "afresh in each visit."
    )
