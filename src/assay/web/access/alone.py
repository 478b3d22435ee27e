"""One person on a machine's own loopback: whoever started the server, and root; nobody signs in."""

from __future__ import annotations

import os
import pwd

from starlette.requests import HTTPConnection

from assay.web.access.person import Person, Role
from assay.web.guard.peer import peer_uid


class Alone:
    """Answers the user who started the server, and root.

    Args:
        uid: The user; ``None`` is that of this process.
    """

    signs_in = False

    def __init__(self, uid: int | None = None) -> None:
        self._uid = os.getuid() if uid is None else uid

    def answers(self, connection: HTTPConnection) -> bool:
        """Tell whether a process of that user, or of root, holds the other end."""
        return self._holder(connection) in {self._uid, 0}

    def person(self, connection: HTTPConnection) -> Person | None:
        """Return who holds the other end."""
        uid = self._holder(connection)
        return None if uid is None else Person(login_of(uid), Role.ADMIN, key=f"uid {uid}")

    @staticmethod
    def _holder(connection: HTTPConnection) -> int | None:
        client, server = connection.scope.get("client"), connection.scope.get("server")
        if client is None or server is None or server[1] is None:
            return None
        return peer_uid((client[0], client[1]), (server[0], server[1]))


def login_of(uid: int) -> str:
    """Return what a user of this machine is called."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
