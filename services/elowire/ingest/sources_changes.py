"""What a source says anew: of a whole event or broadcast only what changed is sent, each with a new revision.

Pure: a report and what is known give events and what is known afterwards. A copy of what was sent before is
no event; a result that changes back is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any

import orjson
from pydantic import ValidationError

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import INPUT_BY_MODEL, Entrant, GameResult, InputEvent, Tournament
from elowire.contracts.faults import field_faults
from elowire.contracts.vocabulary import GameStatus, TournamentStatus
from elowire.ingest.feed import entrant_event, event_id_of, game_event, player_of, tournament_event
from elowire.ingest.readers.assembly import slug
from elowire.ingest.readers.report import EventReport, Findings, GameFacts, ImportReport
from elowire.ingest.service_store import Known, Sent

SEVERAL = ""
"""The game id of a pairing that was played more than once in a round: it names no game."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Events to be sent, what is known once they are, and what was left out."""

    events: tuple[Decoded, ...]
    news: Known
    """What is added to the known state; nothing else changes."""
    unchanged: int
    missing: tuple[str, ...]
    """Ids of known games that the report does not have."""
    imported: ImportReport

    def counted(self) -> dict[str, int]:
        """Count the events by kind."""
        kinds = {Tournament: "tournaments", Entrant: "entrants", GameResult: "games"}
        counts: dict[str, int] = {}
        for event in self.events:
            kind = kinds.get(type(event.data), "other")
            counts[kind] = counts.get(kind, 0) + 1
        return counts


@dataclass(frozen=True, slots=True)
class Manner:
    """How a source's statements are taken."""

    source: str
    """CloudEvents source of the events."""
    described: bool = True
    """Whether the report describes the tournament itself; else games and entrants alone are sent."""
    finish: bool = False
    first_facts_stand: bool = False
    """Whether an entrant's figure that is known stays; a broadcast says it anew with every old game."""
    rated: bool = True


def changes_of(report: EventReport, known: Known, manner: Manner, *, now_ms: int) -> Changes:
    """Compare a report with what is known; revisions are the time, or one above what is known.

    Raises `NotFeedable` when the report should describe the tournament and does not.
    """
    comparison = _Comparison(report, known, manner, now_ms)
    facts, games = report.tournament, _named_as_known(report, known)
    if manner.described:
        finished = TournamentStatus.FINISHED if manner.finish else TournamentStatus.RUNNING
        expected = len(games) if manner.finish else None
        comparison.take("tournament", "", tournament_event(report, finished, expected_games=expected))
    players = {entrant.entrant_id: player_of(entrant, facts) for entrant in report.entrants}
    source = f"{manner.source}:{report.source}"
    for entrant in report.entrants:
        comparison.build("entrant", entrant.entrant_id, partial(entrant_event, entrant, facts, source), None)
    for game in games:
        rated = replace(game, rated=game.rated and manner.rated)
        comparison.build("game", game.game_id, partial(game_event, rated, facts, players), game.line)
    return Changes(
        events=tuple(comparison.events),
        news=Known(comparison.sent, _pairings(report, games)),
        unchanged=comparison.unchanged,
        missing=tuple(sorted(_standing_games(known) - {game.game_id for game in games})),
        imported=comparison.findings.imported(),
    )


def _standing_games(known: Known) -> set[str]:
    annulled = f'"status":"{GameStatus.ANNULLED}"'
    return {
        id_ for (kind, id_), sent in known.sent.items() if kind == "game" and annulled not in sent.content
    }


def with_missing_annulled(changes: Changes, known: Known, source: str, *, now_ms: int) -> Changes:
    """Annul the known games that a report does not have any more."""
    events, sent = list(changes.events), dict(changes.news.sent)
    for game_id in changes.missing:
        before = known.sent["game", game_id]
        content = orjson.loads(before.content)
        content["status"] = GameStatus.ANNULLED
        revision = max(now_ms, before.revision + 1)
        event = GameResult.model_validate_json(orjson.dumps({**content, "revision": revision}))
        event_id = event_id_of(event.tournament_id, "game", game_id, event)
        events.append(Decoded(event_id, INPUT_BY_MODEL[GameResult].name, source, None, event))
        sent["game", game_id] = Sent(orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode(), revision)
    return replace(changes, events=tuple(events), news=Known(sent, changes.news.pairings))


class _Comparison:
    """Collects what differs from the known state."""

    def __init__(self, report: EventReport, known: Known, manner: Manner, now_ms: int) -> None:
        self._tournament_id, self._manner, self._known = report.tournament.tournament_id, manner, known
        self._now_ms = now_ms
        self.events: list[Decoded] = []
        self.sent: dict[tuple[str, str], Sent] = {}
        self.unchanged = 0
        self.findings = Findings()

    def build(self, kind: str, entity: str, made: Callable[[], InputEvent], line: int | None) -> None:
        """Take an event; what the contract does not allow is refused, the rest goes on."""
        try:
            event = made()
        except ValidationError as problem:
            fault = field_faults(problem)[0]
            text = f"{fault.problem}; expected {fault.expected}. {fault.advice}"
            self.findings.refuse(text, line=line, field=fault.field or None)
            return
        self.take(kind, entity, event)

    def take(self, kind: str, entity: str, event: InputEvent) -> None:
        known = self._known.sent.get((kind, entity))
        content = _content(event)
        if known is not None and kind == "entrant" and self._manner.first_facts_stand:
            content = {**content, **orjson.loads(known.content)}
        written = orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode()
        if known is not None and known.content == written:
            self.unchanged += 1
            return
        revision = self._now_ms if known is None else max(self._now_ms, known.revision + 1)
        event = type(event).model_validate_json(orjson.dumps({**content, "revision": revision}))
        event_id = event_id_of(self._tournament_id, kind, entity or "itself", event)
        self.events.append(
            Decoded(event_id, INPUT_BY_MODEL[type(event)].name, self._manner.source, None, event)
        )
        self.sent[kind, entity] = Sent(written, revision)


def _content(event: InputEvent) -> dict[str, Any]:
    content: dict[str, Any] = orjson.loads(event.model_dump_json(exclude_none=True, exclude={"revision"}))
    return content


def _named_as_known(report: EventReport, known: Known) -> tuple[GameFacts, ...]:
    """Give the games, those without an address under the id by which their pairing is known already.

    So a player whose FIDE id comes later, or the same round from another kind of file, makes no second game.
    """
    counts: dict[str, int] = {}
    for game in report.games:
        for pairing in _pairings_of(report, game):
            counts[pairing] = counts.get(pairing, 0) + 1
    named = []
    for game in report.games:
        ids = {
            known.pairings[pairing]
            for pairing in _pairings_of(report, game)
            if counts[pairing] == 1 and known.pairings.get(pairing, SEVERAL) != SEVERAL
        }
        rename = len(ids) == 1 and ("game", game.game_id) not in known.sent and is_made_up(game)
        named.append(replace(game, game_id=ids.pop()) if rename else game)
    return tuple(named)


def is_made_up(game: GameFacts) -> bool:
    """Say whether a game's id is made of its round and players, for want of an address."""
    return re.match(r"(?:r[a-z0-9-]*|game)-", game.game_id) is not None


def _pairings(report: EventReport, games: tuple[GameFacts, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for game in games:
        for pairing in _pairings_of(report, game):
            found[pairing] = game.game_id if pairing not in found else SEVERAL
    return found


def _pairings_of(report: EventReport, game: GameFacts) -> Iterator[str]:
    """Name a pairing by its round with the players' ids, and by its round with their names."""
    if game.round is None or game.black is None:
        return
    sides = [entrant for entrant in report.entrants if entrant.entrant_id in {game.white, game.black}]
    for kind, names in (
        ("id", [entrant.player_id for entrant in sides]),
        ("name", [slug(entrant.name or "") for entrant in sides]),
    ):
        known = sorted(name for name in names if name)
        if len(known) == 2:  # noqa: PLR2004 - the two players of a game
            digest = blake2b("\n".join(known).encode(), digest_size=12).hexdigest()
            yield f"{game.round}/{kind}/{digest}"
