"""Packs: a program with its Python libraries in one folder, made once and named by its content.

``home/packs/root-<digest>`` holds ``run.py``, the program (``packs``), ``lib-3.11`` (pip's ``--target``, for
one version of Python each) and ``pack.json``, which says what it is. pip's ordinary configuration decides
where the libraries come from. A pack is never changed: another assay, or other versions, make another folder.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import AssayError, MissingError
from assay.model.files.program import Ended, run_program
from assay.platforms.errors import PlatformError
from assay.platforms.locks import locked
from assay.platforms.pack_sources import START, PackSource, pack_source
from assay.platforms.process import PATH
from assay.platforms.removal import remove_tree, scratch_folder

_ABOUT = "pack.json"
_NEW = ".new-"
_PYTHON = re.compile(r"3\.\d{1,2}")
_SHORT_S, _PIP_S, _MAKE_S = 60.0, 1800.0, 3600.0
_LOCK_S = 2 * (_PIP_S + _MAKE_S)
"""Who waits for another that makes a pack waits for what that builds for two versions of Python at most."""
_JOBS_PATH = f"/usr/local/sbin:/usr/local/bin:{PATH}"
"""Where the probe looks up the programs of jobs (``probe/src/search.rs``)."""
PYTHON_VERSION = (
    "env",
    f"PATH={_JOBS_PATH}",
    "python3",
    "-c",
    "import sys; print('%d.%d' % sys.version_info[:2])",
)
"""A command that prints the version of the Python that jobs of an arm find, as ``3.11``."""


@dataclass(frozen=True)
class Pack:
    """A pack as it was made.

    Attributes:
        folder: Where it is.
        pythons: Versions of Python that it runs on, ``3.11``.
        distributions: By name the version of each library.
        size_bytes: All files together.
    """

    folder: Path
    pythons: tuple[str, ...]
    distributions: dict[str, str]
    size_bytes: int


def make_pack(
    name: str, home: Path, *, pythons: Sequence[str] = (), requirements: Sequence[str] | None = None
) -> Pack:
    """Make a pack; the same content is the same folder, which is left as it is.

    Args:
        name: A key of ``PACKS``.
        home: Folder of all state.
        pythons: Versions of Python that arms have; the one of ``python3`` here where none is given.
        requirements: What pip installs; the pack's own where ``None``.

    Raises:
        UnknownNameError: no pack of that name.
        AssayError: what is asked for is no version of Python.
        MissingError: no installed package brings the pack; pip is not there, or cannot bring the libraries.
        PlatformError: pip does not end in time.
    """
    source = pack_source(name)
    wanted = tuple(dict.fromkeys(pythons)) or (python_here(),)
    for python in wanted:
        if not _PYTHON.fullmatch(python):
            msg = f"cannot make the pack {name}: expected a version of Python like 3.11, got '{python}'"
            raise AssayError(msg)
    with locked(home / ".packs.lock", limit_s=_LOCK_S), _unfinished(home / "packs") as made:
        folder = made / name
        program = _program(source)
        for place, file in program.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / place)
        for python in wanted:
            _install(requirements or source.wanted(python), folder / f"lib-{python}", python, name)
        _write_about(folder, name, wanted, program)
        target = home / "packs" / f"{name}-{_digest(folder)}"
        if not target.exists():
            folder.rename(target)
    (target / _ABOUT).touch()  # the pack that was asked for last is the one that is used
    return read_pack(target)


@contextmanager
def _unfinished(packs: Path) -> Iterator[Path]:
    """Give a folder for a pack in the making, after removing what was left by makers that were killed."""
    packs.mkdir(parents=True, exist_ok=True)
    for left in packs.glob(f"{_NEW}*"):
        remove_tree(left)  # a killed maker's pip may still write: the next one has it
    made = scratch_folder(_NEW, packs)
    try:
        yield made
    finally:
        remove_tree(made)


def find_pack(home: Path, name: str) -> Path:
    """Return the folder of the pack that was made last of the very program that is installed.

    Raises:
        MissingError: there is none, or no installed package brings the pack.
        UnknownNameError: no pack of that name.
    """
    program = _digest_of(_program(pack_source(name)))
    packs = [path for path in (home / "packs").glob(f"{name}-*/{_ABOUT}") if path.is_file()]
    ours = [path for path in packs if json.loads(path.read_text("utf-8"))["program"] == program]
    if not ours:
        made = "those here were made by another assay" if packs else "it has not been made yet"
        msg = f"cannot find the pack {name} in {home / 'packs'}: {made}"
        raise MissingError(msg, hint=f"assay workload pack {name}")
    return max(ours, key=lambda path: path.stat().st_mtime_ns).parent


def read_pack(folder: Path) -> Pack:
    """Return what a pack says of itself."""
    about = json.loads((folder / _ABOUT).read_text("utf-8"))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Pack(folder, tuple(about["pythons"]), about["distributions"], size)


def require_python(pack: Path, python: str, where: str) -> None:
    """Refuse an arm whose Python a pack was not made for.

    Args:
        pack: Its folder.
        python: The arm's version, as ``3.11``.
        where: Name of the arm's machine.

    Raises:
        MissingError: it was not, with the command that makes it for that one as well.
    """
    pythons = json.loads((pack / _ABOUT).read_text("utf-8"))["pythons"]
    if python not in pythons:
        name = pack.name.partition("-")[0]
        made = f"it was made for Python {', '.join(pythons)}, and python3 there is {python}"
        wanted = " ".join(f"--python {one}" for one in (*pythons, python))
        msg = f"cannot run the pack {name} on {where}: {made}"
        raise MissingError(msg, hint=f"assay workload pack {name} {wanted}")


def python_here() -> str:
    """Return the version of Python that a workload finds here as ``python3``, as ``3.11``.

    Raises:
        MissingError: It does not start.
        PlatformError: It does not answer in time.
    """
    python = shutil.which("python3", path=_JOBS_PATH) or sys.executable
    cannot = "cannot tell which Python workloads find here"
    ended = _run((python, *PYTHON_VERSION[3:]), cannot, timeout_s=_SHORT_S)
    if ended.code:
        msg = f"{cannot}: {python} says: {_last(ended.stderr)}"
        raise MissingError(msg, hint=f"{python} --version")
    return ended.text.strip()


def _run(command: Sequence[str], cannot: str, *, timeout_s: float) -> Ended:
    """Run a program to its end, in the user's own environment: pip's configuration is there.

    Args:
        command: Program and arguments.
        cannot: What fails with it, as a message begins.
        timeout_s: Seconds that it may take.

    Raises:
        MissingError: It cannot be started.
        PlatformError: It did not end in time.
    """
    try:
        return run_program(command, timeout_s=timeout_s)
    except OSError as error:
        msg = f"{cannot}: {command[0]}: {error.strerror}"
        raise MissingError(msg, hint="python3 --version") from error
    except subprocess.TimeoutExpired as error:
        msg = f"{cannot}: {Path(command[0]).name} has not ended after {timeout_s:g} s"
        raise PlatformError(msg) from error


def make_root_file(pack: Path, target: Path, size: int, *, seed: str) -> None:
    """Make a ROOT file of exactly so many bytes by the pack's own program.

    Raises:
        MissingError: this machine has no Python that the pack runs on.
        PlatformError: the program failed, with its own words, or did not end in time.
    """
    pythons = read_pack(pack).pythons
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    python = sys.executable if ours in pythons else shutil.which(f"python{pythons[0]}")
    if python is None:
        msg = (
            f"cannot make ROOT files: the pack is for Python {', '.join(pythons)}, and this machine "
            f"has {ours}"
        )
        raise MissingError(
            msg, hint=f"assay workload pack root {' '.join(f'--python {p}' for p in (*pythons, ours))}"
        )
    command = (
        python,
        str(pack / "run.py"),
        "make",
        "--file",
        "--size",
        str(size),
        "--seed",
        seed,
        "--",
        str(target),
    )
    try:
        ended = _run(command, "cannot make ROOT files", timeout_s=_MAKE_S)
    except PlatformError:
        target.unlink(missing_ok=True)
        raise
    if ended.code:
        target.unlink(missing_ok=True)
        msg = f"cannot make ROOT files: {_last(ended.stderr, first=True)}"
        raise PlatformError(msg)


def _program(source: PackSource) -> dict[str, Path]:
    """Return a program's files by their place in a pack: its own, what all share, and what starts it."""
    folder = source.folder
    files = sorted((*folder.glob("*.py"), *(folder / source.name).rglob("*.py")))
    places = {f"packs/{path.relative_to(folder)}": path for path in files if path != folder / START}
    return places | {START: folder / START}


def _install(wanted: Sequence[str], target: Path, python: str, name: str) -> None:
    """Let pip put libraries into a folder, wheels alone, so that another Python's can be had too.

    Raises:
        MissingError: it cannot.
        PlatformError: it does not end in time.
    """
    options = ("--quiet", "--no-compile", "--no-input", "--disable-pip-version-check", "--only-binary=:all:")
    version = ("--python-version", python, "--implementation", "cp")
    command = (
        sys.executable,
        "-m",
        "pip",
        "install",
        *options,
        *version,
        "--target",
        str(target),
        *wanted,
    )
    cannot = f"cannot make the pack {name} for Python {python}"
    ended = _run(command, cannot, timeout_s=_PIP_S)
    if ended.code:
        msg = f"{cannot}: pip says: {_last(ended.stderr)}"
        raise MissingError(msg, hint="pip config list; python3 -m ensurepip")
    for path in sorted(target.rglob("*")):
        if path.name in {"tests", "__pycache__", "bin"} and path.is_dir():
            shutil.rmtree(path)


def _write_about(folder: Path, name: str, pythons: Sequence[str], program: Mapping[str, Path]) -> None:
    distributions = {}
    for path in sorted(folder.glob("lib-*/*.dist-info")):
        distribution, _, version = path.name.removesuffix(".dist-info").partition("-")
        distributions[distribution] = version
    about = {
        "pack": name,
        "program": _digest_of(program),
        "pythons": list(pythons),
        "distributions": distributions,
    }
    (folder / _ABOUT).write_text(json.dumps(about, indent=1) + "\n", "utf-8")


def _digest(folder: Path) -> str:
    """Return 12 hex digits of the SHA-256 of all names and contents; what pip and Python note beside is not
    in it.
    """
    places = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    noted = {"RECORD", "direct_url.json"}
    kept = {
        place: path
        for place, path in places.items()
        if "__pycache__" not in place.split("/") and path.name not in noted
    }
    return _digest_of(kept)


def _digest_of(files: Mapping[str, Path]) -> str:
    sums = hashlib.sha256()
    for place, path in sorted(files.items()):
        sums.update(f"{place}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return sums.hexdigest()[:12]


def _last(output: str, *, first: bool = False) -> str:
    lines = output.strip().splitlines() or ["nothing"]
    return lines[0 if first else -1].removeprefix("error: ").removeprefix("ERROR: ")
