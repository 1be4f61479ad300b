"""The topics: names, keys, contents, how long they are kept, and which partition a key belongs to.

Source: contract, section 1; sizes and lags of the changelogs are those of the engine's measured runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

DEFAULT_PARTITIONS = 12

MIB = 1 << 20
MAX_RECORD_BYTES = MIB
MAX_DEAD_LETTER_BYTES = 4 * MIB

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS
FOR_EVER = -1


class Cleanup(StrEnum):
    """What the broker does with old records (`cleanup.policy`)."""

    DELETE = "delete"
    COMPACT = "compact"
    COMPACT_AND_DELETE = "compact,delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic: what is in it and how the broker keeps it. Times are milliseconds, sizes bytes.

    `retention_ms` is None for a topic that is only compacted; `compaction_lag_ms` is how long every version
    of a key is kept before compaction may remove all but the last.
    """

    name: str
    key: str
    types: tuple[str, ...]
    purpose: str
    cleanup: Cleanup = Cleanup.DELETE
    retention_ms: int | None = None
    compaction_lag_ms: int = 0
    segment_bytes: int | None = None
    max_record_bytes: int = MAX_RECORD_BYTES
    public: bool = True

    def config(self, *, min_insync: int) -> dict[str, str]:
        """Return the broker's settings for this topic, as Kafka writes them."""
        config = {
            "cleanup.policy": self.cleanup.value,
            "compression.type": "producer",
            "max.message.bytes": str(self.max_record_bytes),
            "min.insync.replicas": str(min_insync),
            "unclean.leader.election.enable": "false",
        }
        if self.retention_ms is not None:
            config["retention.ms"] = str(self.retention_ms)
            config["retention.bytes"] = "-1"
        if self.compaction_lag_ms:
            config["min.compaction.lag.ms"] = str(self.compaction_lag_ms)
        if self.segment_bytes is not None:
            config["segment.bytes"] = str(self.segment_bytes)

        return config


TYPE_TOURNAMENT = "elowire.tournament.v1"
TYPE_ENTRANT = "elowire.entrant.v1"
TYPE_GAME_RESULT = "elowire.game-result.v1"
TYPE_PUBLISHED_RATING = "elowire.published-rating.v1"
TYPE_REPORTED_CHANGE = "elowire.reported-change.v1"
TYPE_LIVE_RATING = "elowire.live-rating.v1"
TYPE_RATED_GAME = "elowire.rated-game.v1"
TYPE_TOURNAMENT_RATING = "elowire.tournament-rating.v1"
TYPE_RECONCILIATION = "elowire.reconciliation.v1"

GAME_RESULTS = Topic(
    name="game-results",
    key="tournament id",
    types=(TYPE_GAME_RESULT,),
    purpose="Results of games, kept for replay and audit.",
    retention_ms=FOR_EVER,
)
TOURNAMENT_EVENTS = Topic(
    name="tournament-events",
    key="tournament id",
    types=(TYPE_TOURNAMENT, TYPE_ENTRANT, TYPE_REPORTED_CHANGE),
    purpose="Tournaments, their entrants, and sums of events played elsewhere.",
    retention_ms=FOR_EVER,
)
RATING_LISTS = Topic(
    name="rating-lists",
    key="player id",
    types=(TYPE_PUBLISHED_RATING,),
    purpose="Published ratings, the latest list of every player.",
    cleanup=Cleanup.COMPACT,
)
PLAYER_EVENTS = Topic(
    name="player-events",
    key="player id",
    types=(),
    purpose="Internal: one log per player, derived from the inputs.",
    retention_ms=30 * DAY_MS,
    public=False,
)
LIVE_RATINGS = Topic(
    name="live-ratings",
    key="player id",
    types=(TYPE_LIVE_RATING,),
    purpose="The figures of a player's ratings and what changed them.",
    # Every version for 30 days and the last one for ever: deleting by age would take the figures of
    # a player who rests for longer than that away from every reader that starts afresh.
    cleanup=Cleanup.COMPACT,
    compaction_lag_ms=30 * DAY_MS,
)
RATED_GAMES = Topic(
    name="rated-games",
    key="player id/game id, in the partition of the player id",
    types=(TYPE_RATED_GAME,),
    purpose="One side of one game, explained.",
    cleanup=Cleanup.COMPACT_AND_DELETE,
    retention_ms=400 * DAY_MS,
)
TOURNAMENT_RATINGS = Topic(
    name="tournament-ratings",
    key="tournament id",
    types=(TYPE_TOURNAMENT_RATING,),
    purpose="One entrant's line in a tournament.",
    # The key is the tournament's, so that compaction would keep a single entrant's line.
    retention_ms=30 * DAY_MS,
)
RECONCILIATIONS = Topic(
    name="reconciliations",
    key="player id",
    types=(TYPE_RECONCILIATION,),
    purpose="The prediction beside the list that came out.",
    retention_ms=400 * DAY_MS,
)
DEAD_LETTERS = Topic(
    name="dead-letters",
    key="key of the refused record",
    types=(),
    purpose="Refused records: original bytes and headers, plus why.",
    retention_ms=90 * DAY_MS,
    max_record_bytes=MAX_DEAD_LETTER_BYTES,
)
TOURNAMENTS_CHANGELOG = Topic(
    name="elowire-tournaments-changelog",
    key="state key",
    types=(),
    purpose="Internal: the tournament stage's state.",
    cleanup=Cleanup.COMPACT,
    compaction_lag_ms=10 * MINUTE_MS,
    segment_bytes=16 * MIB,
    public=False,
)
PLAYERS_CHANGELOG = Topic(
    name="elowire-players-changelog",
    key="state key",
    types=(),
    purpose="Internal: the player stage's state.",
    cleanup=Cleanup.COMPACT,
    compaction_lag_ms=10 * MINUTE_MS,
    segment_bytes=16 * MIB,
    public=False,
)

CATALOGUE: tuple[Topic, ...] = (
    GAME_RESULTS,
    TOURNAMENT_EVENTS,
    RATING_LISTS,
    PLAYER_EVENTS,
    LIVE_RATINGS,
    RATED_GAMES,
    TOURNAMENT_RATINGS,
    RECONCILIATIONS,
    DEAD_LETTERS,
    TOURNAMENTS_CHANGELOG,
    PLAYERS_CHANGELOG,
)


def topic_named(name: str) -> Topic:
    """Return the topic of the catalogue with this name, or raise KeyError with the known names."""
    for topic in CATALOGUE:
        if topic.name == name:
            return topic

    known = ", ".join(topic.name for topic in CATALOGUE)
    raise KeyError(f"topic {name!r} is not in the catalogue; known topics: {known}")


def rated_game_key(player_id: str, game_id: str) -> bytes:
    """Return the key of one side of a game in `rated-games`; its partition is that of the player id."""
    return f"{player_id}/{game_id}".encode()


_SEED = 0x9747B28C
_MULTIPLIER = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Return the 32-bit murmur2 hash of a key (0..2^32-1), as org.apache.kafka.common.utils.Utils has it."""
    length = len(data)
    whole = length & ~3
    hashed = _SEED ^ length
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * _MULTIPLIER & _MASK
        word ^= word >> 24
        hashed = (hashed * _MULTIPLIER & _MASK) ^ (word * _MULTIPLIER & _MASK)
    if length > whole:
        hashed ^= int.from_bytes(data[whole:], "little")
        hashed = hashed * _MULTIPLIER & _MASK
    hashed ^= hashed >> 13
    hashed = hashed * _MULTIPLIER & _MASK

    return hashed ^ (hashed >> 15)


@lru_cache(maxsize=65_536)
def partition_of(key: bytes, partitions: int) -> int:
    """Return the partition (0..partitions-1) of a key, as Kafka clients choose it by default."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions
