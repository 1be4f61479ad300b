"""The stages do not become slower unnoticed: their CPU time beside that of fixed work in the same process.

What is compared is how much of the fixed work could have been done in the time of one game, best of several
rounds of process time each, so that neither a slower machine nor a busy one changes it. Whole speeds are
measured by `make bench`.
"""

from __future__ import annotations

import gc
import time
from typing import NamedTuple

import orjson
import pytest
from pydantic import BaseModel, ConfigDict, Field

from elowire.processor.player import PlayerStage
from elowire.processor.stage import Record
from elowire.processor.tournament import TournamentStage
from tests.bench import load

SIZE = load.Size(tournaments=10, entrants=40, rounds=10, players=300)
BATCH = 500
ROUNDS = 9
FALL = 0.30
# Units of the fixed work for each game. Whoever makes a stage faster writes the new figure.
RECORDED = {"tournament": 13.0, "player": 16.0}


class Move(BaseModel):
    """What the fixed work reads."""

    model_config = ConfigDict(frozen=True, strict=True)

    game: str = Field(min_length=1, max_length=40)
    revision: int = Field(ge=0)
    opponent: int = Field(ge=0, le=4000)
    score: int = Field(ge=0, le=100)
    source: str
    played_at: str


class Batches(NamedTuple):
    """What a stage is given: first what is not measured, then the games."""

    opening: list[list[Record]]
    games: list[list[Record]]


def batches(records):
    return [records[at : at + BATCH] for at in range(0, len(records), BATCH)]


def records_of(topic, made):
    return [
        Record(topic, 0, number, 1_760_000_000_000, one.key, one.value, one.headers)
        for number, one in enumerate(made)
    ]


def work(stage, table, index, given):
    emits = []
    for batch in given:
        effects = stage.apply(batch, table, index, 0)
        table.update(effects.puts)
        emits += effects.emits
    return emits


@pytest.fixture(scope="module")
def given():
    """{stage: its batches}."""
    opening, entries = load.facts(SIZE, seed=1)
    games = list(load.games(SIZE, entries, seed=1))
    tournament = Batches(
        batches(records_of("tournament-events", opening)), batches(records_of("game-results", games))
    )
    stage, table = TournamentStage(partitions=1), {}
    index = stage.new_index()
    sides = []
    for part in tournament:
        emits = [one for one in work(stage, table, index, part) if one.topic == "player-events"]
        sides.append(batches(records_of("player-events", emits)))
    return {"tournament": tournament, "player": Batches(*sides)}


def fixed_work(units=2_000):
    """Read, check, add up and write: pydantic, orjson and plain Python, as stages do. CPU seconds a unit."""
    lines = [
        orjson.dumps(
            {
                "game": f"g{number}",
                "revision": number % 3,
                "opponent": 1400 + number % 1300,
                "score": 50,
                "source": "arbiter/relay-07",
                "played_at": "2026-12-01T12:00:00Z",
            }
        )
        for number in range(units)
    ]
    began = time.process_time()
    account: dict[str, list[int]] = {}
    for line in lines:
        move = Move.model_validate_json(line)
        account[move.game] = [move.revision, move.opponent, move.score]
        if len(account) > 20:
            del account[next(iter(account))]
        total = sum(opponent * score for _, opponent, score in account.values())
        orjson.dumps({"s": len(account), "g": account, "total": total})
    return (time.process_time() - began) / units


def stage_work(stage, given):
    """CPU seconds a game."""
    table, index = {}, stage.new_index()
    work(stage, table, index, given.opening)
    began = time.process_time()
    work(stage, table, index, given.games)
    return (time.process_time() - began) / SIZE.games


def cost(make, given):
    """Units of the fixed work for each game. Both take turns, so that a busy moment meets both."""
    gc.collect()
    gc.disable()
    try:
        rounds = [(fixed_work(), stage_work(make(), given)) for _ in range(ROUNDS)]
    finally:
        gc.enable()
    units, games = zip(*rounds, strict=True)
    return min(games) / min(units)


def slower(name, found):
    """Why a cost is too high, or nothing."""
    if RECORDED[name] / found >= 1 - FALL:
        return []
    return [
        f"the {name} stage takes {found:.2f} units of fixed work a game, {RECORDED[name]:.2f} are on record"
    ]


STAGES = {"tournament": TournamentStage, "player": PlayerStage}


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_is_as_quick_as_on_record(name, given):
    def measured():
        return slower(name, cost(lambda: STAGES[name](partitions=1), given[name]))

    # A machine may be busy all the time that this takes, and not twice.
    assert (measured() and measured()) == []


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_that_works_twice_is_found(name, given):
    class Twice(STAGES[name]):
        def apply(self, records, table, index, partition):
            STAGES[name](partitions=1).apply(records, table, self.new_index(), partition)
            return super().apply(records, table, index, partition)

    assert slower(name, cost(lambda: Twice(partitions=1), given[name])) != []
