"""Entrants in ingest's file: what sources said, what was sent of them, who is nobody yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import Entrant, GameResult
from elowire.ingest.corrections import Standing
from elowire.ingest.identities import LOCAL
from elowire.ingest.service_store import Store

NAMED_BY_GAMES = -1
"""Revision of an entrant whom games alone name; any entry outranks it."""

_NOBODY = f"(player_id IS NULL OR player_id LIKE '{LOCAL}%')"


class Kept(NamedTuple):
    """An entrant as his source described him, and as he was sent with the list's figures, if any."""

    own: Entrant
    sent: Entrant
    source: str


class Nobody(NamedTuple):
    """An entrant who is nobody yet, or somebody of this event alone."""

    tournament_id: str
    entrant_id: str
    player_id: str | None
    name: str | None
    federation: str | None
    birth_year: int | None


def keep_entrants(store: Store, pairs: Iterable[tuple[Decoded, Decoded]]) -> None:
    """Remember entrants by what was said and what was sent of them; of each the highest revision counts."""
    rows = []
    for own, sent in pairs:
        if isinstance(own.data, Entrant) and isinstance(sent.data, Entrant):
            entrant = sent.data
            rows.append(
                {
                    **_named(entrant.tournament_id, entrant.identity, entrant.player_id, entrant.name),
                    "federation": entrant.federation,
                    "birth_year": entrant.birth_year,
                    "revision": entrant.revision,
                    "source": sent.source,
                    "own": own.data.model_dump_json(exclude_none=True),
                    "event": entrant.model_dump_json(exclude_none=True),
                }
            )
    _write(store, rows)


def keep_sides(store: Store, games: Iterable[GameResult]) -> None:
    """Remember whom games name by another word than a player id; an entry says more and stays."""
    _write(
        store,
        [
            {**_named(game.tournament_id, side.identity, side.player_id, side.name), **_UNKNOWN}
            for game in games
            for side in (game.white, game.black)
            if side is not None and side.identity != side.player_id
        ],
    )


def entrants_of(store: Store, tournament_id: str) -> list[Kept]:
    """Give the entrants of a tournament whose sources described them."""
    with store.reading() as connection:
        rows = connection.execute(
            "SELECT own, event, source FROM entrant WHERE tournament_id = ? AND own IS NOT NULL",
            (tournament_id,),
        ).fetchall()
    return [
        Kept(Entrant.model_validate_json(own), Entrant.model_validate_json(event), source)
        for own, event, source in rows
    ]


def repeats_raised(store: Store, events: Sequence[Decoded]) -> list[Decoded]:
    """Give an entrant who is as he was sent last the revision of then: a copy is no older statement."""
    raised = []
    with store.reading() as connection:
        for one in events:
            if isinstance(one.data, Entrant):
                row = connection.execute(
                    "SELECT event FROM entrant WHERE tournament_id = ? AND entrant_id = ? AND revision > ?",
                    (one.data.tournament_id, one.data.identity, one.data.revision),
                ).fetchone()
                if row is not None:
                    sent = Entrant.model_validate_json(row[0])
                    if one.data.model_copy(update={"revision": sent.revision}) == sent:
                        raised.append(one._replace(data=sent))
                        continue
            raised.append(one)
    return raised


def replace_entrant(store: Store, kept: Kept, sent: Entrant, stands: Standing | None) -> None:
    """Note that an entrant was sent again by ourselves; the next word of the source goes on above it.

    `stands` is how the revisions of the source were raised before.
    """
    said = kept.sent.revision
    if stands is not None and stands.lifted_from is not None and stands.lifted_to is not None:
        said = stands.lifted_from + max(0, said - stands.lifted_to)
    entity = (sent.tournament_id, "entrant", sent.identity)
    with store.transaction() as connection:
        connection.execute(
            "UPDATE entrant SET revision = ?, event = ? "
            "WHERE tournament_id = ? AND entrant_id = ? AND revision = ?",
            (
                sent.revision,
                sent.model_dump_json(exclude_none=True),
                sent.tournament_id,
                sent.identity,
                kept.sent.revision,
            ),
        )
        connection.execute(
            "INSERT INTO lifted VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "from_revision = excluded.from_revision, to_revision = excluded.to_revision "
            "WHERE excluded.to_revision > to_revision",
            (*entity, said, sent.revision),
        )


def nobodies(store: Store, *, most: int) -> list[Nobody]:
    """List the entrants without an identity that came through here, at most so many."""
    with store.reading() as connection:
        rows = connection.execute(
            f"SELECT {', '.join(Nobody._fields)} FROM entrant WHERE {_NOBODY} "  # noqa: S608 - our own words
            "ORDER BY tournament_id, entrant_id LIMIT ?",
            (most,),
        )
        return [Nobody(*row) for row in rows]


def count_nobodies(store: Store) -> tuple[int, int]:
    """Count the entrants who are nobody, and those who are somebody of their event alone."""
    with store.reading() as connection:
        without, local = connection.execute(
            f"SELECT count(*) - count(player_id), count(player_id) FROM entrant WHERE {_NOBODY}"  # noqa: S608 - our own words
        ).fetchone()
    return without, local


_UNKNOWN = {
    "federation": None,
    "birth_year": None,
    "revision": NAMED_BY_GAMES,
    "source": None,
    "own": None,
    "event": None,
}


def _named(tournament_id: str, entrant_id: str, player_id: str | None, name: str | None) -> dict[str, object]:
    return {"tournament_id": tournament_id, "entrant_id": entrant_id, "player_id": player_id, "name": name}


def _write(store: Store, rows: list[dict[str, object]]) -> None:
    if not rows:
        return
    with store.transaction() as connection:
        connection.executemany(
            "INSERT INTO entrant VALUES (:tournament_id, :entrant_id, :player_id, :name, :federation, "
            ":birth_year, :revision, :source, :own, :event) ON CONFLICT DO UPDATE SET "
            "player_id = excluded.player_id, name = coalesce(excluded.name, name), "
            "federation = excluded.federation, birth_year = excluded.birth_year, "
            "revision = excluded.revision, source = excluded.source, own = excluded.own, "
            "event = excluded.event WHERE excluded.revision >= revision",
            rows,
        )
