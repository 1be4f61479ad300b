"""What a broadcast's games mean, given what is known of it: the decisions, without any input or output.

A broadcast sends whole games again and again; the last copy counts. One event goes out for every change of a
game - also when it is seen for the first time, still ongoing - and none for a copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from elowire.domain import System
from elowire.ingest.readers.assembly import slug
from elowire.ingest.readers.pgn import read_pgn, tag_sections
from elowire.ingest.readers.report import (
    EntrantFacts,
    EventReport,
    Findings,
    GameFacts,
    TournamentFacts,
    UnreadableFile,
)
from elowire.ingest.sources import BroadcastSource
from elowire.ingest.sources_changes import Manner, is_made_up

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
THROTTLED_PAUSE_S = 60.0
"""Lichess asks for a whole minute of silence after a 429."""

_GAME_ADDRESS = re.compile(r"https?://.*/(?:[A-Za-z0-9]{8}|[A-Za-z0-9]{12}|[0-9]{6,})/?")
"""Last parts of addresses that name one game; the page of an event ends in words."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Games of a broadcast, each in its last copy, and how many were refused."""

    report: EventReport | None
    """None when there is no game to be used."""
    games: int
    refusals: tuple[str, ...]


def snapshot_of(texts: Iterable[str], source: BroadcastSource) -> Snapshot:
    """Read copies of games in their order; a copy that cannot be used is refused, the others count."""
    games: dict[str, tuple[GameFacts, tuple[EntrantFacts, ...]]] = {}
    controls = [source.time_control] if source.time_control is not None else []
    refusals: list[str] = []
    count = 0
    for text in texts:
        count += 1
        try:
            read = read_pgn(text.encode(), source.name)
        except UnreadableFile as problem:
            refusals.append(str(problem))
            continue
        refusals.extend(str(notice) for notice in read.imported.refusals())
        controls.extend([] if read.tournament.time_control is None else [read.tournament.time_control])
        for game in read.games:
            named = replace(game, game_id=_id_of(game, text), line=None, rated=game.rated and source.rated)
            games.pop(named.game_id, None)
            games[named.game_id] = (named, read.entrants)
    if not games:
        return Snapshot(None, count, tuple(refusals))
    entrants: dict[str, EntrantFacts] = {}
    for _, players in games.values():
        for player in players:
            entrants.setdefault(player.entrant_id, player)
    facts = TournamentFacts(
        tournament_id=source.tournament_id,
        name=source.tournament_name or source.tournament_id,
        time_control=controls[0] if controls else None,
        # The two players of a first game are no match: a broadcast shows its games one by one.
        system=source.system or System.SWISS,
        starts_on=source.starts_on,
        ends_on=source.ends_on,
        edition=source.edition,
        rated_in=source.rated_in,
    )
    report = EventReport(
        source=source.name,
        format="pgn",
        tournament=facts,
        entrants=tuple(entrants.values()),
        games=tuple(game for game, _ in games.values()),
        imported=Findings().imported(),
    )
    return Snapshot(report, count, tuple(refusals))


def manner_of(source: BroadcastSource, report: EventReport) -> Manner:
    """Say how a broadcast is taken: it describes its tournament only where the operator has stated the days.

    The first day decides list and edition, and a stream that begins in the fifth round does not know it.
    """
    facts = report.tournament
    return Manner(
        source=f"broadcast:{source.name}",
        described=facts.starts_on is not None and facts.time_control is not None,
        first_facts_stand=True,
    )


def _id_of(game: GameFacts, text: str) -> str:
    """Keep the id that GameURL gives, and that of Site where it is the address of a game."""
    if game.url is not None or is_made_up(game):
        return game.game_id
    for tags in tag_sections(list(enumerate(text.split("\n"), start=1)), Findings()):
        if _GAME_ADDRESS.fullmatch(tags.get("Site")):
            return game.game_id
        round_ = slug(tags.get("Round"))
        players = sorted(player for player in (game.white, game.black) if player is not None)
        return "-".join([f"r{round_}" if round_ else "game", *players])[:128]
    return game.game_id


class Alarm(Enum):
    """What is wrong with a broadcast that is followed."""

    EMPTY = "it had games and has none any more"
    UNDESCRIBED = "its tournament cannot be described, and its games wait"
    NOTHING_READ = "none of its games can be read"
    REFUSED = "the server refuses it"
    UNREACHABLE = "the server cannot be reached"


def alarm_of(snapshot: Snapshot, *, known_games: int) -> Alarm | None:
    """Judge a whole copy of a broadcast. An empty one never means that there are no games any more."""
    if not snapshot.games:
        return Alarm.EMPTY if known_games else None
    return Alarm.NOTHING_READ if snapshot.report is None else None


def pause_s(attempts: int, *, retry_after: str | None, throttled: bool, chance: float) -> float:
    """Return how long to wait after `attempts` failures in a row (1 or more); `chance` from 0 to 1.

    Twice as long each time, half of it by chance, so that followers do not come back all at once.
    """
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * (1 << min(attempts - 1, 10)))
    wait = longest * (0.5 + 0.5 * chance)
    if throttled:
        wait = max(wait, THROTTLED_PAUSE_S)
    if retry_after is not None and re.fullmatch(r"[0-9]{1,5}", retry_after.strip()):
        wait = max(wait, float(retry_after))
    return wait
