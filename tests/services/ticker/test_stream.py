from __future__ import annotations

import asyncio

import pytest

from elowire.domain import TimeControl
from elowire.ticker.changes import Change
from elowire.ticker.stream import Interest, Stream, Watcher

EVERYTHING = Interest()


def change(player="1", *, tournaments=("open",), controls=(TimeControl.STANDARD,), federation="NOR"):
    return Change(
        event="live-rating",
        value=b"{}",
        player_id=player,
        federation=federation,
        tournaments=frozenset(tournaments),
        time_controls=frozenset(controls),
    )


def stream_of(*players, kept=100, **options):
    stream = Stream("boot", kept=kept, **options)
    for player in players:
        stream.publish(change(player), b'{"player_id":"%s"}' % player.encode())
    return stream


def ids(events):
    return [event.id for event in events]


def test_an_event_on_the_wire_has_id_name_and_data():
    event = stream_of().event("live-rating", b'{"a":1}')

    assert event.message == '{"id":"boot-0","event":"live-rating","data":{"a":1}}'
    assert event.frame == b'id: boot-0\nevent: live-rating\ndata: {"a":1}\n\n'


def test_a_known_cursor_gets_exactly_what_it_missed():
    stream = stream_of("1", "2", "3")

    assert ids(stream.missed("boot-1", EVERYTHING)) == ["boot-2", "boot-3"]
    assert stream.missed("boot-3", EVERYTHING) == []
    assert ids(stream.missed("boot-0", Interest(players=frozenset({"2"})))) == ["boot-2"]


def test_the_ring_forgets_the_oldest():
    stream = stream_of("1", "2", "3", "4", kept=2)

    assert stream.missed("boot-1", EVERYTHING) is None
    assert ids(stream.missed("boot-2", EVERYTHING)) == ["boot-3", "boot-4"]


@pytest.mark.parametrize(
    "cursor",
    [None, "", "boot", "boot-", "boot-x", "boot-²", "boot--1", "boot-4", "other-1", "boot-" + "9" * 99],
)
def test_a_cursor_that_is_not_known_needs_a_snapshot(cursor):
    assert stream_of("1", "2", "3").missed(cursor, EVERYTHING) is None


@pytest.mark.parametrize(
    ("interest", "wanted"),
    [
        (EVERYTHING, True),
        (Interest(players=frozenset({"1", "2"})), True),
        (Interest(players=frozenset({"2"})), False),
        (Interest(tournament="open"), True),
        (Interest(tournament="closed"), False),
        (Interest(time_control=TimeControl.STANDARD), True),
        (Interest(time_control=TimeControl.BLITZ), False),
        (Interest(federation="NOR"), True),
        (Interest(federation="USA"), False),
        (Interest(players=frozenset({"1"}), tournament="closed"), False),
    ],
)
def test_a_watcher_sees_what_it_asked_for(interest, wanted):
    assert interest.covers(change()) is wanted


async def test_nothing_is_lost_between_looking_back_and_joining():
    stream = stream_of("1", "2")
    frames = stream.watch(EVERYTHING, "boot-1", lambda: b"{}")
    seen = await anext(frames)
    stream.publish(change("3"), b"{}")
    stream.publish(change("4"), b"{}")
    seen += await anext(frames)

    assert ids(seen) == ["boot-2", "boot-3", "boot-4"]
    await frames.aclose()
    assert len(stream) == 0


async def test_a_fresh_watcher_begins_with_a_snapshot_and_its_cursor():
    stream = stream_of("1", "2")
    frames = stream.frames(EVERYTHING, None, lambda: b'{"all":1}')

    assert await anext(frames) == b'id: boot-2\nevent: snapshot\ndata: {"all":1}\n\n'
    await frames.aclose()


async def test_a_slow_watcher_is_let_go_and_the_others_stay():
    stream = Stream("boot", waiting=3, pause_s=0)
    slow, quick = (stream.watch(EVERYTHING, None, lambda: b"{}") for _ in range(2))
    await anext(slow)
    await anext(quick)
    reading = asyncio.create_task(anext(quick))
    await asyncio.sleep(0)
    for player in "12345":
        stream.publish(change(player), b"{}")
        await asyncio.sleep(0)
        if reading.done():
            reading = asyncio.create_task(anext(quick))
            await asyncio.sleep(0)

    assert (len(stream), stream.slow) == (1, 1)
    with pytest.raises(StopAsyncIteration):
        await anext(slow)
    reading.cancel()


async def test_a_heartbeat_moves_the_cursor_of_who_is_not_concerned():
    stream = Stream("boot")
    frames = stream.frames(Interest(players=frozenset({"2"})), None, lambda: b"{}")
    await anext(frames)
    stream.publish(change("1"), b"{}")
    stream.beat(b"{}")

    assert await anext(frames) == b"id: boot-1\nevent: heartbeat\ndata: {}\n\n"
    await frames.aclose()


async def test_closing_ends_every_watcher():
    stream = stream_of()
    frames = stream.watch(EVERYTHING, None, lambda: b"{}")
    await anext(frames)
    stream.close()

    with pytest.raises(StopAsyncIteration):
        await anext(frames)


def test_the_queue_of_a_watcher_is_bounded():
    watcher, event = Watcher(2), stream_of().event("heartbeat", b"{}")

    assert [watcher.put(event) for _ in range(3)] == [True, True, False]
