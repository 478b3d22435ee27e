"""The guest's packages: what APT knows of them, and which a site added to its images."""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import AssayError, MissingError
from assay.platforms.durable import read_json, write_json
from assay.platforms.host_command import run
from assay.platforms.images.recipe import Recipe, current_recipe
from assay.platforms.locks import locked

_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.]")  # Debian policy 5.6.1; a final "-" tells APT to remove
_APT_S = 600.0
_UNKNOWN = re.compile(
    r"E: (?:Unable to locate package |Package '|Couldn't find any package by \w+ ')([^\s']+)"
)


class UnknownPackageError(AssayError):
    """APT knows no such package in the sources that guests are built from."""

    def __init__(self, names: Sequence[str], suites: Sequence[str], *, nearest: str | None = None) -> None:
        self.names, self.suites, self.nearest = tuple(names), tuple(suites), nearest
        known = f"looked in {', '.join(suites)}" if suites else "not a name of a Debian package"
        quoted = ", ".join(f"'{name}'" for name in names)
        near = f"; nearest: '{nearest}'" if nearest else ""
        super().__init__(
            f"cannot put package into the guest image: APT knows no {quoted}, {known}{near}",
            hint=f"apt-cache search {names[0]}; apt-file search bin/PROGRAM finds the package of a program",
        )


@dataclass(frozen=True)
class Resolved:
    """What APT would install for a recipe.

    Attributes:
        names: All packages, dependencies included.
        installed_bytes: Their size on a disk by their own word.
    """

    names: tuple[str, ...]
    installed_bytes: int


def resolve(recipe: Recipe) -> Resolved:
    """Ask APT, without installing anything, what a recipe's packages need.

    Raises:
        UnknownPackageError: a package is not there.
        AssayError: the packages can't be installed together.
        MissingError: the machine's archives have no such release, or none that its keys sign.
    """
    _require_names(recipe.packages)
    with tempfile.TemporaryDirectory(prefix="assay-apt-") as folder:
        options = _options(Path(folder), recipe)
        if recipe.foreign:
            options += _fetched(Path(folder), options, recipe)
        wanted = [*recipe.packages, recipe.kernel, "?essential"]
        chosen = dict(_chosen(_simulate(options, wanted, recipe)))
        return Resolved(tuple(sorted(chosen)), sum(_sizes(options, chosen)))


def site_packages(home: Path) -> tuple[str, ...]:
    """Return the packages that this site added to its guest images, sorted."""
    kept = read_json(_site_file(home)) or {}
    return tuple(sorted(str(name) for name in kept.get("packages", ())))


def add_site_packages(home: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Add packages to all guest images of this site from now on and return all of them, sorted.

    Raises:
        UnknownPackageError: APT knows one of them not; then none is added.
    """
    _require_names(names)
    resolve(current_recipe(names))
    with locked(home / "images" / ".packages.lock"):
        together = tuple(sorted({*site_packages(home), *names}))
        write_json(_site_file(home), {"packages": list(together)})
    return together


def _site_file(home: Path) -> Path:
    return home / "images" / "packages.json"


def _require_names(names: Sequence[str]) -> None:
    wrong = [name for name in names if not _NAME.fullmatch(name)]
    if wrong:
        raise UnknownPackageError(wrong, ())


def _options(folder: Path, recipe: Recipe) -> list[str]:
    """Return APT's options to see the recipe's sources alone and a machine with nothing installed."""
    sources = folder / "sources.list"
    sources.write_text("".join(f"{line}\n" for line in recipe.sources), encoding="utf-8")
    settings = {
        "Dir::Etc::SourceList": str(sources),
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Status": "/dev/null",
        "Dir::Cache::pkgcache": str(folder / "pkgcache.bin"),  # the machine's own cache stays as it is
        "Dir::Cache::srcpkgcache": "",
        "Debug::NoLocking": "1",
        "APT::Install-Recommends": "0",
    }
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


def _fetched(folder: Path, options: Sequence[str], recipe: Recipe) -> list[str]:
    """Fetch the lists of another release into a folder, and return APT's options to see them."""
    (folder / "lists/partial").mkdir(parents=True)
    folder.chmod(0o755)  # APT fetches as a user of its own
    seen = ["-o", f"Dir::State::Lists={folder / 'lists'}"]
    ended = run(["apt-get", *options, *seen, "-q", "update", "--error-on=any"], timeout_s=_APT_S)
    if ended.code:
        said = [line for line in ended.stderr.splitlines() if line.startswith("E:")]
        msg = (
            f"cannot build a guest image of the release '{recipe.suite}': "
            f"{said[0].removeprefix('E: ') if said else 'APT cannot fetch its lists'}"
        )
        raise MissingError(msg, hint="a codename of the machine's own distribution, like trixie")
    return seen


def _simulate(options: Sequence[str], wanted: Sequence[str], recipe: Recipe) -> str:
    ended = run(["apt-get", *options, "-q", "--simulate", "install", "--", *wanted], timeout_s=_APT_S)
    unknown = sorted(set(_UNKNOWN.findall(ended.stderr)))
    if unknown:
        suites = sorted({codename for codename, _ in recipe.suites})
        raise UnknownPackageError(unknown, suites, nearest=_nearest(options, unknown[0]))
    if ended.code:
        output = " ".join((ended.text[-2000:] + ended.stderr).split())
        msg = f"cannot put packages into the guest image: APT says {output[-600:]}"
        raise AssayError(msg, hint="apt-get update, or leave out the package that is named last")
    return ended.text


def _nearest(options: Sequence[str], name: str) -> str | None:
    """Return the package whose name is most like one that APT does not know, of those that begin like it."""
    known = run(["apt-cache", *options, "pkgnames", name[:3]], timeout_s=_APT_S).text.split()
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.6)), None)


def _chosen(text: str) -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^Inst (\S+) \((\S+) ", text, re.MULTILINE)


def _sizes(options: Sequence[str], chosen: dict[str, str]) -> Iterator[int]:
    pairs = [f"{name}={version}" for name, version in chosen.items()]
    ended = run(["apt-cache", *options, "show", "--", *pairs], timeout_s=_APT_S)
    for size in re.findall(r"^Installed-Size: (\d+)$", ended.text, re.MULTILINE):
        yield int(size) * 1024  # Debian policy 5.6.20: in KiB
