"""What a job would lose, as text."""

from __future__ import annotations

from assay.pages.forecast import ForecastPage
from assay.pages.numbers import interval_text, value_text
from assay.report.tables.tables import plain, table

NOTE = (
    "Each kind of time is taken to be slowed down alike for all programs; the interval is from how well the "
    "workloads forecast each other."
)


def text_forecast(page: ForecastPage) -> str:
    """Return a forecast as text: the loss, what the job's time is spent on, how the workloads were met."""
    if page.loss is None:
        head = f"no forecast for {page.command}"
        reasons = "\n".join(f"  {plain(reason)}" for reason in page.reasons)
        parts = [f"{plain(head)}\n{reasons}"]
    else:
        size = interval_text(page.loss, page.low, page.high)
        parts = [plain(f"{page.command} would lose {size} in the guest of result {page.result}"), NOTE]
    if page.kinds:
        rows = [
            (one.kind, f"{value_text(one.seconds)} s", "-" if one.slowdown is None else f"{one.slowdown:.3g}")
            for one in page.kinds
        ]
        headers = ("on this machine", "time", "times the time in the guest")
        parts.append(table(headers, rows, right={1, 2}))
    if page.checked:
        cells = [
            (one.workload, f"{100 * one.forecast:.1f} %", f"{100 * one.measured:.1f} %")
            for one in page.checked
        ]
        parts.append(table(("workload", "forecast by the others", "measured"), cells, right={1, 2}))
    return "\n\n".join(parts) + "\n"
