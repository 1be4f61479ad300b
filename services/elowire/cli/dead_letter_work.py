"""What the dead-letter commands do: send letters again or put them aside, each answered by a row."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from elowire.cli.dead_letter_choice import Wanted
from elowire.cli.dead_letter_rows import outcome_row
from elowire.cli.errors import Failure
from elowire.contracts.resolutions import Outcome
from elowire.contracts.topics import GAME_RESULTS, PLAYER_EVENTS, RATING_LISTS, TOURNAMENT_EVENTS
from elowire.runtime import clock
from elowire.runtime.dead_letters import AS_IT_IS, Letter, Reading, Repair, mark, replay
from elowire.runtime.kafka import ConfirmedProducer, RecordRefusedError, TopicMissingError
from elowire.runtime.security import address_of
from elowire.runtime.settings import Settings

SENT_TOGETHER = 200
BYTES_TOGETHER = 16 << 20
_SOURCES = tuple(topic.name for topic in (GAME_RESULTS, TOURNAMENT_EVENTS, RATING_LISTS, PLAYER_EVENTS))


async def letters_by_id(reading: Reading, ids: Sequence[str]) -> dict[str, Letter]:
    """Return the letters in the order of `ids`, or fail before anything is done when one is unknown."""
    found = await reading.by_id(frozenset(ids))
    unknown = [one for one in ids if one not in found]
    if unknown:
        raise Failure(
            f"no dead letter {', '.join(unknown)} in {reading.topic} at {address_of(reading.cluster)}: "
            "expected the id of a letter that the topic still keeps, as `elowire dead-letters list` prints "
            "it. Nothing was changed"
        )
    return {one: found[one] for one in ids}


async def replay_ids(
    settings: Settings, reading: Reading, ids: Sequence[str], repair: Repair
) -> list[dict[str, Any]]:
    """Send letters again by id, each acknowledged and marked before the next; returns what was done."""
    letters = await letters_by_id(reading, ids)
    rows = []
    async with ConfirmedProducer(settings) as producer:
        for letter in letters.values():
            why_not = _resolved(letter) or _not_replayable(letter, repair, settings.topic_prefix)
            if why_not is None:
                await _send(producer, [(letter, repair)])
            rows.append(outcome_row(letter, Outcome.REPLAYED, why_not))

    return rows


async def replay_all(settings: Settings, reading: Reading, wanted: Wanted) -> list[dict[str, Any]]:
    """Send every open letter that is wanted again, in portions; returns what was done."""
    rows: list[dict[str, Any]] = []
    async with (
        ConfirmedProducer(settings) as producer,
        aclosing(reading.open_letters(wanted)) as letters,
    ):
        portion: list[tuple[Letter, Repair]] = []
        size = 0
        async for letter in letters:
            why_not = _not_replayable(letter, AS_IT_IS, settings.topic_prefix)
            rows.append(outcome_row(letter, Outcome.REPLAYED, why_not))
            if why_not is None:
                portion.append((letter, AS_IT_IS))
                size += len(letter.record.value or b"")
            if len(portion) >= SENT_TOGETHER or size >= BYTES_TOGETHER:
                await _send(producer, portion)
                portion, size = [], 0
        await _send(producer, portion)

    return rows


async def discard_ids(
    settings: Settings, reading: Reading, ids: Sequence[str], reason: str
) -> list[dict[str, Any]]:
    """Put letters aside by id, with the reason; returns what was done."""
    letters = await letters_by_id(reading, ids)
    still_open = [letter for letter in letters.values() if letter.resolution is None]
    async with ConfirmedProducer(settings) as producer:
        await mark(producer, still_open, Outcome.DISCARDED, at=_now(), reason=reason)

    return [outcome_row(letter, Outcome.DISCARDED, _resolved(letter)) for letter in letters.values()]


async def _send(producer: ConfirmedProducer, portion: Sequence[tuple[Letter, Repair]]) -> None:
    try:
        await replay(producer, portion, at=_now())
    except (RecordRefusedError, TopicMissingError) as fault:
        ids = [letter.why.id for letter, _ in portion]
        named = ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1} after it"
        raise Failure(
            f"{named}: {fault}. Letters from there on stay open; those before were replayed"
        ) from fault


def _resolved(letter: Letter) -> str | None:
    said = letter.resolution
    if said is None:
        return None
    because = f" ({said.reason})" if said.reason else ""

    return f"already {said.outcome.value} at {said.at}{because}; nothing was done"


def _not_replayable(letter: Letter, repair: Repair, prefix: str) -> str | None:
    """Say why a letter cannot be sent; None when it can."""
    topic = letter.why.topic
    if topic.removeprefix(prefix) not in _SOURCES:
        return f"topic {topic} takes no inputs: expected {', '.join(_SOURCES)}; discard it with a reason"
    if letter.cut_from is not None and repair.value is None:
        return f"only a part of its {letter.cut_from} bytes is here: give the whole record with --value FILE"
    if {letter.record.key, letter.record.value, repair.key, repair.value} == {None}:
        return "it has neither key nor bytes: give them with --key and --value, or discard it with a reason"
    return None


def _now() -> str:
    return clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
