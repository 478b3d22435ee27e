"""hyperfine: what ``--export-json`` and ``--export-csv`` wrote; always in seconds, whatever was shown.

Labels: ``command``, each ``parameter_NAME`` of a scan, ``run`` from 1 of single runs, ``index`` where
    commands are alike,
``report`` from 1 where files were put together.
The spread of one run is refused, or marked where CSV says 0: there is none. Figures of a command that failed
in some run (``--ignore-failure``) are marked as not comparable, and so are wall times of 0.

Source: ``src/export/json.rs``, ``csv.rs`` and ``benchmark_result.rs`` of hyperfine 1.0 to 1.19.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, Refused, ToolOutput
from assay.workloads.document import Document, read_documents
from assay.workloads.errors import OutputError
from assay.workloads.outputs.leaves import Path, figure, leaves, rule
from assay.workloads.outputs.marks import marked
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.whole import joined

TOOL = "hyperfine"
ONE_RUN = "one run has no spread"
ALIKE = "0: there was one run, or all were alike"
TOO_SHORT = "0 s: not told apart from the start of the shell (let it run with --shell=none)"
_TIMES = ("mean", "stddev", "median", "user", "system", "min", "max")
_WALL = ("mean", "median", "min", "max", "times")
_RULES = (
    rule("|".join(_TIMES), "s", Direction.LOWER),
    rule("times/(?P<run>[^/]+)", "s", Direction.LOWER),
    rule("memory_usage_byte/(?P<run>[^/]+)", "B", Direction.LOWER),
    rule("exit_codes/(?P<run>[^/]+)", "1", signed=True),
)
Entry = Figure | Refused


def read(output: bytes) -> ToolOutput:
    """Return all figures of an exported file, whose version it does not say.

    Raises:
        OutputError: neither JSON nor CSV of hyperfine, a damaged file, or a figure that is no number.
    """
    text = output.decode("utf-8-sig", "replace")
    first = text.lstrip().partition("\n")[0].strip()
    if first.startswith("command,"):
        result = _output(_of_csv(text))
        refuse_cut(output, tool=TOOL)
        return result
    if first.startswith("{"):
        reports = read_documents(text.encode(), tool=TOOL)
        return joined([_output(_of_json(report)) for report in reports], label="report")
    problem = f"expected what --export-json or --export-csv wrote, got '{first:.60}'"
    raise OutputError(TOOL, 1, problem)


def _output(reported: Iterator[Entry]) -> ToolOutput:
    entries = list(reported)
    measurements = tuple(entry for entry in entries if isinstance(entry, Figure))
    return ToolOutput(TOOL, None, measurements, tuple(e for e in entries if isinstance(e, Refused)))


def _of_json(report: Document) -> Iterator[Entry]:
    results = report.at("results")
    if not isinstance(results, list) or not results:
        report.fail("expected a list 'results', got none")
    label_sets = [_labels(report, ("results", at)) for at in range(len(results))]
    keys = [tuple(sorted(labels.items())) for labels in label_sets]
    times, seen = Counter(keys), Counter[object]()
    for at, (labels, key) in enumerate(zip(label_sets, keys, strict=True)):
        own = labels if times[key] == 1 else {**labels, "index": str(seen[key])}
        seen[key] += 1
        yield from _result(report, ("results", at), own)


def _labels(report: Document, place: Path) -> dict[str, str]:
    command, parameters = report.at(*place, "command"), report.at(*place, "parameters")
    if not isinstance(command, str):
        report.fail(f"expected a 'command' at results[{place[-1]}], got none")
    only = report.at(*place, "parameter")
    named = parameters if isinstance(parameters, dict) else {}
    alone = {} if only is None else {"parameter": str(only)}
    return {"command": command} | alone | {f"parameter_{name}": str(value) for name, value in named.items()}


def _result(report: Document, place: Path, labels: Mapping[str, str]) -> Iterator[Entry]:
    failed = _failed(report, place)
    own = dict(labels) | ({NOT_COMPARABLE: failed} if failed else {})
    for path, value in leaves(report.at(*place)):
        if path == ("stddev",) and value is None:
            yield Refused("stddev", ONE_RUN, labels)
        elif path[0] == "exit_codes" and value is None:
            yield Refused("exit_codes", "ended by a signal", {**labels, "run": str(int(path[1]) + 1)})
        elif (leaf := figure(report, (*place, *path), _RULES, depth=len(place))) is not None:
            run = {"run": str(int(leaf.labels["run"]) + 1)} if "run" in leaf.labels else {}
            yield _seen(replace(leaf, labels={**own, **leaf.labels, **run}))


def _failed(report: Document, place: Path) -> str:
    codes = report.at(*place, "exit_codes")
    for run, code in enumerate(codes if isinstance(codes, list) else (), start=1):
        if code != 0:
            how = "was ended by a signal" if code is None else f"ended with exit code {code}"
            return f"run {run} {how}"
    return ""


def _of_csv(text: str) -> Iterator[Entry]:
    try:
        reader = csv.reader(io.StringIO(text))
        (_, header), *lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise OutputError(TOOL, 1, f"expected CSV, got one with {error}") from error
    if unknown := [name for name in header[1:] if name not in _TIMES and not name.startswith("parameter")]:
        raise OutputError(TOOL, 1, f"expected columns of hyperfine, got '{unknown[0]:.40}'")
    if not lines:
        raise OutputError(TOOL, 1, "expected results below the column names, got none")
    for number, cells in lines:
        if len(cells) != len(header):
            problem = f"expected {len(header)} cells, got {len(cells)}"
            raise OutputError(TOOL, number, problem)
        yield from _row(number, dict(zip(header, cells, strict=True)))


def _row(number: int, cells: Mapping[str, str]) -> Iterator[Entry]:
    labels = {name: value for name, value in cells.items() if name not in _TIMES}
    one_run = len({cells.get(name) for name in ("mean", "min", "max")}) == 1
    for name in (name for name in cells if name in _TIMES):
        if name == "stddev" and not cells[name]:
            yield Refused(name, ONE_RUN, labels)
            continue
        try:
            value = float(cells[name])
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            raise OutputError(TOOL, number, f"expected a number for {name}, got '{cells[name]:.40}'")
        alike = ALIKE if name == "stddev" and one_run else None
        yield marked(_seen(Figure(name, value, "s", Direction.LOWER, labels)), alike)


def _seen(figure: Figure) -> Figure:
    """Mark a wall time of 0, which no command takes: hyperfine subtracts the time that it gives the shell."""
    return marked(figure, TOO_SHORT if figure.value == 0 and figure.metric in _WALL else None)
