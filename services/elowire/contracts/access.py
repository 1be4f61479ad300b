"""Who may do what in a secured cluster: the least that each service needs, from the catalogue.

Operations are Kafka's own (KIP-11); Read and Write include Describe. Names are literal, nothing is given by
prefix or wildcard.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from elowire.contracts.topics import (
    CATALOGUE,
    DEAD_LETTERS,
    GAME_RESULTS,
    LIVE_RATINGS,
    PLAYER_EVENTS,
    PLAYERS_CHANGELOG,
    RATED_GAMES,
    RATING_LISTS,
    RECONCILIATIONS,
    TOURNAMENT_EVENTS,
    TOURNAMENT_RATINGS,
    TOURNAMENTS_CHANGELOG,
    Topic,
)

INPUTS = (GAME_RESULTS, TOURNAMENT_EVENTS, RATING_LISTS)
OUTPUTS = (LIVE_RATINGS, RATED_GAMES, TOURNAMENT_RATINGS, RECONCILIATIONS)
CHANGELOGS = (TOURNAMENTS_CHANGELOG, PLAYERS_CHANGELOG)
_INTERNAL = tuple(topic for topic in CATALOGUE if not topic.public)


class Service(StrEnum):
    """Who logs in; `operator` is the person at the command line."""

    INGEST = "ingest"
    PROCESSOR = "processor"
    TICKER = "ticker"
    DISPATCH = "dispatch"
    OPERATOR = "operator"


class Acl(NamedTuple):
    """One permission: `service` may do `operation` on the `resource` (topic or group) called `name`."""

    service: Service
    operation: str
    resource: str
    name: str


READS: dict[Service, tuple[Topic, ...]] = {
    # Whom a list concerns, and what a correction corrects.
    Service.INGEST: (GAME_RESULTS, TOURNAMENT_EVENTS),
    Service.PROCESSOR: (*INPUTS, *_INTERNAL),
    # Figures first; names of tournaments and refused records beside them.
    Service.TICKER: (
        RATING_LISTS,
        LIVE_RATINGS,
        RATED_GAMES,
        TOURNAMENT_RATINGS,
        TOURNAMENT_EVENTS,
        DEAD_LETTERS,
    ),
    # The lists say which federation a player belongs to.
    Service.DISPATCH: (*OUTPUTS, RATING_LISTS),
    # Verify, dead letters, and what the other commands show.
    Service.OPERATOR: CATALOGUE,
}
WRITES: dict[Service, tuple[Topic, ...]] = {
    Service.INGEST: INPUTS,
    # A record in the wrong partition of an input goes to its own.
    Service.PROCESSOR: (*INPUTS, *_INTERNAL, *OUTPUTS, DEAD_LETTERS),
    Service.TICKER: (),
    Service.DISPATCH: (),
    # Feeding files, sending dead letters again, and a rebuild, which goes on with the players' versions.
    Service.OPERATOR: (*INPUTS, PLAYER_EVENTS, DEAD_LETTERS, PLAYERS_CHANGELOG),
}


def acls(*, prefix: str = "", group: str = "elowire") -> tuple[Acl, ...]:
    """Return every permission by service; `prefix` stands before topics, `group` is the processors'."""
    found: list[Acl] = []
    for service in Service:
        found += [Acl(service, "Read", "topic", f"{prefix}{topic.name}") for topic in READS[service]]
        found += [Acl(service, "Write", "topic", f"{prefix}{topic.name}") for topic in WRITES[service]]
    found.append(Acl(Service.PROCESSOR, "Read", "group", group))
    # A rebuild sets the group back and deletes what the processors have made of the inputs.
    found.append(Acl(Service.OPERATOR, "Read", "group", group))
    found += [Acl(Service.OPERATOR, "Delete", "topic", f"{prefix}{topic.name}") for topic in CHANGELOGS]
    for operation in ("Create", "DescribeConfigs"):
        found += [Acl(Service.OPERATOR, operation, "topic", f"{prefix}{topic.name}") for topic in CATALOGUE]

    return tuple(sorted(found, key=lambda acl: [*Service].index(acl.service)))
