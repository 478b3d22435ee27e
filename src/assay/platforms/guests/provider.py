"""The door for what makes virtual machines: libvirt here, others by the same treaty.

Who carries a guest, and how it is made, is behind it; whoever measures holds a ``Made`` and nothing else of
it.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from assay.model.machines.machine import Machine
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, Platform

Spec_contra = TypeVar("Spec_contra", contravariant=True)


class Carried(Protocol):
    """A guest that runs, whoever made it. Nothing that is asked of it changes it."""

    @property
    def name(self) -> str:
        """Return its name, by which its provider knows it."""

    @property
    def machine(self) -> Machine:
        """Return how it is reached: an address with its host key, and a key that lets us in."""

    def platform(self) -> Platform:
        """Return what it is now, read back and never taken from what was asked for.

        Raises:
            PlatformError: It does not run, or is not what was asked for.
        """

    def weight(self) -> GuestWeight | None:
        """Return what it holds of its host now; ``None`` where the provider does not tell."""

    def hypervisor_cpu(self) -> HypervisorCpu | None:
        """Return the CPU seconds that its host spent for it so far; ``None`` where the provider does not
        tell.
        """


class Made(Carried, Protocol):
    """A guest that we made: it carries our mark, and goes when we say so."""

    def mark_pending(self, pending: bool) -> None:
        """Say durably whether it holds a record not yet collected; cleaning up then leaves it alone."""

    def destroy(self) -> None:
        """Remove it with its disk at once; one that is gone is no error, and it may be said again."""


class Provider(Protocol[Spec_contra]):
    """Makes guests by specs of its own kind. One call is one try: nothing is retried, and each ends in
    bounded time.
    """

    def make(self, wanted: Spec_contra) -> Made:
        """Make a guest, mark it as ours *before* it exists for others, and wait until it is usable.

        Raises:
            AssayError: It could not be made, or was not usable in time; nothing of it is left.
        """

    def find(self, name: str) -> Made | None:
        """Return a guest of ours that an earlier process made; ``None`` where none of this name runs."""

    def ours(self) -> tuple[str, ...]:
        """Return the names of all guests that carry our mark, running or not, sorted; of others nothing is
        told.
        """
