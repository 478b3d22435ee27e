"""The server that a tool's clients are measured against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

SHIPPED_PROBE = "{probe}"
"""As a server's program: the probe, which is brought to every arm."""


@dataclass(frozen=True)
class Server:
    """A server that stands on the bench network while clients of it are measured.

    Attributes:
        name: Unique among those of all tools, letters, digits, ``-`` and ``_``: its log and the note of its
            process are called so.
        program: Its executable, looked up in the folders of the system; ``{probe}`` is the probe.
        options: Its arguments, the address among them as ``{address}``, at which alone it must listen; it
            stays in the foreground.
        port: TCP port at which it listens when it is ready, also where it serves UDP; 5201, 12865 and 12866
            are those of the servers of assay's own tools.
        clients: The words that a client's command begins with, the program without its folder, and how many
            such clients it serves at once; ``None`` is "as many as come".
        package: Debian package that brings it; ``None`` where unknown.
        always: It stands there whatever is measured, for clients that a shell starts are not seen in a
            command. Of assay's own tools alone.
    """

    name: str
    program: str
    options: tuple[str, ...]
    port: int
    clients: Mapping[tuple[str, ...], int | None]
    package: str | None = None
    always: bool = False

    def serves(self, command: Sequence[str]) -> bool:
        """Tell whether a command is that of a client of it, and names ``{server}``."""
        return any(self._limits(command))

    def most_clients(self, command: Sequence[str]) -> int | None:
        """Return how many clients with a command it serves at once; ``None`` where nothing limits them, or
        it serves none.
        """
        return next((most for _, most in self._limits(command)), None)

    def _limits(self, command: Sequence[str]) -> Iterator[tuple[tuple[str, ...], int | None]]:
        if any("{server}" in word for word in command):
            own = (PurePath(command[0]).name, *command[1:])
            yield from ((words, most) for words, most in self.clients.items() if own[: len(words)] == words)
