"""Streams of server-sent events: whoever follows the same thing shares one look at it.

Source:
    HTML Living Standard, 9.2 Server-sent events.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from assay.model.errors import AssayError

LOOK_S = 1.0
"""Between two looks."""
HEARTBEAT_S = 15.0
"""A stream that has nothing to tell says so after this: whoever passes it on does not close it."""
LONGEST_S = 900.0
"""A stream ends after this, and a browser asks for it anew: whether it still may is looked at again."""
MOST, MOST_EACH = 1024, 256
"""Streams in all, and of one person."""
OVER = b"event: over\ndata:\n\n"
_LINES = re.compile("\r\n|\r|\n")


@dataclass(frozen=True)
class Seen:
    """What a look saw.

    Attributes:
        parts: Parts of a page by name, as HTML.
        over: Nothing more is to come.
    """

    parts: Mapping[str, str]
    over: bool


Look = Callable[[], Seen]


def digest_of(part: str) -> str:
    """Return what tells a part's content from another."""
    return hashlib.sha256(part.encode()).hexdigest()[:12]


class Feeds:
    """The streams of a server.

    Args:
        look_s: Seconds between two looks at the same thing.
        heartbeat_s: Seconds after which a stream says that it is there.
        longest_s: Seconds after which a stream ends, to be asked for anew.
    """

    def __init__(
        self, *, look_s: float = LOOK_S, heartbeat_s: float = HEARTBEAT_S, longest_s: float = LONGEST_S
    ) -> None:
        self.heartbeat_s, self.look_s, self.longest_s = heartbeat_s, look_s, longest_s
        self.closed = False
        self._feeds: dict[str, _Feed] = {}
        self._streams: Counter[str] = Counter()

    @property
    def followed(self) -> tuple[str, ...]:
        """What is looked at now."""
        return tuple(self._feeds)

    def has_room(self, who: str) -> bool:
        """Tell whether a person may have one more stream."""
        return self._streams[who] < MOST_EACH and self._streams.total() < MOST

    async def stream(self, name: str, who: str, look: Look, have: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yield the newest content of each part of a thing as an event whenever it changes; then ``over``.

        A client that reads slowly skips what was in between. Nobody looks while nobody listens.

        Args:
            name: The thing.
            who: The person who listens, in all sessions of theirs.
            look: Looks at it, in a thread; taken of the first who listens.
            have: Digests of the parts that the client has already.
        """
        self._streams[who] += 1
        feed = self._feeds.get(name)
        if feed is None or feed.over:
            feed = self._feeds[name] = _Feed(look)
        feed.listeners += 1
        if feed.looking is None:
            feed.looking = asyncio.create_task(self._look(name, feed))
        try:
            async for event in self._events(feed, dict(have)):
                yield event
        finally:
            feed.listeners -= 1
            self._streams[who] -= 1
            self._streams += Counter()  # forgets who has none

    async def _events(self, feed: _Feed, sent: dict[str, str]) -> AsyncIterator[bytes]:
        ends = time.monotonic() + self.longest_s
        while not self.closed and time.monotonic() < ends:
            changed = feed.changed
            behind = next((name for name, part in feed.parts.items() if sent.get(name) != part.digest), None)
            if behind is not None:
                part = feed.parts[behind]
                sent[behind] = part.digest
                yield part.event
            elif feed.over:
                yield OVER
                return
            else:
                try:
                    await asyncio.wait_for(changed.wait(), self.heartbeat_s)
                except TimeoutError:
                    yield b":\n\n"

    async def _look(self, name: str, feed: _Feed) -> None:
        """Look once a time until nobody listens, or the thing is over: twice, as its holder may change."""
        over = 0
        try:
            while feed.listeners and over < 2:
                try:
                    seen = await run_in_threadpool(feed.look)
                except (AssayError, OSError):  # the page says why, to who loads it again
                    return
                over = over + 1 if seen.over else 0
                feed.take(seen.parts)
                if feed.listeners and over < 2:
                    await asyncio.sleep(self.look_s)
        finally:
            feed.over = True
            feed.wake()
            if self._feeds.get(name) is feed:
                del self._feeds[name]

    def close(self) -> None:
        """End all streams, without ``over``: the server ends."""
        self.closed = True
        for feed in self._feeds.values():
            feed.wake()


@dataclass(frozen=True)
class _Part:
    digest: str
    event: bytes


class _Feed:
    """One thing that is looked at, and its newest parts."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.listeners = 0
        self.over = False
        self.parts: dict[str, _Part] = {}
        self.changed = asyncio.Event()
        self.looking: asyncio.Task[None] | None = None

    def take(self, parts: Mapping[str, str]) -> None:
        """Take what was seen; who listens is woken where a part has changed."""
        new = {name: digest for name, text in parts.items() if self._other(name, digest := digest_of(text))}
        for name, digest in new.items():
            self.parts[name] = _Part(digest, _event(name, parts[name]))
        if new:
            self.wake()

    def _other(self, name: str, digest: str) -> bool:
        return name not in self.parts or self.parts[name].digest != digest

    def wake(self) -> None:
        """Wake who listens."""
        self.changed.set()
        self.changed = asyncio.Event()


def _event(name: str, text: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in _LINES.split(text))
    return f"event: {name}\n{lines}\n".encode()
