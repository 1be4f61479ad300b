"""Of every entity the event that counts: the one with the highest (revision, event id)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from elowire.contracts.events import (
    Entrant,
    GameResult,
    InputEvent,
    PublishedRating,
    ReportedChange,
    Tournament,
)


class Given(NamedTuple):
    """An input event under its id."""

    event_id: str
    event: InputEvent


def identity_of(event):
    """What the event is about; two events with the same identity are revisions of one entity."""
    match event:
        case Tournament():
            return ("tournament", event.tournament_id)
        case Entrant():
            return ("entrant", event.tournament_id, event.identity)
        case GameResult():
            return ("game", event.tournament_id, event.game_id)
        case ReportedChange():
            return ("reported", event.player_id, event.tournament_id, event.time_control)
        case PublishedRating():
            return ("list", event.player_id, event.list)
    raise AssertionError(event)


@dataclass
class Tournaments:
    """What is known of one tournament, and who its entries were ever said to be."""

    tournament: Tournament | None = None
    entrants: dict[str, Entrant] = field(default_factory=dict)
    games: dict[str, GameResult] = field(default_factory=dict)
    players_of: dict[str, set[str]] = field(default_factory=dict)

    def entry(self, reference):
        """The identity of the entrant that a game means: its id, else who is that player, else who was."""
        if reference in self.entrants:
            return reference
        now = [name for name, entrant in self.entrants.items() if entrant.player_id == reference]
        ever = [name for name, players in self.players_of.items() if reference in players]

        return min(now or ever, default=None)


@dataclass
class Winners:
    """Every entity in force."""

    tournaments: dict[str, Tournaments] = field(default_factory=dict)
    reported: dict[str, list[ReportedChange]] = field(default_factory=dict)
    lists: dict[str, dict[str, PublishedRating]] = field(default_factory=dict)


def winners_of(events):
    """Choose what counts among (event id, event) in any order."""
    best = {}
    for event_id, event in events:
        name = identity_of(event)
        rank = (event.revision, event_id)
        if name not in best or rank > best[name][0]:
            best[name] = (rank, event)
    found = Winners()
    for _, (_, event) in sorted(best.items()):
        _enter(found, event)
    for _, event in events:
        if isinstance(event, Entrant) and event.player_id is not None:
            _of(found, event).players_of.setdefault(event.identity, set()).add(event.player_id)

    return found


def _enter(found, event):
    match event:
        case Tournament():
            _of(found, event).tournament = event
        case Entrant():
            _of(found, event).entrants[event.identity] = event
        case GameResult():
            _of(found, event).games[event.game_id] = event
        case ReportedChange():
            found.reported.setdefault(event.player_id, []).append(event)
        case PublishedRating():
            found.lists.setdefault(event.player_id, {})[event.list] = event


def _of(found, event):
    return found.tournaments.setdefault(event.tournament_id, Tournaments())
