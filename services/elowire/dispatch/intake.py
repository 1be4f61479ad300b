"""From records to queued deliveries: one transaction moves what was read and what it queued."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from sqlite3 import Connection
from typing import NamedTuple

from elowire.dispatch.readings import (
    LISTS_TOPIC,
    OUTPUT_TOPICS,
    Event,
    Kind,
    Listed,
    UnreadableRecordError,
    event_of,
    listed_of,
)
from elowire.dispatch.store import Store
from elowire.dispatch.store_subscriptions import all_subscriptions
from elowire.dispatch.subscriptions import Subscription
from elowire.runtime.kafka import Record

MOST_QUEUED = 100_000
"""Deliveries that may wait for one subscription; those beyond are kept in its log as failed."""

FULL = f"{MOST_QUEUED} deliveries waited already; send it with `elowire subscriptions replay`"
Place = tuple[str, int]


_KIND_OF = dict(zip(OUTPUT_TOPICS, Kind, strict=True))


class Unreadable(NamedTuple):
    """A record that was passed over, and why."""

    record: Record
    reason: str


class Batch(NamedTuple):
    """What a list of records says."""

    events: Sequence[Event]
    listed: Sequence[Listed]
    positions: Mapping[Place, int]
    unreadable: Sequence[Unreadable]


class Taken(NamedTuple):
    """What became of a batch: deliveries queued and events that were no news, by kind."""

    queued: Counter[str]
    known: Counter[str]
    overflowed: int


def read_batch(records: Sequence[Record]) -> Batch:
    """Read records; what cannot be read is listed and passed over."""
    events: list[Event] = []
    listed: list[Listed] = []
    positions: dict[Place, int] = {}
    unreadable: list[Unreadable] = []
    for record in records:
        positions[record.topic, record.partition] = record.offset + 1
        if record.topic == LISTS_TOPIC:
            line = listed_of(record)
            if line is not None:
                listed.append(line)
            continue
        try:
            event = event_of(record)
        except UnreadableRecordError as problem:
            unreadable.append(Unreadable(record, str(problem)))
            continue
        if event is not None:
            events.append(event)
    return Batch(events, listed, positions, unreadable)


def lacks_federations(store: Store, batch: Batch) -> bool:
    """Say whether the lists must be read on first: somebody filters by a federation that is not known yet."""
    with store.reading() as connection:
        asking = [one for one in all_subscriptions(connection) if one.filters.federations]
        if not asking:
            return False
        known = {line.player_id for line in batch.listed}
        return any(
            event.player_id is not None
            and event.player_id not in known
            and any(event.kind in one.filters.kinds for one in asking)
            and connection.execute(
                "SELECT 1 FROM federation WHERE player_id = ?", (event.player_id,)
            ).fetchone()
            is None
            for event in batch.events
        )


def take(store: Store, batch: Batch, now_ms: int, most_queued: int = MOST_QUEUED) -> Taken:
    """Queue what is new and wanted, and remember how far was read: as a whole or not at all."""
    taken = Taken(Counter(), Counter(), 0)
    with store.transaction() as connection:
        _learn(connection, batch.listed)
        subscriptions = all_subscriptions(connection)
        room = {one.id: most_queued - _queued(connection, one.id) for one in subscriptions}
        for event in batch.events:
            if not _is_news(connection, event, now_ms):
                taken.known[event.kind] += 1
                continue
            for subscription in _asking(connection, subscriptions, event):
                full = room[subscription.id] <= 0
                if _queue(connection, subscription, event, now_ms, full=full):
                    room[subscription.id] -= 1
                    taken.queued[event.kind] += 1
                    taken = taken._replace(overflowed=taken.overflowed + full)
        connection.executemany(
            "INSERT INTO position VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET next = max(next, excluded.next)",
            [(*place, following) for place, following in batch.positions.items()],
        )
    return taken


def positions(store: Store) -> dict[Place, int]:
    """Give what is read next: topic, partition -> offset."""
    with store.reading() as connection:
        rows = connection.execute("SELECT topic, partition, next FROM position").fetchall()
    return {(topic, partition): following for topic, partition, following in rows}


def begin(store: Store, bounds: Mapping[Place, tuple[int, int]]) -> list[str]:
    """Settle where reading begins; `bounds` are the first and the next offset of each partition.

    Outputs begin at their ends the first time, lists at their beginning. A partition that ends before what
    was read of it belongs to a topic that was made anew, with versions that begin again. Gives what an
    operator should know, as sentences.
    """
    said = []
    with store.transaction() as connection:
        known = {
            (topic, number): following
            for topic, number, following in connection.execute("SELECT topic, partition, next FROM position")
        }
        followed = {topic for topic, _ in known}
        made_anew = {
            topic for (topic, number), (_, end) in bounds.items() if known.get((topic, number), 0) > end
        }
        for topic in sorted(made_anew):
            said.append(f"topic {topic} was made anew; it is read from its beginning")
            connection.execute("DELETE FROM position WHERE topic = ?", (topic,))
            connection.execute("DELETE FROM seen WHERE kind = ?", (_KIND_OF.get(topic, ""),))
        for (topic, number), (first, end) in bounds.items():
            following = known.get((topic, number))
            if topic in made_anew or (following is None and (topic == LISTS_TOPIC or topic in followed)):
                start = first
            elif following is None:
                start = end
            elif following < first:
                said.append(
                    f"{first - following} records of {topic}/{number} were deleted before they were read"
                )
                start = first
            else:
                continue
            connection.execute("INSERT OR REPLACE INTO position VALUES (?, ?, ?)", (topic, number, start))
    return said


def _learn(connection: Connection, listed: Sequence[Listed]) -> None:
    connection.executemany(
        "INSERT INTO federation VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
        "SET list = excluded.list, revision = excluded.revision, federation = excluded.federation "
        "WHERE (excluded.list, excluded.revision) >= (list, revision)",
        [(one.player_id, one.list, one.revision, one.federation) for one in listed],
    )


def _queued(connection: Connection, subscription: int) -> int:
    (number,) = connection.execute(
        "SELECT COUNT(*) FROM delivery WHERE subscription = ? AND state = 'queued'", (subscription,)
    ).fetchone()
    return int(number)


def _is_news(connection: Connection, event: Event, now_ms: int) -> bool:
    row = connection.execute(
        "SELECT version, digest FROM seen WHERE kind = ? AND entity = ?", (event.kind, event.entity)
    ).fetchone()
    if row is not None:
        version, digest = row
        is_known = digest == event.digest if event.version is None else version >= event.version
        if is_known:
            return False
    connection.execute(
        "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)",
        (event.kind, event.entity, event.version, event.digest, now_ms),
    )
    return True


def _asking(
    connection: Connection, subscriptions: Sequence[Subscription], event: Event
) -> Sequence[Subscription]:
    federation: str | None = None
    if event.player_id is not None and any(one.filters.federations for one in subscriptions):
        row = connection.execute(
            "SELECT federation FROM federation WHERE player_id = ?", (event.player_id,)
        ).fetchone()
        federation = row[0] if row is not None else None
    return [one for one in subscriptions if one.filters.fits(event, federation)]


def _queue(
    connection: Connection, subscription: Subscription, event: Event, now_ms: int, *, full: bool
) -> bool:
    connection.execute(
        "INSERT INTO event (webhook_id, event_id, kind, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (event.webhook_id, event.event_id, event.kind, event.body),
    )
    (number,) = connection.execute(
        "SELECT id FROM event WHERE webhook_id = ?", (event.webhook_id,)
    ).fetchone()
    if full:
        return bool(
            connection.execute(
                "INSERT INTO delivery (subscription, event, lane, state, created_ms, finished_ms, reason) "
                "VALUES (?, ?, ?, 'failed', ?, ?, ?) ON CONFLICT DO NOTHING",
                (subscription.id, number, event.lane, now_ms, now_ms, FULL),
            ).rowcount
        )
    added = connection.execute(
        "INSERT INTO delivery (subscription, event, lane, state, created_ms) VALUES (?, ?, ?, 'queued', ?) "
        "ON CONFLICT DO NOTHING",
        (subscription.id, number, event.lane, now_ms),
    )
    if not added.rowcount:
        return False
    connection.execute(
        "INSERT INTO lane VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (subscription.id, event.lane, now_ms, added.lastrowid),
    )
    return True
