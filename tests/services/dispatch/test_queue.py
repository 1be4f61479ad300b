"""The queue: what is read is queued once or not at all, and each player's deliveries keep their order."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from elowire.dispatch import deliveries, desk
from elowire.dispatch import store_subscriptions as stored
from elowire.dispatch.egress import Egress
from elowire.dispatch.filters import Filters
from elowire.dispatch.intake import begin, lacks_federations, positions, read_batch, take
from elowire.dispatch.lanes import Attempt, due, finish
from elowire.dispatch.schedule import Delivered, GiveUp, Outcome, Reply, RetryAt
from elowire.dispatch.store import Store, StoreError
from elowire.dispatch.subscriptions import RefusedError, State, Wanted
from tests.services.dispatch.sending import SECRET, live_record, record

NOW_MS = 1_760_000_000_000
NOW = datetime.fromtimestamp(NOW_MS / 1000, UTC)
DAY_MS = 86_400_000
OK = Reply(Outcome.DELIVERED, "status 200", 200)
BAD = Reply(Outcome.SERVER_ERROR, "status 500", 500)


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "dispatch.sqlite")
    yield opened
    opened.close()


def add(store, name="club", **filters):
    wanted = Wanted(
        name=name, url="https://club.example", secret=SecretStr(SECRET), filters=Filters(**filters)
    )
    return desk.add(store, wanted, egress=Egress(), random=b"r" * 32, now=NOW)[0]


def read(store, *records, now_ms=NOW_MS, **more):
    return take(store, read_batch(records), now_ms, **more)


def listed(player, federation, *, offset=0, revision=1):
    data = {"player_id": player, "list": "2025-10", "revision": revision, "federation": federation}
    return record("rating-lists", data, "x", "elowire.published-rating.v1", player, offset)


def queued(store, name="club"):
    with store.reading() as connection:
        found = stored.subscription_named(connection, name)
        return [one.event_id for one in deliveries.listed_deliveries(connection, found)][::-1]


def heads(store, now_ms=NOW_MS, busy=None, places=100):
    return due(store, now_ms, places, busy or {})


def end(store, head, reply=OK, decision=None, now_ms=NOW_MS, delays_s=(5,)):
    return finish(store, head, Attempt(now_ms, 3, reply), decision or Delivered(), now_ms, delays_s)


def test_a_record_is_queued_once_however_often_it_is_read(store):
    add(store)
    records = [live_record("1", 1, offset=4), live_record("1", 2, offset=5)]
    first, second = read(store, *records), read(store, *records)

    assert (first.queued.total(), second.queued.total(), second.known.total()) == (2, 0, 2)
    assert queued(store) == ["1:1", "1:2"]
    assert positions(store) == {("live-ratings", 0): 6}


def test_only_versions_newer_than_those_seen_are_queued_also_by_later_subscriptions(store):
    read(store, live_record("1", 5))
    add(store)
    read(store, live_record("1", 4), live_record("1", 5), live_record("1", 6), live_record("2", 1))

    assert queued(store) == ["1:6", "2:1"]


def test_what_fails_in_the_middle_moves_neither_the_queue_nor_the_position(store):
    add(store)
    read(store, live_record("1", 1, offset=1))
    with store.transaction() as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON event WHEN NEW.event_id = '1:3' "
            "BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    records = [live_record("1", 2, offset=2), live_record("1", 3, offset=3)]
    with pytest.raises(sqlite3.Error, match="full"):
        read(store, *records)
    before = queued(store), positions(store)
    with store.transaction() as connection:
        connection.execute("DROP TRIGGER full")
    read(store, *records)

    assert before == (["1:1"], {("live-ratings", 0): 2})
    assert (queued(store), positions(store)) == (["1:1", "1:2", "1:3"], {("live-ratings", 0): 4})


def test_an_event_for_several_is_kept_once_and_queued_for_each(store):
    add(store, "one")
    add(store, "two", players=("1",))
    add(store, "three", players=("2",))
    read(store, live_record("1", 1))
    with store.reading() as connection:
        (events,) = connection.execute("SELECT COUNT(*) FROM event").fetchone()

    assert (queued(store, "one"), queued(store, "two"), queued(store, "three"), events) == (
        ["1:1"],
        ["1:1"],
        [],
        1,
    )


def test_what_cannot_be_read_is_passed_over_and_named(store):
    add(store)
    broken = live_record("1", 1)._replace(value=b"{")
    batch = read_batch([broken, live_record("1", 2, offset=1)])
    take(store, batch, NOW_MS)

    assert [one.record for one in batch.unreadable] == [broken]
    assert queued(store) == ["1:2"]
    assert positions(store) == {("live-ratings", 0): 2}


def test_a_federation_comes_from_the_lists_which_are_read_on_when_it_is_not_known_yet(store):
    add(store, federations=("NOR",))
    rated = read_batch([live_record("1", 1), live_record("2", 1)])
    lacking = lacks_federations(store, rated)
    read(store, listed("1", "NOR"), listed("2", "USA", offset=1))
    lacking_still = lacks_federations(store, rated)
    take(store, rated, NOW_MS)
    read(store, listed("2", "NOR", offset=2, revision=2), listed("1", "SWE", offset=3, revision=0))
    read(store, live_record("1", 2), live_record("2", 2))
    # What was read ahead comes once more, in its turn.
    read(store, listed("1", "NOR", offset=1))

    assert positions(store)["rating-lists", 0] == 4
    assert (lacking, lacking_still) == (True, False)
    assert queued(store) == ["1:1", "1:2", "2:2"]


def test_without_a_federation_filter_no_list_is_waited_for(store):
    add(store)
    assert not lacks_federations(store, read_batch([live_record("1", 1)]))


def test_reading_begins_at_the_end_of_outputs_and_the_beginning_of_lists_and_then_goes_on(store):
    begin(store, {("live-ratings", 0): (0, 10), ("rating-lists", 0): (3, 10)})
    first = positions(store)
    read(store, live_record("1", 1, offset=12))
    said = begin(
        store, {("live-ratings", 0): (0, 20), ("live-ratings", 1): (2, 5), ("rating-lists", 0): (3, 10)}
    )

    assert first == {("live-ratings", 0): 10, ("rating-lists", 0): 3}
    # A partition that was added later is read as a whole.
    assert positions(store) == {("live-ratings", 0): 13, ("live-ratings", 1): 2, ("rating-lists", 0): 3}
    assert said == []


def test_records_that_were_deleted_unread_are_counted(store):
    begin(store, {("live-ratings", 0): (0, 10)})
    said = begin(store, {("live-ratings", 0): (15, 20)})

    assert said == ["5 records of live-ratings/0 were deleted before they were read"]
    assert positions(store) == {("live-ratings", 0): 15}


def test_a_topic_made_anew_is_read_from_its_beginning_with_versions_from_1(store):
    add(store)
    begin(store, {("live-ratings", 0): (0, 0), ("rated-games", 0): (0, 0)})
    read(store, live_record("1", 8, offset=30))
    said = begin(store, {("live-ratings", 0): (0, 2), ("rated-games", 0): (0, 0)})
    read(store, live_record("1", 1, offset=0, live="1.0"))

    assert said == ["topic live-ratings was made anew; it is read from its beginning"]
    assert queued(store) == ["1:8", "1:1"]
    assert positions(store)["live-ratings", 0] == 1


def test_a_full_queue_keeps_what_comes_in_the_log_from_where_it_can_be_sent(store):
    add(store)
    taken = read(store, *(live_record("1", version) for version in range(1, 5)), most_queued=2)
    with store.reading() as connection:
        counted = deliveries.counts(connection, stored.subscription_named(connection, "club"))
    desk.replay(store, "club", failed=True, now=NOW)
    with store.reading() as connection:
        again = deliveries.counts(connection, stored.subscription_named(connection, "club"))

    assert taken.overflowed == 2
    assert counted == {"queued": 2, "delivered": 0, "failed": 2}
    assert again == {"queued": 4, "delivered": 0, "failed": 0}


def test_only_the_oldest_delivery_of_a_player_is_due_and_places_are_kept(store):
    add(store, "one")
    add(store, "two")
    read(store, *(live_record(player, version) for player in "123" for version in (1, 2)))
    found = heads(store)
    (first, *_) = found
    busy = {first.subscription.id: {"1"}}

    assert [(one.subscription.name, one.lane) for one in found] == [
        (name, lane) for name in ("one", "two") for lane in "123"
    ]
    assert [one.attempts for one in found] == [0] * 6
    assert [one.lane for one in heads(store, busy=busy)][:2] == ["2", "3"]
    assert [one.subscription.name for one in heads(store, busy=busy, places=1)] == ["two"]


def test_a_subscription_removed_while_an_attempt_is_under_way_stays_removed(store):
    add(store)
    read(store, live_record("1", 1))
    (head,) = heads(store)
    desk.remove(store, "club")
    end(store, head)
    with store.reading() as connection:
        left = [
            connection.execute(look).fetchone()
            for look in (
                "SELECT COUNT(*) FROM delivery",
                "SELECT COUNT(*) FROM lane",
                "SELECT COUNT(*) FROM attempt",
            )
        ]

    assert left == [(0,)] * 3


@pytest.mark.parametrize(("before", "state"), [(True, State.ACTIVE), (False, State.DISABLED)])
def test_giving_up_disables_only_an_endpoint_that_took_nothing_meanwhile(store, before, state):
    add(store)
    read(store, live_record("1", 1), live_record("2", 1))
    one, two = heads(store)
    end(store, one, BAD, RetryAt(NOW_MS + 5, 0), NOW_MS)
    if before:
        end(store, two, now_ms=NOW_MS + 1)
    (one,) = [head for head in heads(store, NOW_MS + 10) if head.lane == "1"]
    end(store, one, BAD, GiveUp(), NOW_MS + 10)
    with store.reading() as connection:
        found = stored.subscription_named(connection, "club")

    assert found.state is state


def test_failures_without_a_break_for_a_whole_schedule_disable_too(store):
    add(store)
    read(store, *(live_record(str(player), 1) for player in range(1, 4)))
    one, two, three = heads(store)
    reasons = [
        end(store, head, BAD, RetryAt(at_ms + 5000, 0), at_ms, delays_s=(60, 60))
        for head, at_ms in ((one, NOW_MS), (two, NOW_MS + 119_000), (three, NOW_MS + 120_000))
    ]

    assert reasons[:2] == [None, None]
    assert reasons[2] == "every attempt has failed for as long as a whole schedule; last: status 500"


def test_time_in_which_dispatch_did_not_run_is_not_counted_against_a_receiver(store):
    add(store)
    read(store, live_record("1", 1), live_record("2", 1))
    one, two = heads(store)
    end(store, one, BAD, RetryAt(NOW_MS + 5, 0), NOW_MS, delays_s=(60,))
    later = NOW_MS + 3 * DAY_MS
    with store.transaction() as connection:
        stored.forget_down_time(connection, later)

    assert end(store, two, BAD, RetryAt(later + 5, 0), later, delays_s=(60,)) is None


def test_a_new_address_is_tried_at_once_and_forgets_how_the_old_one_failed(store):
    add(store)
    read(store, live_record("1", 1))
    (head,) = heads(store)
    end(store, head, BAD, RetryAt(NOW_MS + DAY_MS, NOW_MS + DAY_MS), NOW_MS)
    before = heads(store, NOW_MS + 1)
    wanted = desk.Change(url="https://other.example")
    desk.change(store, "club", wanted, egress=Egress(), now=NOW)
    (after,) = heads(store, NOW_MS + 1)

    assert before == []
    assert (after.subscription.url, after.subscription.failures, after.attempts) == (wanted.url, 0, 0)


def test_what_was_finished_long_ago_is_forgotten_and_what_waits_is_not(store):
    add(store)
    add(store, "off")
    read(store, live_record("1", 1), live_record("1", 2))
    for head in heads(store):
        end(store, head)
    desk.set_state(store, "off", State.DISABLED, now=NOW)
    read(store, live_record("9", 1), now_ms=NOW_MS + 9 * DAY_MS)
    deliveries.prune(store, NOW_MS + 8 * DAY_MS, keep_ms=7 * DAY_MS)
    with store.reading() as connection:
        (attempts,) = connection.execute("SELECT COUNT(*) FROM attempt").fetchone()
        (events,) = connection.execute("SELECT COUNT(*) FROM event").fetchone()

    assert queued(store) == ["1:2", "9:1"]
    assert queued(store, "off") == ["9:1"]
    assert (attempts, events) == (0, 2)
    assert [one.lane for one in heads(store, NOW_MS + 9 * DAY_MS)] == ["1", "9"]


def test_when_what_was_held_too_long_is_forgotten_the_player_s_next_delivery_moves_up(store):
    add(store)
    desk.set_state(store, "club", State.DISABLED, now=NOW)
    read(store, live_record("1", 1))
    read(store, live_record("1", 2), now_ms=NOW_MS + 9 * DAY_MS)
    deliveries.prune(store, NOW_MS + 9 * DAY_MS, keep_ms=7 * DAY_MS)
    desk.set_state(store, "club", State.ACTIVE, now=NOW)
    (head,) = heads(store, NOW_MS + 9 * DAY_MS)

    assert b'"version":2' in head.body


def test_the_log_of_a_subscription_is_bounded_by_number_too(store):
    add(store)
    for version in range(1, 6):
        read(store, live_record("1", version))
        (head,) = heads(store, NOW_MS + version)
        end(store, head, now_ms=NOW_MS + version)
    deliveries.prune(store, NOW_MS, keep_ms=DAY_MS, most=2)

    assert queued(store) == ["1:4", "1:5"]


def test_names_are_taken_once_and_their_number_is_bounded(store):
    add(store)
    with pytest.raises(RefusedError, match="there is a subscription 'club' already"):
        add(store)
    for number in range(199):
        add(store, f"n{number}")
    with pytest.raises(RefusedError, match="there are 200 subscriptions already"):
        add(store, "one-more")


def test_the_file_is_its_owner_s_alone_and_of_this_layout(tmp_path):
    path = tmp_path / "dispatch.sqlite"
    opened = Store(path)
    add(opened)
    modes = {one.name: one.stat().st_mode & 0o777 for one in tmp_path.iterdir()}
    with opened.transaction() as connection:
        connection.execute("PRAGMA user_version = 99")
    opened.close()

    assert set(modes.values()) == {0o600}
    with pytest.raises(StoreError, match="layout 99, expected 1"):
        Store(path)
    path.write_bytes(b"no database at all, but long enough to be taken for one" * 100)
    with pytest.raises(StoreError, match="move it away"):
        Store(path)


class Story:
    """A subscription and what happens to it; `arrived` are deliveries by player, in order."""

    def __init__(self, store):
        self.store, self.now_ms = store, NOW_MS
        self.versions, self.arrived = defaultdict(int), defaultdict(list)
        add(store)

    def read(self, player):
        self.versions[player] += 1
        read(self.store, live_record(player, self.versions[player]), now_ms=self.now_ms)

    def take(self, places):
        found = heads(self.store, self.now_ms, places=places)
        for head in found:
            end(self.store, head, now_ms=self.now_ms)
            self.arrived[head.lane].append(head.delivery)
        return found

    def fail(self, places, wait_ms):
        for head in heads(self.store, self.now_ms, places=places):
            end(self.store, head, BAD, RetryAt(self.now_ms + wait_ms, 0), self.now_ms, (10**6,))

    def turn(self, state):
        at = datetime.fromtimestamp(self.now_ms / 1000, UTC)
        desk.set_state(self.store, "club", state, now=at)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("read"), st.sampled_from("123")),
        st.tuples(st.just("take"), st.integers(1, 4)),
        st.tuples(st.just("fail"), st.integers(1, 4), st.integers(0, 3000)),
        st.tuples(st.just("turn"), st.sampled_from(State)),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_whatever_happens_each_player_s_deliveries_arrive_in_order_and_exactly_those(happening):
    with TemporaryDirectory() as folder:
        story = Story(Store(Path(folder, "dispatch.sqlite")))
        for word, *more in happening:
            story.now_ms += 1000
            getattr(story, word)(*more)
        story.turn(State.ACTIVE)
        while story.take(100):
            pass
        story.store.close()

    for player, highest in story.versions.items():
        assert story.arrived[player] == sorted(story.arrived[player])
        assert len(story.arrived[player]) == highest
