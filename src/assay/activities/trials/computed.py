"""What the jobs of a trial computed, by the digest that they told of."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay.activities.trials.kept import read_stream
from assay.model.trial import State
from assay.model.work.workload import Workload
from assay.workloads import result_digest, tells_result


def computed(state: State, parts: Iterable[tuple[Workload, Path]]) -> str | None:
    """Return the digest of a trial's result; ``None`` of a failed one, and of a workload that tells of none.

    Args:
        state: Of the trial.
        parts: What ran, with the folder of its files; several for a trial of several guests, whose results
            are all named where they differ.
    """
    if state is not State.ENDED:
        return None
    reported = {result_digest(workload, _outputs(workload, folder)) for workload, folder in parts}
    return "+".join(sorted(one for one in reported if one is not None)) or None


def _outputs(workload: Workload, folder: Path) -> list[bytes]:
    """Return what each copy wrote to its standard output; that of the first has no number."""
    if not tells_result(workload):
        return []
    copies = range(workload.placement.copies)
    return [read_stream(folder, f"stdout.{copy}" if copy else "stdout") for copy in copies]
