"""Corrections in ingest's file: which are in force, which copies they hold back, and their whole history."""

# ruff: noqa: S608 - the names in the statements are those of this module; what comes from outside is bound

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import INPUT_BY_MODEL, Entrant, GameResult
from elowire.ingest.corrections import Entity, Standing, entity_of
from elowire.ingest.service_store import Store, row_of

_MODELS: dict[str, type[GameResult | Entrant]] = {"game": GameResult, "entrant": Entrant}
_THIS = "tournament_id = ? AND kind = ? AND entity = ?"


class Correction(NamedTuple):
    """One word of an operator; times in milliseconds since 1970, `ended` None while it is in force."""

    tournament_id: str
    kind: str
    entity: str
    revision: int
    event: str
    who: str
    why: str
    at: int
    ended: int | None
    ended_by: str | None
    ended_why: str | None


def standing(store: Store, entities: Iterable[Entity]) -> dict[Entity, Standing]:
    """Say how the operator's word stands for entities; those that were never corrected are left out."""
    found = {}
    with store.reading() as connection:
        for entity in set(entities):
            in_force = connection.execute(
                f"SELECT 1 FROM correction WHERE {_THIS} AND ended IS NULL",
                row_of(entity),
            ).fetchone()
            lifted = connection.execute(
                f"SELECT from_revision, to_revision FROM lifted WHERE {_THIS}",
                row_of(entity),
            ).fetchone()
            if in_force or lifted:
                found[entity] = Standing(in_force is not None, *(lifted or ()))
    return found


def hold(store: Store, events: Iterable[Decoded]) -> None:
    """Keep copies that a correction holds back; of each entity the newest counts."""
    with store.transaction() as connection:
        for arrived in events:
            entity = entity_of(arrived.data)
            if entity is None:
                continue
            connection.execute(
                "INSERT INTO held VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "revision = excluded.revision, event_id = excluded.event_id, source = excluded.source, "
                "event = excluded.event "
                "WHERE (excluded.revision, excluded.event_id) > (revision, event_id)",
                (
                    *row_of(entity),
                    arrived.data.revision,
                    arrived.event_id,
                    arrived.source,
                    arrived.data.model_dump_json(),
                ),
            )


def held(store: Store, entity: Entity) -> Decoded | None:
    """Give the newest copy that is held back."""
    with store.reading() as connection:
        row = connection.execute(
            f"SELECT event_id, source, event FROM held WHERE {_THIS}",
            row_of(entity),
        ).fetchone()
    if row is None:
        return None
    event_id, source, event = row
    model = _MODELS[entity.kind]
    return Decoded(event_id, INPUT_BY_MODEL[model].name, source, None, model.model_validate_json(event))


def put_in_force(  # one argument for each fact that is kept
    store: Store, entity: Entity, event: GameResult | Entrant, *, who: str, why: str, at_ms: int
) -> None:
    """Keep a correction; one that it replaces ends with it."""
    with store.transaction() as connection:
        connection.execute(
            "UPDATE correction SET ended = ?, ended_by = ?, ended_why = 'replaced' "
            f"WHERE {_THIS} AND ended IS NULL",
            (at_ms, who, *row_of(entity)),
        )
        connection.execute(
            "INSERT INTO correction VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)",
            (*row_of(entity), event.revision, event.model_dump_json(), who, why, at_ms),
        )


def release(
    store: Store, entity: Entity, sent: Decoded, *, to_revision: int, who: str, why: str, at_ms: int
) -> bool:
    """End a correction after the copy `sent` went out at `to_revision`; False when a newer one came."""
    with store.transaction() as connection:
        row = connection.execute(
            f"SELECT revision, event_id FROM held WHERE {_THIS}",
            row_of(entity),
        ).fetchone()
        if row is not None and tuple(row) != (sent.data.revision, sent.event_id):
            return False
        connection.execute(
            f"UPDATE correction SET ended = ?, ended_by = ?, ended_why = ? WHERE {_THIS} AND ended IS NULL",
            (at_ms, who, why, *row_of(entity)),
        )
        connection.execute(
            f"DELETE FROM held WHERE {_THIS}",
            row_of(entity),
        )
        connection.execute(
            "INSERT OR REPLACE INTO lifted VALUES (?, ?, ?, ?, ?)",
            (*row_of(entity), sent.data.revision, to_revision),
        )
    return True


def corrections(store: Store, *, in_force: bool = False) -> list[Correction]:
    """List corrections, oldest first; all of them, or those in force."""
    columns = ", ".join(Correction._fields)
    where = "WHERE ended IS NULL" if in_force else ""
    with store.reading() as connection:
        rows = connection.execute(f"SELECT {columns} FROM correction {where} ORDER BY id")
        return [Correction(*row) for row in rows]
