"""From an event's file to input records: the same file always gives the same records with the same ids."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

from pydantic import ValidationError

from elowire.contracts.envelope import EventRecord, input_record
from elowire.contracts.events import Entrant, GameResult, InputEvent, Side, Tournament
from elowire.contracts.faults import field_faults
from elowire.contracts.vocabulary import GameStatus, TournamentStatus
from elowire.ingest.matches import system_of
from elowire.ingest.readers.report import (
    EntrantFacts,
    EventReport,
    Findings,
    GameFacts,
    ImportReport,
    TournamentFacts,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from elowire.contracts.cloudevents import Decoded

LONGEST_EVENT_ID = 200
"""Characters of an event id before its digest; the contract allows 256 in all."""


class NotFeedable(ValueError):  # noqa: N818 - named after the fact
    """A fact without which nothing can be rated is missing; the message names the flag that states it."""


@dataclass(frozen=True, slots=True)
class Feed:
    """The records of one event in the order in which they are sent, and what was left out."""

    opening: tuple[EventRecord, ...]
    """The tournament, then its entrants."""
    games: tuple[EventRecord, ...]
    closing: tuple[EventRecord, ...]
    """The tournament as finished, when that was asked for."""
    without_result: int
    imported: ImportReport


def feed_of(report: EventReport, *, time: datetime, finish: bool = False) -> Feed:
    """Turn an event into records; `time` is when it is sent and enters no id.

    Games without a result are not sent: they change nothing yet, and their result comes with the next feed.
    Raises `NotFeedable` when time control or dates are unknown.
    """
    facts = report.tournament
    findings = Findings()
    source = f"file:{report.source}"

    def record(kind: str, entity: str, event: InputEvent) -> EventRecord:
        event_id = event_id_of(facts.tournament_id, kind, entity, event)
        return input_record(event, event_id=event_id, source=source, time=time)

    rated = [game for game in report.games if game.status is not GameStatus.ONGOING]
    opening = [record("tournament", "running", tournament_event(report, TournamentStatus.RUNNING))]
    opening.extend(
        record("entrant", entrant.entrant_id, event)
        for entrant in report.entrants
        if (event := _checked(partial(entrant_event, entrant, facts, source), findings, None)) is not None
    )
    players = {entrant.entrant_id: player_of(entrant, facts) for entrant in report.entrants}
    games = [
        record("game", game.game_id, event)
        for game in rated
        if (event := _checked(partial(game_event, game, facts, players), findings, game.line)) is not None
    ]
    closing = []
    if finish:
        finished = tournament_event(report, TournamentStatus.FINISHED, expected_games=len(games))
        closing.append(record("tournament", "finished", finished))
    return Feed(
        opening=tuple(opening),
        games=tuple(games),
        closing=tuple(closing),
        without_result=len(report.games) - len(rated),
        imported=joined(report.imported, findings.imported()),
    )


def record_of(event: Decoded, *, time: datetime) -> EventRecord:
    """Turn an event that came with its envelope into its record; its id, source and time are kept."""
    return input_record(event.data, event_id=event.event_id, source=event.source, time=event.time or time)


def event_id_of(tournament_id: str, kind: str, entity: str, event: InputEvent) -> str:
    """Name an event by what it is about, its revision and its content.

    The content is part of the id, so that a changed file fed at the same revision is seen as the
    contradiction that it is and not taken for a repeat.
    """
    digest = blake2b(event.model_dump_json(exclude_none=True).encode(), digest_size=6).hexdigest()
    return f"{tournament_id}/{kind}/{entity}"[:LONGEST_EVENT_ID] + f"/{event.revision}/{digest}"


def tournament_event(
    report: EventReport, status: TournamentStatus, *, expected_games: int | None = None
) -> Tournament:
    """Give the event of the tournament itself. Raises `NotFeedable` without its facts."""
    facts = report.tournament
    if facts.time_control is None:
        raise NotFeedable(
            "the file does not say the time control; state it with --time-control standard, rapid or blitz"
        )
    if facts.starts_on is None:
        raise NotFeedable(
            "the file has no date, and the rating list in force depends on it; state it with --starts-on"
        )
    ends_on = facts.ends_on or facts.starts_on
    try:
        return Tournament(
            tournament_id=facts.tournament_id,
            revision=_revision(facts, finished=status is TournamentStatus.FINISHED),
            name=facts.name,
            time_control=facts.time_control,
            system=system_of(report),
            starts_on=facts.starts_on,
            ends_on=ends_on,
            status=status,
            rating_list=facts.rating_list,
            edition=facts.edition,
            rated_in=facts.rated_in,
            # Rounds tell when a match is decided, unless both players asked for all games to count.
            rounds=None if facts.rounds_assumed or facts.match_waived else facts.match_games or facts.rounds,
            expected_games=expected_games or None,
        )
    except ValidationError as problem:
        fault = field_faults(problem)[0]
        raise NotFeedable(f"{fault.problem}; expected {fault.expected}. {fault.advice}") from None


def _revision(facts: TournamentFacts, *, finished: bool) -> int:
    """Order the statements that files make about one tournament, so that the newest wins.

    A file that grows with its rounds moves the end, and the finish follows the running event: both get a
    greater revision without anybody counting by hand, while a greater revision of the file outranks all.
    """
    days = 0 if facts.ends_on is None or facts.starts_on is None else (facts.ends_on - facts.starts_on).days
    return facts.revision * 1000 + min(days, 499) * 2 + finished


def entrant_event(entrant: EntrantFacts, facts: TournamentFacts, source: str) -> Entrant:
    """Give the event of one entrant; raises pydantic's `ValidationError` for what the contract forbids."""
    return Entrant(
        tournament_id=facts.tournament_id,
        entrant_id=entrant.entrant_id,
        revision=facts.revision,
        player_id=player_of(entrant, facts),
        name=entrant.name,
        federation=entrant.federation,
        title=entrant.title,
        birth_year=entrant.birth_year,
        rating=entrant.rating,
        unrated=entrant.unrated,
        k=entrant.k,
        games_played=entrant.games_played,
        rating_list=entrant.rating_list or facts.rating_list,
        source=entrant.source or source,
    )


def player_of(entrant: EntrantFacts, facts: TournamentFacts) -> str | None:
    """Give the FIDE id, or for a numbered player of a report without one an id of this event alone.

    Such a player is somebody, only not known by number: games count, and an entrant event with the FIDE id
    and a greater revision moves them. A name alone, as in PGN, is nobody yet.
    """
    if entrant.player_id is not None or not entrant.entrant_id.startswith("rank:"):
        return entrant.player_id
    return f"local:{facts.tournament_id[:80]}.{entrant.entrant_id.removeprefix('rank:')}"


def game_event(game: GameFacts, facts: TournamentFacts, players: dict[str, str | None]) -> GameResult:
    """Give the event of one game, with its `players` as entrant id -> player id; raises as above."""

    def side(entrant_id: str) -> Side:
        return Side(entrant_id=entrant_id, player_id=players.get(entrant_id))

    return GameResult(
        tournament_id=facts.tournament_id,
        game_id=game.game_id,
        revision=facts.revision,
        status=game.status,
        rated=game.rated,
        round=game.round,
        board=game.board,
        white=side(game.white),
        black=None if game.black is None else side(game.black),
        result=game.result,
        played_on=game.played_on,
        url=game.url,
    )


def _checked(build: Callable[[], InputEvent], findings: Findings, line: int | None) -> InputEvent | None:
    """Build an event; what the contract does not allow is refused, the rest goes on."""
    try:
        return build()
    except ValidationError as problem:
        fault = field_faults(problem)[0]
        text = f"{fault.problem}; expected {fault.expected}. {fault.advice}"
        findings.refuse(text, line=line, field=fault.field or None)
        return None


def paced(records: tuple[EventRecord, ...], speed: float | None) -> Iterator[tuple[float, list[EventRecord]]]:
    """Cut records into portions, each with the seconds after the start at which it is due.

    Without a speed everything is due at once, in portions that a progress bar can follow.
    """
    size = 500 if speed is None else max(1, round(speed / 20))
    for start in range(0, len(records), size):
        due = 0.0 if speed is None else start / speed
        yield due, list(records[start : start + size])
