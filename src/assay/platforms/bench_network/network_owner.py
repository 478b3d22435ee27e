"""Who made which bench network: names of its parts, and the note beside its namespaces."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from assay.platforms.bench_network.iproute import links, namespaces
from assay.platforms.durable import read_json, write_json
from assay.platforms.process import ProcessMark, is_alive
from assay.platforms.readers import make_missing

MARK = "asy"
"""Every link and namespace of ours starts with this."""
STATE = Path("/run/assay/networks")
"""Who made which network; beside the namespaces, which do not outlive a reboot either."""

_FORMER = {"server": "iperf3", "loopback": "iperf3_loopback"}
"""What earlier versions called iperf3's servers, which may still run."""


@dataclass(frozen=True)
class NetworkOwner:
    """Who made a network, and its servers.

    Attributes:
        name: The activity.
        owner: Its process.
        noted: Its servers that were started: each in the server's namespace by its name, ``iperf3``, and that
            on 127.0.0.1 as ``iperf3_loopback``.
    """

    name: str
    owner: ProcessMark
    noted: Mapping[str, ProcessMark] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        """Tell whether the maker still runs."""
        return is_alive(self.owner)

    @property
    def servers(self) -> tuple[ProcessMark, ...]:
        """Return those of its servers that were started."""
        return tuple(self.noted.values())


def network_token(name: str) -> str:
    """Return the part that the names of a network's parts share: the mark and 6 hex digits.

    Names of links have at most 15 characters (IFNAMSIZ), so an activity's own name does not fit.
    """
    return f"{MARK}{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def network_tokens() -> tuple[str, ...]:
    """Return the tokens of all networks of ours of which any part is there, sorted."""
    length = len(network_token(""))
    parts = (*links(MARK), *namespaces(MARK), *(path.stem for path in STATE.glob(f"{MARK}*.json")))
    return tuple(sorted({part[:length] for part in parts}))


def network_owner(token: str) -> NetworkOwner | None:
    """Return who made a network; ``None`` where that is not known."""
    value = read_json(_file(token), "name", "owner")
    if value is None:
        return None
    marks = {key: mark for key, mark in value.items() if key not in {"name", "owner"} and mark}
    noted = {_FORMER.get(key, key): ProcessMark(**mark) for key, mark in marks.items()}
    return NetworkOwner(str(value["name"]), ProcessMark(**value["owner"]), noted)


def write_owner(token: str, owner: NetworkOwner) -> None:
    """Remember who made a network."""
    make_missing(STATE, mode=0o755)
    value = asdict(owner)
    write_json(_file(token), value | value.pop("noted"), mode=0o644)


def forget_owner(token: str) -> None:
    """Remove what is noted of a network and what its servers said."""
    for file in (_file(token), *STATE.glob(f"{token}.*.log")):
        file.unlink(missing_ok=True)


def server_log(token: str, server: str) -> Path:
    """Return the file that a server's output goes to; ``server`` is its name in ``NetworkOwner.noted``."""
    return STATE / f"{token}.{server}.log"


def _file(token: str) -> Path:
    return STATE / f"{token}.json"
