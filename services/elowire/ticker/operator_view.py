"""What an operator has to deal with, as the topics tell it, and for each row the command that does it.

The ticker writes nothing: identities, corrections and dead letters are the command line's and ingest's.
"""

from __future__ import annotations

import shlex

from elowire.contracts.events import Entrant
from elowire.ticker.board import Board
from elowire.ticker.changes import Correction
from elowire.ticker.feed import Progress
from elowire.ticker.letters import Letter, Letters
from elowire.ticker.views import Json, person_of

# An operator's revision is above everything that a source sends (ingest's README).
_OPERATORS = 1 << 52

MOST = 200
"""Rows of each kind; the rest is counted."""


def operator_view(board: Board, letters: Letters, progress: Progress) -> Json:
    """Give entrants without an identity, open dead letters, corrections and the state of the feed."""
    nobodies = board.notes.nobodies()
    refused = letters.newest_first()
    corrections = board.corrections.newest_first()

    return {
        "unresolved": {
            "count": len(nobodies),
            "rows": [_nobody(board, one) for one in nobodies[:MOST]],
            "command": "elowire entrants unresolved",
        },
        "dead_letters": {
            "count": len(refused),
            "more": letters.cut,
            "rows": [_letter(one) for one in refused[:MOST]],
            "command": "elowire dead-letters list",
        },
        "corrections": {
            "count": len(corrections),
            "rows": [_correction(board, one) for one in corrections[:MOST]],
            "command": "elowire correct --list",
        },
        "sources": {"command": "elowire sources list"},
        "feed": {
            "fault": progress.fault,
            "behind": progress.behind,
            "refused": progress.refused,
            "aside_fault": progress.aside_fault,
            "changed_at": progress.changed_at,
            "players": len(board),
        },
    }


def _nobody(board: Board, entrant: Entrant) -> Json:
    tournament = board.notes.tournament(entrant.tournament_id)
    words = ("elowire", "entrants", "identify", entrant.identity, "--tournament", entrant.tournament_id)
    same_name = board.names.search(entrant.name, 4) if entrant.name else []

    return {
        "tournament_id": entrant.tournament_id,
        "tournament_name": None if tournament is None else tournament.name,
        "entrant_id": entrant.identity,
        "name": entrant.name,
        "federation": entrant.federation,
        "birth_year": entrant.birth_year,
        "proposals": [
            {
                **person_of(board, player_id),
                "command": f"{shlex.join(words)} --player {player_id} --why '...'",
            }
            for player_id in same_name
        ],
        "command": f"{shlex.join(words)} --player ID --why '...'",
    }


def _letter(letter: Letter) -> Json:
    why = letter.why
    name = shlex.quote(why.id)

    return {
        "id": why.id,
        "at": letter.at,
        "reason": why.reason,
        "detail": why.detail,
        "field": why.field,
        "expected": why.expected,
        "advice": why.advice,
        "topic": why.topic,
        "key": letter.key,
        "bytes": letter.size,
        "commands": [
            f"elowire dead-letters show {name}",
            f"elowire dead-letters replay {name}",
            f"elowire dead-letters discard {name} --reason '...'",
        ],
    }


def _correction(board: Board, correction: Correction) -> Json:
    tournament = board.notes.tournament(correction.tournament_id)
    by_operator = _is_operators(correction.event_id)
    words = ("elowire", "correct", correction.game_id, "--tournament", correction.tournament_id)

    return {
        "tournament_id": correction.tournament_id,
        "tournament_name": None if tournament is None else tournament.name,
        "game_id": correction.game_id,
        "kind": correction.kind,
        "at": correction.at,
        "players": [person_of(board, player_id) for player_id in correction.players],
        "by_operator": by_operator,
        "command": f"{shlex.join(words)} {'--release' if by_operator else '--result RESULT'} --why '...'",
    }


def _is_operators(event_id: str) -> bool:
    """Whether an input is an operator's word: its id ends in its revision, above all others, and a digest."""
    revision = event_id.split("/")[-2:-1]

    return bool(revision) and revision[0].isdigit() and int(revision[0][:20]) >= _OPERATORS
