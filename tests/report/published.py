"""Published figures written by hand: three kinds of hardware, a gain beside a cut-off loss, a weight, one
alone.
"""

from __future__ import annotations

from assay.model.figures.published import Quantity
from assay.pages.published import Inside, Published, PublishedRow, Source, TheirFigure, Unit

SOURCES = (
    Source("juno-2017", "Zhang et al.", 2017, None, None, None, "KVM", "JUNO in guests"),
    Source("nasty-2001", "<b>A|B</b>", 2001, "*T*", "V\nW", "http://x/?a&b", None, "what | <i>else</i>"),
)


def row(**changes: object) -> PublishedRow:
    """Return a loss beside one published figure, changed."""
    said: dict[str, object] = {
        "figures": "juno-2017/cpu-loss", "quantity": Quantity.LOSS, "what": "loss of SPEC CPU2006 in a guest",
        "place": "table 1", "publication": "juno-2017", "workload": "my-job", "metric": "wall",
        "treatment": None, "unit": Unit.LOSS, "value": 0.12, "low": 0.05, "high": 0.2,
        "theirs": (theirs(17.68),), "inside": Inside.INSIDE, "differs": ("It stands in.",),
    }  # fmt: skip
    return PublishedRow(**(said | changes))  # type: ignore[arg-type]


def theirs(low: float, high: float | None = None, hardware: str | None = "H1") -> TheirFigure:
    """Return a published loss in percent."""
    high = low if high is None else high
    return TheirFigure(round(low / 100, 12), round(high / 100, 12), low, high, "%", hardware, None)


GAIN = TheirFigure(-0.8, -0.8, 80.0, 80.0, "%", None, "full against off")
PUBLISHED = Published(
    here="A CPU, guests by KVM",
    rows=(
        row(theirs=(theirs(17.68), theirs(6.25, hardware="H2"), theirs(5.0, 8.83, "H3"))),
        row(
            figures="nasty-2001/<gain>", quantity=Quantity.GAIN, publication="nasty-2001", what="gain | <b>",
            theirs=(GAIN,), metric="cpu", treatment="disk.cache <none>", value=-1.5, low=-4.0, high=-0.5,
            inside=Inside.INSIDE, differs=("<script>alert(1)</script> | *no*",),
        ),
        row(
            figures="juno-2017/kvm-memory-1-core", quantity=Quantity.MEMORY, what="memory", workload=None,
            unit=Unit.MB, metric="QEMU beside its guest, 1 vCPU", value=236.7, low=236.3, high=237.1,
            inside=Inside.OUTSIDE, differs=(),
            theirs=(TheirFigure(667.0, 667.0, 667.0, 667.0, "MB", None, "a guest of 1 core"),),
        ),
        row(metric="lost", value=None, low=None, high=None, inside=None, differs=()),
        row(
            figures="juno-2017/writeback-gain", quantity=Quantity.GAIN, workload=None, metric=None, unit=None,
            value=None, low=None, high=None, inside=None,
            theirs=(TheirFigure(None, None, 10.0, 10.0, "%", None, None),),
            differs=("Theirs is against writethrough.",),
        ),
    ),
    publications=SOURCES,
    differs=("Nothing is concluded from them.",),
)  # fmt: skip
