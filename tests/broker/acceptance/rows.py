"""A sound event for each row of bad input, and ways to make one record of it bad."""

from __future__ import annotations

import random
from typing import NamedTuple

import orjson

from elowire.contracts.envelope import input_record
from elowire.contracts.topics import MAX_RECORD_BYTES
from elowire.runtime.kafka import OutRecord
from tests.oracle import events

# What a producer's own software adds must be in the dead letter as it came.
OF_THE_PRODUCER = [
    ("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ("x-arbiter", b"\xff\x00 laptop 3"),
]
TWO_MB = 2 * MAX_RECORD_BYTES
LIVE_OF_WINNER, LIVE_OF_LOSER = "2403.6", "2296.4"
"""2400 beats 2300 with K 10: D 100, PD 0.64 and 0.36 (2025-10 8.1.2)."""


class Event:
    """A tournament with four players: the first two play the good game, the others what the row needs."""

    def __init__(self, name):
        self.id = name
        self.white, self.black, self.third, self.fourth = (f"row:{name}-{seat}" for seat in "wbtf")

    def tournament(self, **facts):
        return self._record("tournament", events.tournament(self.id, **facts))

    def entrant(self, player_id, rating=2400, k=10, **facts):
        return self._record(player_id, events.entrant(player_id, rating, k, tournament_id=self.id, **facts))

    def entrants(self):
        ratings = {self.white: 2400, self.black: 2300, self.third: 2400, self.fourth: 2300}
        return [self.entrant(player_id, rating) for player_id, rating in ratings.items()]

    def opening(self):
        return [self.tournament(), *self.entrants()]

    def game(self, number=1, white=None, black=None, result="1-0", **facts):
        made = events.game(
            f"g{number}", white or self.third, black or self.fourth, result, tournament_id=self.id, **facts
        )
        return self._record(f"g{number}", made)

    def good_game(self):
        """The one that must be rated, whatever stands beside it."""
        return self.game(9, self.white, self.black)

    def _record(self, entity, event):
        event_id = f"{self.id}/{entity}/{event.revision}"
        made = OutRecord(*input_record(event, event_id=event_id, source="tests"))
        return made._replace(headers=[*made.headers, *OF_THE_PRODUCER])


def with_field(record, value, *path):
    """The record with one member of its JSON replaced."""
    data = orjson.loads(record.value)
    at = data
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return record._replace(value=orjson.dumps(data))


def with_header(record, name, value):
    """The record with one header replaced, or left out for None."""
    headers = [(one, value if one == name else old) for one, old in record.headers]
    return record._replace(headers=[header for header in headers if header[1] is not None])


def with_event_id(record, event_id):
    return with_header(record, "ce_id", event_id.encode())


class Row(NamedTuple):
    """What makes a record bad, and what its dead letter must say.

    `bad` and `before` are made from the row's event; `left` is what the third player is at afterwards.
    """

    bad: object
    reason: str
    field: str | None
    detail: str
    expected: str
    advice: str
    before: object = lambda _: []
    left: str | None = None


ROWS = {
    "not-json": Row(
        lambda e: e.game()._replace(value=b'{"tournament_id": "not-json", '),
        *("not-json", None, "EOF while parsing", "one JSON object", "Send one event as one JSON object"),
    ),
    "not-utf8": Row(
        lambda e: e.game()._replace(value=b'{"tournament_id": "\xe9"}'),
        *("not-utf8", None, "byte 19 of the value", "UTF-8", "Encode the value as UTF-8"),
    ),
    "empty-value": Row(
        lambda e: e.game()._replace(value=b""),
        *("not-json", None, "EOF while parsing", "one JSON object", "Send one event as one JSON object"),
    ),
    "type-of-an-output": Row(
        lambda e: with_header(e.game(), "ce_type", b"elowire.live-rating.v1"),
        *(
            "unknown-type",
            "ce_type",
            "'elowire.live-rating.v1'",
            "elowire.game-result.v1",
            "Correct the type",
        ),
    ),
    "type-of-another-topic": Row(
        lambda e: e.entrant(e.third)._replace(topic="game-results"),
        *("wrong-topic", None, "came on game-results", "the topic tournament-events", "Send it to"),
    ),
    "number-as-text": Row(
        lambda e: with_field(e.game(), "1", "revision"),
        *("invalid-field", "revision", "revision is '1'", "a whole number", "Send a whole number"),
    ),
    "text-as-object": Row(
        lambda e: with_field(e.game(), ["1-0"], "result"),
        *("invalid-field", "result", "result is ['1-0']", "'1-0'", "send the event again"),
    ),
    "misspelt-field": Row(
        lambda e: with_field(e.game(), 3, "boared"),
        *("invalid-field", "boared", "is not a field", "only the fields of the contract", "spelling"),
    ),
    "unknown-version": Row(
        lambda e: with_header(e.game(), "ce_type", b"elowire.game-result.v2"),
        *("unknown-version", "ce_type", "does not know", "elowire.game-result.v1", "upgrade"),
    ),
    "no-event-id": Row(
        lambda e: with_header(e.game(), "ce_id", None),
        *("missing-attribute", "ce_id", "ce_id is missing", "every CloudEvent has", "Send ce_specversion"),
    ),
    "missing-key": Row(
        lambda e: e.game()._replace(key=None, partition=0),
        *("missing-key", None, "no key", "the tournament id", "Send the key"),
    ),
    "key-of-another": Row(
        lambda e: e.game()._replace(key=b"another"),
        *(
            "key-mismatch",
            "tournament_id",
            "the key is b'another'",
            "b'key-of-another'",
            "tournament_id as the key",
        ),
    ),
    "two-megabytes-compressed": Row(
        lambda e: with_field(e.game(), "https://" + "x" * TWO_MB, "url"),
        *("too-large", None, "bytes", "at most 1048576 bytes", "one event per record"),
    ),
    "two-megabytes-of-noise": Row(
        lambda e: e.game()._replace(value=random.Random(2).randbytes(TWO_MB)),
        *("too-large", None, f"{TWO_MB} bytes", "at most 1048576 bytes", "one event per record"),
    ),
    "tombstone": Row(
        lambda e: e.game()._replace(value=None),
        *("tombstone", None, "no value", "an event", '"annulled"'),
        before=lambda e: [e.game()],
        left=LIVE_OF_WINNER,
    ),
    "unknown-result-word": Row(
        lambda e: with_field(e.game(), "2-0", "result"),
        *("invalid-field", "result", "result is '2-0'", "'1/2-1/2'", "Correct the value"),
    ),
    "both-colours-the-same-player": Row(
        lambda e: with_field(e.game(), e.third, "black", "player_id"),
        *("invalid-field", "black", "does not fit", "two different players", "correct one of them"),
    ),
    "player-twice-in-a-round": Row(
        lambda e: e.game(2, e.white, e.third, round=1),
        *(
            "player-twice-in-round",
            "round",
            "plays game g1",
            "one game per player and round",
            "annul game g1",
        ),
        before=lambda e: [e.game(1, round=1)],
        left=LIVE_OF_WINNER,
    ),
    "negative-rating-beside-a-game": Row(
        lambda e: with_field(e.game(), -5, "white", "rating"),
        *("invalid-field", "white.rating", "white.rating is -5", "1 or more", "no rating, not 0"),
    ),
    "negative-rating-of-an-entrant": Row(
        lambda e: with_field(e.entrant(e.third, revision=2), -2400, "rating"),
        *("invalid-field", "rating", "rating is -2400", "1 or more", "no rating, not 0"),
    ),
    "k-0": Row(
        lambda e: with_field(e.entrant(e.third, revision=2), 0, "k"),
        *("invalid-field", "k", "k is 0", "1 or more", "Leave k out"),
    ),
    "a-day-before-every-edition": Row(
        lambda e: with_field(e.tournament(revision=2), "1999-12-31", "starts_on"),
        *("invalid-field", "starts_on", "1999-12-31", "a day from 2002-07-01", "no edition"),
    ),
    "a-day-after-every-edition": Row(
        lambda e: with_field(e.tournament(revision=2), "2200-01-01", "ends_on"),
        *("invalid-field", "ends_on", "2200-01-01", "to 2199-12-31", "no edition"),
    ),
    "ends-before-it-starts": Row(
        lambda e: with_field(e.tournament(revision=2), "2025-10-01", "ends_on"),
        *("invalid-field", "ends_on", "does not fit", "not before starts_on", "Correct one of the two days"),
    ),
    "lower-revision": Row(
        lambda e: e.game(result="0-1", revision=3),
        *("older-revision", "revision", "revision 3", "a revision above 5", "higher revision"),
        before=lambda e: [e.game(revision=5)],
        left=LIVE_OF_WINNER,
    ),
    "two-contents-at-one-revision": Row(
        lambda e: with_event_id(e.game(result="0-1"), "a"),
        *("revision-conflict", "revision", "the greater event id wins", "one content per revision", "Check"),
        before=lambda e: [e.game()],
        left=LIVE_OF_WINNER,
    ),
    "result-of-an-annulled-game": Row(
        lambda e: e.game(revision=4),
        *("older-revision", "revision", "stays in force", "a revision above 5", "higher revision"),
        before=lambda e: [e.game(revision=3), e.game(revision=5, status="annulled")],
        left="2400.0",
    ),
    "lower-revision-of-an-entrant": Row(
        lambda e: e.entrant(e.third, 2500, revision=0),
        *("older-revision", "revision", "revision 0", "a revision above 1", "higher revision"),
        before=lambda e: [e.game()],
        left=LIVE_OF_WINNER,
    ),
}
