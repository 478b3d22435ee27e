"""stress-ng: its log (``--metrics``, ``--metrics-brief``, ``--perf``, ``--times``) and its YAML file.

Versions 0.9 to 0.19: the columns of the table follow its heading. Where a log and the YAML of the same run
lie in one file, the figures are those of the YAML, which have more digits; what cannot be compared is told by
the log.

Source: https://github.com/ColinIanKing/stress-ng (``stress_metrics_dump``, ``stress_exit_status_summary``,
    ``perf_stat_dump``, ``stress_times_dump``).
Limits: bogo operations of another version, or of another stressor, are another unit of work. The YAML alone
    does not say what stress-ng distrusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import Line, because, numbered, refuse_cut
from assay.workloads.outputs.remarks import MOST
from assay.workloads.outputs.whole import whole
from assay.workloads.tools.stress_ng.log import Log, read_log
from assay.workloads.tools.stress_ng.remarks import Remarks
from assay.workloads.tools.stress_ng.runs import of_log, of_yaml
from assay.workloads.tools.stress_ng.yaml_file import Yaml, part, read_yaml

TOOL = "stress-ng"
SHORTEST_S = 0.5
"""Below this a rate rests on a few scheduling slices; ours, stress-ng itself names no limit."""


def read(output: bytes) -> ToolOutput:
    """Return all figures of a run of stress-ng.

    Raises:
        OutputError: no metrics, a line that is not known, a cut output.
    """
    lines = numbered(output, tool=TOOL)
    log_lines, yaml_lines = part(lines)
    runs = _paired(
        [read_log(run) for run in of_log(log_lines)], [read_yaml(one) for one in of_yaml(yaml_lines)], lines
    )
    entries: list[Figure | Refused] = []
    for number, (log, yaml) in enumerate(runs, start=1):
        reported = {"run": str(number)} if len(runs) > 1 else {}
        figures = yaml.figures or log.figures
        short = _short(figures)
        judged = [_judge(figure, log.remarks, short) for figure in figures]
        run_entries: tuple[Figure | Refused, ...] = (*judged, *yaml.refused, *_without(figures, log.remarks))
        entries += [replace(entry, labels={**reported, **entry.labels}) for entry in run_entries]
    if not any(
        log.figures or yaml.figures or log.remarks.skipped or log.remarks.failed for log, yaml in runs
    ):
        raise OutputError(TOOL, len(lines), "expected metrics (--metrics or --yaml), got none")
    log, yaml = runs[-1]
    if not any(yaml.figures for _, yaml in runs):
        refuse_cut(output, tool=TOOL)
    result = whole(TOOL, yaml.version or log.version, entries)
    return replace(result, remarks=tuple(note for log, _ in runs for note in log.notes)[:MOST])


def _paired(logs: list[Log], yamls: list[Yaml], lines: list[Line]) -> list[tuple[Log, Yaml]]:
    """Return for each run its log and its YAML; one of them may be missing, but then of all runs.

    Raises:
        OutputError: it is not told which YAML is of which run.
    """
    if not any(yaml.figures or yaml.refused for yaml in yamls):
        return [(log, Yaml()) for log in logs]
    if len(logs) == 1 and not logs[0].dispatched:
        return [(logs[0], yaml) for yaml in yamls]
    if len(logs) != len(yamls):
        lines[-1].fail(f"expected the YAML of each run, got {len(yamls)} of {len(logs)} runs")
    return list(zip(logs, yamls, strict=True))


def _short(figures: Sequence[Figure]) -> dict[str, float]:
    return {
        figure.labels["stressor"]: figure.value
        for figure in figures
        if figure.metric == "wall_clock_time" and figure.value < SHORTEST_S
    }


def _judge(figure: Figure, remarks: Remarks, short: dict[str, float]) -> Figure:
    stressor = figure.labels.get("stressor")
    reason = None if stressor is None else remarks.reason(stressor)
    if reason is None and stressor in short:
        reason = f"it ran for {short[stressor]:g} s, less than {SHORTEST_S:g} s"
    return replace(figure, labels=because(reason, figure.labels))


def _without(figures: Sequence[Figure], remarks: Remarks) -> tuple[Refused, ...]:
    shown = {figure.labels.get("stressor") for figure in figures}
    gone = {**remarks.failed, **remarks.skipped}
    lost = [Refused("bogo_ops", why, {"stressor": name}) for name, why in gone.items() if name not in shown]
    rates = [Refused("memory_rate", why, {"stressor": name}) for name, why in remarks.too_short.items()]
    return (*lost, *rates)
