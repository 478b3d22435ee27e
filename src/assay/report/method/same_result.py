"""Which workloads came to one result on all arms, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def result_sentences(same: Mapping[str, str]) -> Iterator[str]:
    """Say which workloads came to one result on all arms, and to which.

    Args:
        same: Digests of the results by workload.
    """
    if same:
        reported = ", ".join(f"{workload} ({digest})" for workload, digest in same.items())
        yield f"The same result in every trial, on all arms, by its digest: {reported}."
