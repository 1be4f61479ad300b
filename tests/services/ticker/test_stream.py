from __future__ import annotations

import asyncio
import re
import tracemalloc
from contextlib import ExitStack, asynccontextmanager

import pytest

from elowire.domain import TimeControl
from elowire.ticker.changes import Change
from elowire.ticker.stream import Interest, Stream
from elowire.ticker.watchers import Batch, Watcher

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

    assert event.message == b'{"id":"boot-0","event":"live-rating","data":{"a":1}}'
    assert event.frame == b'id: boot-0\nevent: live-rating\ndata: {"a":1}\n\n'


@pytest.mark.parametrize("form", ["body", "messages"])
def test_what_is_kept_for_those_who_come_back_does_not_grow_when_it_is_written(form):
    stream = Stream("boot", kept=200)
    for _ in range(200):
        stream.publish(change(), b'{"a":"%b"}' % (b"x" * 1_000))
    tracemalloc.start()
    try:
        for event in stream.missed("boot-0", EVERYTHING):
            assert len(getattr(Batch([event]), form)) > 1_000
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert grown < 50_000


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


class Client:
    """A connection that takes everything, until it is told to take nothing."""

    def __init__(self):
        self.writable, self.taken, self.resumed = True, [], None

    def write(self, batch):
        self.taken.append(batch.chunk)

    @property
    def text(self):
        return b"".join(chunk.partition(b"\r\n")[2][:-2] for chunk in self.taken)

    async def send(self, batch):
        self.taken.append(batch.chunk)


@asynccontextmanager
async def watched(stream, interest=EVERYTHING, cursor=None, *, wired=True):
    """A client that watches for the block: on a connection that is known, or by messages."""
    client = Client()
    with stream.watching(interest, cursor, lambda: b'{"all":1}') as watcher:
        running = asyncio.create_task(watcher.run(client.send, client if wired else None))
        await asyncio.sleep(0)
        client.ended = running.done
        yield client
        running.cancel()


async def handed_out(stream):
    """Let the pause go by, and the tasks that it wakes."""
    await asyncio.sleep(stream.pause_s + 0.01)


def quick(**options):
    return Stream("boot", pauses_s=(0.0, 0.0), **options)


def numbers(client):
    """The numbers of the events that a client got, in order."""
    return [int(one) for one in re.findall(rb"id: boot-(\d+)", client.text)]


async def test_nothing_is_lost_between_looking_back_and_joining():
    stream = stream_of("1", "2")
    async with watched(stream, cursor="boot-1") as client:
        stream.publish(change("3"), b"{}")
        stream.publish(change("4"), b"{}")
        await handed_out(stream)

        assert numbers(client) == [2, 3, 4]
    assert len(stream) == 0


async def test_a_fresh_watcher_begins_with_a_snapshot_and_its_cursor():
    async with watched(stream_of("1", "2")) as client:
        assert client.text == b'id: boot-2\nevent: snapshot\ndata: {"all":1}\n\n'


async def test_who_comes_within_a_pause_gets_what_comes_after_and_nothing_twice():
    stream = quick()
    async with watched(stream) as early:
        stream.publish(change("1"), b"{}")
        stream.publish(change("2"), b"{}")
        async with watched(stream) as late, watched(stream, cursor="boot-1") as back:
            stream.publish(change("3"), b"{}")
            await handed_out(stream)
            stream.publish(change("4"), b"{}")
            await handed_out(stream)

    assert numbers(early) == [0, 1, 2, 3, 4]
    assert numbers(late) == [2, 3, 4]
    assert numbers(back) == [2, 3, 4]


async def test_all_of_one_interest_get_the_same_object_and_others_their_own():
    stream = quick()
    some = Interest(players=frozenset({"2"}))
    async with (
        watched(stream) as one,
        watched(stream) as two,
        watched(stream, wired=False) as three,
        watched(stream, some) as chosen,
    ):
        for player in "123":
            stream.publish(change(player), b"{}")
        await handed_out(stream)

    assert len(one.taken) == 2
    assert one.taken[1] is two.taken[1] is three.taken[1]
    assert numbers(one) == [0, 1, 2, 3]
    assert numbers(chosen) == [0, 2]


async def test_both_ways_give_the_same_bytes():
    stream = quick()
    async with watched(stream) as wired, watched(stream, wired=False) as sent:
        for player in "12345":
            stream.publish(change(player), b'{"player_id":"%s"}' % player.encode())
            stream.beat(b"{}")
            await handed_out(stream)

    assert wired.taken == sent.taken
    assert len(wired.taken) == 6


@pytest.mark.parametrize("wired", [True, False])
async def test_many_changes_at_once_throw_nobody_out_who_keeps_up(wired):
    stream = quick(waiting=1_000)
    async with watched(stream, wired=wired) as client:
        for burst in range(3):
            for _ in range(2_500):
                stream.publish(change(str(burst)), b"{}")
            await handed_out(stream)

        assert numbers(client) == list(range(7_501))
        assert (len(stream), stream.slow) == (1, 0)


async def test_a_connection_that_pauses_waits_its_turn_and_gets_all_in_order():
    stream = quick(waiting=10)
    async with watched(stream) as client:
        client.writable = False
        for player in "123":
            stream.publish(change(player), b"{}")
            await handed_out(stream)
        assert numbers(client) == [0]
        client.writable = True
        client.resumed()
        stream.publish(change("4"), b"{}")
        await handed_out(stream)

        assert numbers(client) == [0, 1, 2, 3, 4]


async def test_a_slow_watcher_is_let_go_and_the_others_stay():
    stream = quick(waiting=3)
    async with watched(stream) as slow, watched(stream) as keeps_up:
        slow.writable = False
        for player in "12345":
            stream.publish(change(player), b"{}")
            await handed_out(stream)

        assert (len(stream), stream.slow) == (1, 1)
        assert (slow.ended(), keeps_up.ended()) == (True, False)
        assert numbers(keeps_up) == [0, 1, 2, 3, 4, 5]
        assert numbers(slow) == [0]


async def test_a_heartbeat_moves_the_cursor_of_who_is_not_concerned():
    stream = quick()
    async with watched(stream, Interest(players=frozenset({"2"}))) as client:
        stream.publish(change("1"), b"{}")
        stream.beat(b"{}")
        await handed_out(stream)

        assert client.text.endswith(b"id: boot-1\nevent: heartbeat\ndata: {}\n\n")


@pytest.mark.parametrize("wired", [True, False])
async def test_closing_ends_every_watcher(wired):
    stream = stream_of()
    async with watched(stream, wired=wired) as client:
        stream.publish(change("1"), b"{}")
        stream.close()
        await handed_out(stream)

        assert client.ended()


async def test_the_pause_grows_with_the_watchers_between_its_bounds():
    stream, pauses = Stream("boot"), []
    with ExitStack() as stack:
        for _ in range(4_000):
            stack.enter_context(stream.watching(EVERYTHING, None, lambda: b"{}"))
            pauses.append(stream.pause_s)

    assert (pauses[0], pauses[1_999], pauses[-1]) == (0.02, 0.1, 0.15)


def test_the_queue_of_a_watcher_is_bounded():
    event = stream_of().event("heartbeat", b"{}")
    watcher = Watcher(Batch([]), waiting=2)

    assert [watcher.put(Batch([event])) for _ in range(3)] == [True, True, False]
