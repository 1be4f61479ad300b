"""What a list sends to `rating-lists`: who changed, who has games, who is followed, and corrections."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from elowire.contracts.envelope import decode
from elowire.contracts.vocabulary import ListKind
from elowire.domain import TimeControl
from elowire.ingest.book import Book
from elowire.ingest.publication import Scope, followed_in, mark_published, publication
from tests.services.lists.made_up import Player

SENT = datetime(2026, 10, 1, 12, tzinfo=UTC)
RESTING = Player(101, "Resting", standard=(2300, 0, 10), rapid=(2200, 0, 20))
PLAYING = Player(102, "Playing", standard=(2500, 9, 10))
NEWCOMER = Player(103, "Newcomer")
MOVED = Player(104, "Moved", standard=(2000, 0, 20))


@pytest.fixture
def published(book_path):
    """Give the events that a list has to send, and mark it as published where all were asked for."""

    def events(rating_list, scope=Scope.CHANGED, followed=(), *, done=True):
        with Book(book_path) as book:
            kept = book.kept(rating_list)
            records = list(publication(book, kept, scope=scope, followed=followed, time=SENT))
            if done and scope is Scope.CHANGED:
                mark_published(book, kept)
        decoded = [decode(record.topic, record.key, record.value, record.headers) for record in records]
        return {event.data.player_id: event for event in decoded}

    return events


def test_the_first_list_sends_everybody_with_a_rating(list_file, load_into, published):
    load_into(list_file([RESTING, PLAYING, NEWCOMER]), "2026-09")

    sent = published("2026-09")
    assert sorted(sent) == ["101", "102"]
    event = sent["101"].data
    assert (event.name, event.list, event.revision, event.kind) == (
        "Resting",
        "2026-09",
        1_000,
        ListKind.LIST,
    )
    assert (event.standard.rating, event.standard.k, event.standard.games) == (2300, 10, 0)
    assert (event.rapid.rating, event.blitz.rating) == (2200, None)


def test_the_next_list_sends_who_changed_or_played(list_file, load_into, published):
    load_into(list_file([RESTING, PLAYING, NEWCOMER, MOVED]), "2026-09")
    published("2026-09")
    now = [RESTING, PLAYING, NEWCOMER, replace(MOVED, federation="SWE")]
    load_into(list_file(now), "2026-10", accept_doubts=True)

    assert sorted(published("2026-10")) == ["102", "104"]


def test_a_list_sends_whoever_differs_from_the_last_list_that_was_sent(list_file, load_into, published):
    load_into(list_file([RESTING]), "2026-08")
    published("2026-08")
    load_into(list_file([replace(RESTING, standard=(2310, 0, 10))]), "2026-09", accept_doubts=True)
    load_into(list_file([replace(RESTING, standard=(2310, 0, 10))]), "2026-10", accept_doubts=True)

    assert sorted(published("2026-10")) == ["101"]


def test_followed_players_are_sent_with_every_list(list_file, load_into, published):
    load_into(list_file([RESTING, NEWCOMER]), "2026-09")
    published("2026-09")
    load_into(list_file([RESTING, NEWCOMER, MOVED]), "2026-10", accept_doubts=True)

    assert sorted(published("2026-10", Scope.FOLLOWED, [101, 103, 999])) == ["101", "103"]
    assert sorted(published("2026-10", followed=[101])) == ["101", "104"]
    newcomer = published("2026-10", Scope.FOLLOWED, [103])["103"].data
    assert newcomer.standard is not None
    assert newcomer.standard.rating is None


def test_a_corrected_list_sends_the_changed_lines_with_a_higher_revision(list_file, load_into, published):
    load_into(list_file([RESTING, PLAYING, MOVED]), "2026-09", revision=1_000)
    published("2026-09")
    load_into(
        list_file([RESTING, replace(PLAYING, standard=(2495, 9, 10))]),
        "2026-09",
        revision=2_000,
        accept_doubts=True,
    )

    sent = published("2026-09")
    assert {player: (event.data.kind, event.data.revision) for player, event in sent.items()} == {
        "102": (ListKind.CORRECTION, 2_000),
        "104": (ListKind.CORRECTION, 2_000),
    }
    assert sent["102"].data.standard.rating == 2495
    assert sent["104"].data.standard.rating is None
    assert published("2026-09") == {}


def test_what_was_not_sent_to_its_end_is_sent_again_with_the_same_ids(list_file, load_into, published):
    load_into(list_file([RESTING, PLAYING]), "2026-09")
    first = published("2026-09", done=False)
    again = published("2026-09", done=False)

    assert [event.event_id for event in first.values()] == [event.event_id for event in again.values()]


def test_a_list_of_one_rating_says_nothing_of_the_others(list_file, load_into, published):
    load_into(list_file([RESTING], "standard"), "2026-10", time_control=TimeControl.STANDARD)

    event = published("2026-10")["101"].data
    assert event.standard.rating == 2300
    assert event.rapid is None
    assert event.blitz is None


def test_followed_are_the_players_of_entries_and_games():
    values = [
        b'{"tournament_id": "t", "player_id": "101", "rating": 2000}',
        b'{"game_id": "g", "white": {"player_id": "102"}, "black": {"entrant_id": "7"}}',
        b'{"specversion": "1.0", "data": {"white": {"player_id": "103"}, "black": {"player_id": "104"}}}',
        b'{"player_id": "local:7"}',
        b"[1, 2]",
        b"not json",
        None,
    ]

    assert followed_in(values) == {101, 102, 103, 104}
