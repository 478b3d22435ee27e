"""Digests of what jobs computed: all copies of one must tell the same."""

from __future__ import annotations

from collections.abc import Iterable

from assay.workloads.document import Document
from assay.workloads.errors import OutputError


def report_digest(report: Document) -> str:
    """Return the digest that a report tells.

    Raises:
        OutputError: there is none in it.
    """
    digest = report.at("digest")
    if not isinstance(digest, str) or len(digest) != 16 or set(digest) - set("0123456789abcdef"):
        report.fail(f"expected a digest of 16 hexadecimal digits, got {digest!r:.40}")
    return digest


def one_digest(name: str, reports: Iterable[Document]) -> str:
    """Return the digest that all copies of a job tell.

    Args:
        name: The workload.
        reports: One of each copy, at least one.

    Raises:
        OutputError: a report lacks it, or two copies differ: they did the same work and came to another
            result.
    """
    reported = {report_digest(report) for report in reports}
    if len(reported) > 1:
        problem = f"expected the same result of all copies, got {' and '.join(sorted(reported))}"
        raise OutputError(name, None, problem)
    return reported.pop()
