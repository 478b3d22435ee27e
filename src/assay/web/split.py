"""The web process without root, and the helper that keeps it: one program in two processes."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from assay.activities.changes import fill_seen
from assay.activities.pages import page_of
from assay.activities.rows import take_up_records
from assay.activities.standing import as_it_stands
from assay.activities.summaries import summaries
from assay.model.errors import AssayError, MissingError
from assay.pages.context import Page
from assay.store.copied import Copier
from assay.store.readers import GROUP, close_again, keep_folder, keep_tree, site_group
from assay.store.rows import ActivityRow
from assay.store.store import Store
from assay.web.acts.helper import Helper

SHARED = ("activities", "imported", "machines", "scenes", "tunings")
"""Folders of a home whose files the web process reads, by the group."""
SOCKET, COPIES = "helper", "copies"
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
"""``linux/prctl.h``."""


@dataclass(frozen=True)
class Account:
    """Whom the web process becomes.

    Attributes:
        name: Its name.
        uid: Its number, not root's.
        gid: The number of its own group.
        readers: The number of the group that reads records.
    """

    name: str
    uid: int
    gid: int
    readers: int


def account_of(name: str) -> Account:
    """Return an account of this machine, for a web process that root starts.

    Raises:
        MissingError: We are not root, or there is no such account, or no group ``assay``.
    """
    if os.geteuid() != 0:
        msg = f"cannot serve as {name}: only root becomes another user"
        raise MissingError(msg, hint="start it as root, or leave 'user' out of the access file")
    try:
        entry = pwd.getpwnam(name)
    except KeyError as error:
        msg = f"cannot serve as {name}: there is no such account"
        raise MissingError(
            msg, hint=f"useradd --system --no-create-home --shell /usr/sbin/nologin {name}"
        ) from error
    if entry.pw_uid == 0:
        msg = f"cannot serve as {name}: that is root"
        raise MissingError(msg)
    if (readers := site_group()) is None:
        msg = f"cannot serve as {name}: there is no group '{GROUP}', by which records are read"
        raise MissingError(msg, hint=f"groupadd --system {GROUP}")
    return Account(name, entry.pw_uid, entry.pw_gid, readers)


def give_up_root(account: Account) -> None:
    """Become an account for good, in this process and in all that it starts.

    Source: ``man 2 setresuid``, ``man 2 prctl``: whoever has no root and PR_SET_NO_NEW_PRIVS never gains any.

    Raises:
        OSError: The kernel refuses.
        MissingError: The account cannot read assay itself.
    """
    os.setgroups([account.readers])
    os.setresgid(account.gid, account.gid, account.gid)
    os.setresuid(account.uid, account.uid, account.uid)
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_NO_NEW_PRIVS, 1), (_PR_SET_PDEATHSIG, signal.SIGTERM)):
        if libc.prctl(option, int(value), 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    os.umask(0o077)
    os.environ["HOME"] = "/"
    for file in (__file__, os.__file__):
        if not os.access(file, os.R_OK):
            msg = f"it cannot read {file}; install assay where everybody can, as below /opt"
            raise MissingError(msg)


def share_records(home: Path, account: Account) -> None:
    """Let the group read records that were made before there was one, and nothing that is no record."""
    for name in SHARED:
        if not (home / name).is_dir():
            continue
        keep_folder(home / name)
        for folder in (home / name).iterdir():
            if folder.is_dir() and not folder.is_symlink() and folder.stat().st_gid != account.readers:
                keep_tree(folder)
    close_again(home)


class FreshCopies:
    """Gives copies of a home's database in which all records are taken up, and all results are in short; what
    activities saw of machines comes into it beside, as the records of an older home are many.

    Args:
        home: The home.
        store: Its database.
    """

    def __init__(self, home: Path, store: Store) -> None:
        self._home, self._store, self._copier = home, store, Copier(home)
        self._lock, self._filling = threading.Lock(), threading.Thread()

    def copy(self, known: int | None) -> tuple[int, bytes | None]:
        """Return the newest version and its content; no content where that is the one known."""
        with self._lock:
            take_up_records(self._store)
            if self._copier.version() == known and known is not None:
                return known, None
            for _ in summaries(self._store, self._store.listed(), self._page, _left_out):
                pass
            self._fill()
            return self._copier.copy()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._filling.ident is not None:
                self._filling.join()
            self._copier.close()

    def _fill(self) -> None:
        """Begin to keep what activities saw, where some of it is not kept and nobody is at it."""
        if not self._filling.is_alive() and self._store.unseen():
            self._filling = threading.Thread(target=fill_seen, args=(self._store,), daemon=True)
            self._filling.start()

    def _page(self, row: ActivityRow) -> Page:
        return as_it_stands(self._home, row, lambda: page_of(row.folder))


def _left_out(activity: str, error: AssayError) -> None:
    sys.stderr.write(f"result {activity} is left out: {error.message}\n")


@contextmanager
def meeting(account: Account) -> Iterator[tuple[Path, Helper]]:
    """Make a folder for the two processes, and listen in it for the web process; it is gone at the end.

    In it is the socket, to which the web process alone may connect, and a folder of that process's own for
    copies of the database.
    """
    folder = Path(tempfile.mkdtemp(prefix="assay-serve-", dir="/run" if os.access("/run", os.W_OK) else None))
    try:
        folder.chmod(0o711)
        place, copies = folder / SOCKET, folder / COPIES
        copies.mkdir(mode=0o700)
        os.chown(copies, account.uid, account.gid)
        with Helper(place, account.uid) as helper:
            os.chown(place, account.uid, -1)
            place.chmod(0o600)
            yield folder, helper
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_apart(account: Account, helper: Helper, work: Callable[[], None]) -> int:
    """Start a process that gives up root and does some work; return its process id once it has no root.

    It has no part in the terminal of its parent, whose input it could fake else.

    Args:
        account: Whom it becomes.
        helper: What listens for it in this process alone.
        work: What it does; its end is the process's.

    Raises:
        MissingError: It cannot become that account.
    """
    parent, (told, tell) = os.getpid(), os.pipe()
    if (child := os.fork()) == 0:
        os.close(told)
        helper.socket.close()
        _be_apart(account, work, parent, tell)
    os.close(tell)
    with open(told, "rb") as answer:
        why = answer.read()
    if why:
        os.waitpid(child, 0)
        msg = f"cannot serve as {account.name}: {why.decode(errors='replace')}"
        raise MissingError(msg)
    return child


def _be_apart(account: Account, work: Callable[[], None], parent: int, tell: int) -> NoReturn:
    """Be the process that has no root; what hinders it is told to its parent."""
    code = 1
    try:
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            give_up_root(account)
        except (OSError, AssayError) as error:
            os.write(tell, str(error).encode())
            os._exit(code)
        os.close(tell)
        if os.getppid() == parent:
            work()
        code = 0
    except KeyboardInterrupt:
        code = 130
    except BaseException:  # noqa: BLE001 - nothing of the parent's may run here
        sys.stderr.write(traceback.format_exc())
    finally:
        sys.stderr.flush()
        os._exit(code)


def end(child: int) -> None:
    """End the web process, and wait for its end."""
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)


def keep_helping(helper: Helper, child: int) -> None:
    """Answer the web process until it ends; what asks this process to end asks that one.

    Raises:
        MissingError: It has ended by itself.
    """
    asked: list[int] = []

    def ask(number: int, _: object) -> None:
        asked.append(number)
        os.kill(child, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    threading.Thread(target=helper.serve_forever, daemon=True).start()
    _, status = os.waitpid(child, 0)
    helper.shutdown()
    if not asked:
        msg = f"cannot serve any more: the web process has ended with {os.waitstatus_to_exitcode(status)}"
        raise MissingError(msg)
