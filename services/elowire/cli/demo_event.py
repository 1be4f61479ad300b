"""The demonstration's event: the US Championship 2025 as input records, and what FIDE published afterwards.

Source of the figures: FIDE's rating lists of October and November 2025 and its calculations of the event,
restated as facts in `data/us-championship-2025.json`. Players are named by their FIDE ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from importlib.resources import as_file, files
from typing import Any

from elowire.contracts.envelope import EventRecord, input_record
from elowire.contracts.events import (
    GameResult,
    PublishedFigures,
    PublishedRating,
    ReportedChange,
)
from elowire.contracts.vocabulary import Result
from elowire.domain import TimeControl, decimal_text, hundredths
from elowire.ingest.feed import Feed, feed_of
from elowire.ingest.readers.files import read_event

FILE = "us-championship-2025.json"
SOURCE = "elowire:demo"
WRONG_ROUND = 6
"""The round in which a wrong result goes out first."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What FIDE published for a player: the list after the event, and the changes that led to it."""

    player_id: str
    published: int
    event_change: str
    other_change: str
    next_rating: int
    k: int


@dataclass(frozen=True, slots=True)
class DemoEvent:
    """Everything that the demonstration sends, in order, and what must come of it."""

    name: str
    next_list: str
    opening: tuple[EventRecord, ...]
    reported: tuple[EventRecord, ...]
    rounds: tuple[tuple[EventRecord, ...], ...]
    wrong: EventRecord
    corrected: EventRecord
    closing: tuple[EventRecord, ...]
    new_list: tuple[EventRecord, ...]
    outcomes: Mapping[str, Outcome]


def demo_event(time: datetime) -> DemoEvent:
    """Read the event; `time` is when it is sent."""
    resource = files("elowire.cli") / "data" / FILE
    with as_file(resource) as path:
        feed = feed_of(read_event(path), time=time, finish=True)
    facts = json.loads(resource.read_text("utf-8"))
    outcomes = {str(player["fide_id"]): _outcome(player) for player in facts["players"]}
    rounds = _by_round(feed)
    wrong, corrected = _mistaken(rounds[WRONG_ROUND - 1][0], time)
    new_list = tuple(_published(outcome, facts["next_list"], time) for outcome in outcomes.values())

    return DemoEvent(
        name=facts["name"],
        next_list=facts["next_list"],
        opening=feed.opening,
        reported=tuple(_reported(facts["players"], time)),
        rounds=rounds,
        wrong=wrong,
        corrected=corrected,
        closing=feed.closing,
        new_list=new_list,
        outcomes=outcomes,
    )


def game_of(record: EventRecord) -> GameResult:
    """Return the game that a record carries."""
    return GameResult.model_validate_json(record.value)


def _outcome(player: Mapping[str, Any]) -> Outcome:
    others = sum(hundredths(event["k_times_sum"]) for event in player["other_events"])

    return Outcome(
        player_id=str(player["fide_id"]),
        published=player["published_rating"],
        event_change=player["k_times_sum"],
        other_change=decimal_text(others) if others else "",
        next_rating=player["next_list_rating"],
        k=player["k"],
    )


def _by_round(feed: Feed) -> tuple[tuple[EventRecord, ...], ...]:
    rounds: dict[int, list[EventRecord]] = {}
    for record in feed.games:
        rounds.setdefault(game_of(record).round or 0, []).append(record)

    return tuple(tuple(rounds[number]) for number in sorted(rounds))


def _mistaken(right: EventRecord, time: datetime) -> tuple[EventRecord, EventRecord]:
    """Return a game with a wrong result, and the correction that puts it right: a higher revision."""
    game = game_of(right)
    false = Result.BLACK_WINS if game.result is not Result.BLACK_WINS else Result.WHITE_WINS
    wrong = game.model_copy(update={"result": false})
    corrected = game.model_copy(update={"revision": game.revision + 1})

    return (
        input_record(wrong, event_id=f"{game.game_id}/wrong", source=SOURCE, time=time),
        input_record(corrected, event_id=f"{game.game_id}/corrected", source=SOURCE, time=time),
    )


def _reported(players: list[Mapping[str, Any]], time: datetime) -> list[EventRecord]:
    """Return the other events of the period, of which only K·ΣΔR is known: their sums as reported changes."""
    records = []
    for player in players:
        for number, event in enumerate(player["other_events"], 1):
            total, rest = divmod(hundredths(event["k_times_sum"]), player["k"])
            if rest:
                raise ValueError(f"{event['k_times_sum']} is no multiple of K {player['k']}")
            change = ReportedChange(
                tournament_id=f"other-event-{number}-of-{player['fide_id']}",
                player_id=str(player["fide_id"]),
                revision=0,
                time_control=TimeControl.STANDARD,
                sum_change=decimal_text(total),
                own_rating=event["rating_used"],
                starts_on=date.fromisoformat(event["start"]),
                ends_on=date.fromisoformat(event["end"]),
            )
            event_id = f"reported/{change.tournament_id}"
            records.append(input_record(change, event_id=event_id, source=SOURCE, time=time))

    return records


def _published(outcome: Outcome, rating_list: str, time: datetime) -> EventRecord:
    line = PublishedRating(
        player_id=outcome.player_id,
        list=rating_list,
        revision=0,
        standard=PublishedFigures(rating=outcome.next_rating, k=outcome.k),
    )

    return input_record(line, event_id=f"list/{rating_list}/{outcome.player_id}", source=SOURCE, time=time)
