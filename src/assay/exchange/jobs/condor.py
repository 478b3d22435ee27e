"""HTCondor: the objects of ``condor_history -json`` or ``-jsonl``, read as they come.

Source: the manual's "Job ClassAd Attributes" (23.9). ``RemoteWallClockTime`` counts every run of a job and
    its suspensions, ``LastRemoteWallClockTime`` its last run, ``RemoteUserCpu`` and ``RemoteSysCpu`` the run
    that was not thrown away.
Limits: wall time holds the transfer of a job's own files by HTCondor. What a ClassAd leaves to an expression
    (``/Expr(…)/``) is not told.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, NoReturn

from assay.exchange.jobs.job import Damaged, DamageError, EventsOf, Job, LeftOut, Told, above_zero

CHUNK, LONGEST = 1 << 20, 8 << 20
"""Bytes that are read at once; characters of one object."""
_SURE = 1 << 16
"""Characters after an error behind which it is one: nearer to the end, more may follow."""
_BETWEEN = re.compile(r"[\s\[\],]*")
_NEXT = re.compile(r"\n[ \t]*\{")
COMPLETED = 4
STATES = {1: "not ended", 2: "not ended", 3: "cancelled", 5: "held", 6: "not ended", 7: "not ended"}
"""``JobStatus`` of a job that is left out."""


def read_condor(stream: BinaryIO, file: str, events: EventsOf) -> Iterator[Told]:
    """Yield what a history tells; what is damaged is passed over up to the next object."""
    for place, value in _objects(stream, file):
        if isinstance(value, Damaged):
            yield value
            continue
        try:
            yield _job(value, events)
        except DamageError as error:
            yield Damaged(place, error.expected, error.actual)


def _objects(stream: BinaryIO, file: str) -> Iterator[tuple[str, dict[str, object] | Damaged]]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    scanner = json.JSONDecoder(parse_constant=_refuse)
    text, line, more = "", 1, True
    while more:
        piece = stream.read(CHUNK)
        more = bool(piece)
        text += decoder.decode(piece, final=not more)
        at = 0
        while (start := _begin(text, at)) < len(text):
            line += text.count("\n", at, start)
            at, place = start, f"{file}:{line}"
            try:
                value, end = scanner.raw_decode(text, start)
                if not isinstance(value, dict):
                    raise DamageError(expected="an object", actual=text[start : start + 40])
                yield place, value
            except (ValueError, RecursionError) as error:
                if more and len(text) - start < LONGEST and _may_go_on(error, text):
                    break
                yield place, Damaged(place, "a whole JSON object", _reason(error))
                following = _NEXT.search(text, start + 1)
                end = len(text) if following is None else following.end() - 1
            line += text.count("\n", at, end)
            at = end
        else:
            line += text.count("\n", at)
            at = len(text)
        text = text[at:]


def _begin(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return at if found is None else found.end()


def _may_go_on(error: Exception, text: str) -> bool:
    return isinstance(error, json.JSONDecodeError) and len(text) - error.pos < _SURE


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"'{error.msg.lower()}' after {error.pos - error.doc.rfind(chr(10), 0, error.pos)} characters"
    return str(error) if isinstance(error, ValueError) else "one that is nested too deeply"


def _refuse(word: str) -> NoReturn:
    msg = f"the number {word}"
    raise ValueError(msg)


def _job(ad: Mapping[str, object], events: EventsOf) -> Job | LeftOut:
    status = _number(ad, "JobStatus")
    if status is None:
        raise DamageError(expected="a job of HTCondor's with JobStatus", actual=", ".join([*ad][:3]))
    if status != COMPLETED:
        return LeftOut(STATES.get(int(status), "not ended"), _own(ad))
    if ad.get("ExitBySignal") is True or _number(ad, "ExitCode") not in (0, None):
        return LeftOut("failed", _own(ad))
    node = ad.get("LastRemoteHost")
    if not isinstance(node, str) or not node:
        return LeftOut("without a node")
    wall = _wall(ad)
    if wall is None:
        return LeftOut("without wall time")
    user, system = (_number(ad, name) for name in ("RemoteUserCpu", "RemoteSysCpu"))
    cores = _number(ad, "CpusProvisioned") or _number(ad, "RequestCpus")
    return Job(
        name=_name(ad),
        node=node.rpartition("@")[2],
        cores=int(cores) if cores and cores >= 1 else None,
        wall_s=wall,
        cpu_s=above_zero(None if user is None or system is None else user + system),
        events=above_zero(_number(ad, events)) if isinstance(events, str) else events,
        start_s=_number(ad, "JobCurrentStartDate") or _number(ad, "JobStartDate"),
        number=_own(ad),
    )


def _own(ad: Mapping[str, object]) -> str | None:
    """Return what our wrapper calls a job, by ``GlobalJobId``: ``submit.example.org#4711.0#1777593600``."""
    scheduler, _, rest = str(ad.get("GlobalJobId", "")).partition("#")
    number = rest.partition("#")[0]
    return f"{number}@{scheduler}" if number else None


def _wall(ad: Mapping[str, object]) -> float | None:
    """Return the wall time of the run that ended, without suspensions; ``None`` where it is not told."""
    if (_number(ad, "NumJobStarts") or 0) > 1 or (_number(ad, "JobRunCount") or 0) > 1:
        # of which run a suspension was is not told
        suspended = _number(ad, "CumulativeSuspensionTime")
        return None if suspended else above_zero(_number(ad, "LastRemoteWallClockTime"))
    wall = _number(ad, "RemoteWallClockTime")
    return above_zero(None if wall is None else wall - (_number(ad, "CumulativeSuspensionTime") or 0.0))


def _name(ad: Mapping[str, object]) -> str:
    for key in ("JobBatchName", "Cmd"):
        value = ad.get(key)
        if isinstance(value, str) and value:
            return value.rpartition("/")[2]
    return ""


def _number(ad: Mapping[str, object], key: str) -> float | None:
    """Return a number of 0 or more; ``None`` where there is none, or an expression.

    Raises:
        DamageError: Something else stands there.
    """
    value = ad.get(key)
    if value is None or (isinstance(value, str) and value.startswith("/Expr(")):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e18:
        raise DamageError(expected=f"a number of 0 or more in {key}", actual=value)
    return float(value)
