"""By which driver a guest uses its measured network card, whatever its model.

Source: QEMU ``hw/net`` (the models), Linux ``drivers/net``; QEMU's rtl8139 is the one with descriptors,
    driver 8139cp.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.platforms.images.root_disk import refuse_driver


@dataclass(frozen=True)
class _Card:
    driver: str
    full: bool = True
    """Debian's cloud kernel lacks it."""


_CARDS = {
    "vmxnet3": _Card("vmxnet3", full=False),
    "e1000e": _Card("e1000e"),
    "e1000": _Card("e1000"),
    "rtl8139": _Card("8139cp"),
}
"""By ``net.model``; virtio's driver is loaded by every guest."""


def card_words(model: str, *, full: bool) -> tuple[str, ...]:
    """Return the words by which a guest of ours loads the driver of its card; none for virtio.

    Args:
        model: Level of ``net.model``.
        full: The kernel is not Debian's cloud kernel (``full_kernel``).

    Raises:
        PlatformError: the guest's kernel has none.
    """
    card = _CARDS.get(model)
    if card is None:
        return ()
    if card.full and not full:
        refuse_driver(f"net.model={model}")
    return (f"assay.card={card.driver}",)
