"""Instruction sets of a processor that a guest's lacks: what libraries choose their code by."""

from __future__ import annotations

from collections.abc import Sequence

_OF_X86 = "fpu"
_FAMILIES = ("avx", "amx_", "sse", "vaes", "vpclmul", "sha")
_SETS = frozenset(
    {
        *("abm", "adx", "aes", "bmi1", "bmi2", "cx16", "erms", "f16c", "fma", "fma4", "fsrm", "gfni"),
        *("lahf_lm", "movbe", "movdir64b", "movdiri", "pclmulqdq", "pni", "popcnt", "rdrand", "rdseed"),
        *("ssse3", "tbm", "xop", "xsave"),
    }
)
"""The kernel's words, ``pni`` is SSE3, ``abm`` LZCNT."""


def missing_in(guest: Sequence[str], host: Sequence[str]) -> tuple[str, ...]:
    """Return the instruction sets that a host's processor has and its guest's lacks, sorted.

    Args:
        guest: ``flags`` (x86) or ``Features`` (Arm) of the guest's ``/proc/cpuinfo``.
        host: The same of its host.

    Source: x86-64 psABI, microarchitecture levels; Linux, Documentation/arch/x86/cpuinfo.rst.

    Limits:
        Of x86 only what programs compute with counts: features of the kernel, of sleep states and of
        mitigations do not. Of Arm all words count.
    """
    lacks = set(host) - set(guest)
    return tuple(sorted(word for word in lacks if _OF_X86 not in host or _computes(word)))


def _computes(word: str) -> bool:
    return word in _SETS or word.startswith(_FAMILIES)
