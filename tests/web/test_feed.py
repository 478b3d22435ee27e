"""Streams that share one look, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from assay.model.errors import AssayError
from assay.web.live import feed
from assay.web.live.feed import Feeds, Seen, digest_of

CLIENTS = 200


class Thing:
    """Something that changes with each look, and is over after some.

    Args:
        looks: Looks after which it is over.
    """

    def __init__(self, looks: int) -> None:
        self.looks, self._over_after = 0, looks

    def __call__(self) -> Seen:
        self.looks += 1
        return Seen({"part": f"seen {self.looks}", "same": "as ever"}, over=self.looks >= self._over_after)


def run(of: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run it in a thread of its own: a browser of other tests keeps a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(of())).result()


async def _all(feeds: Feeds, look: Callable[[], Seen], who: str = "me", **have: str) -> list[bytes]:
    return [event async for event in feeds.stream("thing", who, look, have)]


def test_many_clients_share_each_look() -> None:
    async def follow() -> None:
        thing, feeds = Thing(5), Feeds(look_s=0.05)
        streams = await asyncio.gather(*(_all(feeds, thing) for _ in range(CLIENTS)))
        assert thing.looks == 6, "the look after it was over makes sure of it"
        for events in streams:
            assert events.count(b"event: same\ndata: as ever\n\n") == 1, (
                "what has not changed is not sent again"
            )
            assert events[-2:] == [b"event: part\ndata: seen 6\n\n", b"event: over\ndata:\n\n"]

    run(follow)


def test_a_slow_client_gets_the_newest_content_and_not_what_was_between() -> None:
    async def follow() -> None:
        thing, feeds = Thing(20), Feeds(look_s=0)
        other = asyncio.create_task(_all(feeds, thing))
        slow = feeds.stream("thing", "me", thing, {})
        first = await anext(slow)
        await other
        rest = [event async for event in slow]
        assert len(rest) <= 3
        assert first != rest[-2]
        assert b"event: part\ndata: seen 21\n\n" in rest

    run(follow)


def test_nobody_looks_where_nobody_listens_and_who_left_counts_no_more() -> None:
    async def follow() -> None:
        thing, feeds = Thing(10**9), Feeds(look_s=0)
        stream = feeds.stream("thing", "me", thing, {})
        await anext(stream)
        await stream.aclose()
        for _ in range(200):
            await asyncio.sleep(0.01)
            if not feeds.followed:
                break
        assert not feeds.followed
        looks = thing.looks
        await asyncio.sleep(0.05)
        assert thing.looks == looks

    run(follow)


def test_what_a_page_has_already_is_not_sent() -> None:
    async def follow() -> None:
        thing = Thing(1)
        events = await _all(Feeds(look_s=0), thing, same=digest_of("as ever"))
        assert not [event for event in events if b"same" in event]
        assert events[-1] == b"event: over\ndata:\n\n"

    run(follow)


def test_one_person_has_so_many_streams_and_all_together_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "MOST_EACH", 1)
    monkeypatch.setattr(feed, "MOST", 2)

    async def follow() -> None:
        feeds = Feeds()
        assert feeds.has_room("a")
        first = feeds.stream("thing", "a", Thing(10**9), {})
        await anext(first)
        assert (feeds.has_room("a"), feeds.has_room("b")) == (False, True)
        second = feeds.stream("thing", "b", Thing(10**9), {})
        await anext(second)
        assert not feeds.has_room("c")
        await first.aclose()
        assert feeds.has_room("c")
        await second.aclose()

    run(follow)


def test_a_stream_with_nothing_to_tell_says_that_it_is_there() -> None:
    async def follow() -> None:
        feeds = Feeds(look_s=0, heartbeat_s=0.01)
        stream = feeds.stream("thing", "me", lambda: Seen({"part": "as ever"}, over=False), {})
        assert [await anext(stream) for _ in range(2)] == [b"event: part\ndata: as ever\n\n", b":\n\n"]
        await stream.aclose()

    run(follow)


def test_streams_end_with_the_server_and_where_a_look_fails() -> None:
    def fails() -> Seen:
        msg = "cannot read it"
        raise AssayError(msg)

    async def follow() -> None:
        feeds = Feeds(look_s=0)
        assert await _all(feeds, fails) == [b"event: over\ndata:\n\n"]
        stream = feeds.stream("thing", "me", lambda: Seen({"part": "x"}, over=False), {})
        await anext(stream)
        feeds.close()
        assert [event async for event in stream] == []

    run(follow)


def test_no_content_ends_an_event_early() -> None:
    async def follow() -> None:
        seen = Seen({"part": "a\r\n\r\nevent: over\rb\n\nc"}, over=True)
        events = await _all(Feeds(look_s=0), lambda: seen)
        assert events[0] == b"event: part\ndata: a\ndata: \ndata: event: over\ndata: b\ndata: \ndata: c\n\n"

    run(follow)


def test_a_stream_ends_after_its_time_and_is_asked_for_anew() -> None:
    async def follow() -> None:
        feeds = Feeds(look_s=0.01, longest_s=0.2)
        events = await asyncio.wait_for(_all(feeds, Thing(10**9)), 30)
        assert events
        assert b"event: over\ndata:\n\n" not in events

    run(follow)
