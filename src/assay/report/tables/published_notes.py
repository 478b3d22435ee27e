"""What ours is beside published figures, and what is not alike, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.model.figures.published import PublishedSpec, Quantity
from assay.pages.published import PublishedRow, Unit

AS_PRINTED = (
    "Losses of others are as printed. Some print the overhead (slowdown - 1) under that name: "
    "what is 10 % so printed, is a loss of 9.1 %."
)
GAINS = "A gain of others is read as throughput won: 80 % more is a loss of -80 %."
TURNED = (
    "Theirs is turned round: what they won on the way from our treatment to our baseline is lost on "
    "the way back."
)


ACCELERATORS = {"kvm": "guests by KVM", "tcg": "guests emulated (TCG)"}


def here_text(models: Iterable[str], accelerators: Iterable[str]) -> str:
    """Return what ours were measured on: processors, and what carried the guests."""
    return ", ".join([*models, *(ACCELERATORS.get(one, f"guests by {one}") for one in accelerators)])


def weight_name(vcpus: int) -> str:
    """Return what the weight of a guest is called."""
    return f"QEMU beside its guest, {vcpus} vCPU{'' if vcpus == 1 else 's'}"


def events_name(margin: float) -> str:
    """Return what the number of events is called from which a loss changes no more."""
    return f"events from which the loss is within {margin * 100:g} % of what it tends to"


def row_differences(wanted: PublishedSpec, *, has_ours: bool) -> Iterator[str]:
    """Yield what is not alike in one row, by what the scene says of it.

    Args:
        wanted: What the scene says.
        has_ours: The published figures stand beside one of ours.
    """
    if wanted.differs:
        yield wanted.differs
    if has_ours and wanted.turned:
        yield TURNED
    if not has_ours and not wanted.differs:
        yield _alone(wanted)


def _alone(wanted: PublishedSpec) -> str:
    """Return why published figures stand beside nothing."""
    if not wanted.beside:
        return "The scene has nothing of its own to put beside it."
    whose = f" of {', '.join(wanted.treatments)}" if wanted.treatments else ""
    return f"This result has no {', '.join(wanted.beside)}{whose}."


def common_differences(rows: Sequence[PublishedRow], *, emulated: bool) -> Iterator[str]:
    """Yield what is not alike in all rows, and how losses and gains of others are read.

    Args:
        rows: The rows of a page.
        emulated: Guests of ours were emulated, and some of theirs ran by KVM.
    """
    yield "Other hardware, other programs, other years: nothing is concluded from published figures."
    if emulated:
        yield "Our guests were emulated in software (TCG), theirs ran by KVM: expect other figures."
    kinds = {row.quantity for row in rows if row.unit is Unit.LOSS}
    if Quantity.LOSS in kinds:
        yield AS_PRINTED
    if Quantity.GAIN in kinds:
        yield GAINS
