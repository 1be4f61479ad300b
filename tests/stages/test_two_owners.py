"""A late process beside the owner: the named cases behind what `test_any_order` finds at random."""

from __future__ import annotations

import orjson
import pytest

from elowire.contracts.envelope import input_record
from elowire.processor.stage import Record
from elowire.processor.tournament import TournamentStage, _Batch
from tests.oracle.events import entrant, game, tournament
from tests.stages.driver import BEGAN, Part


class Log:
    """One partition of both sources; records are numbered within their topic."""

    def __init__(self):
        self.ends = {}

    def __call__(self, event, event_id):
        record = input_record(event, event_id=event_id, source="tests")
        offset = self.ends.get(record.topic, 0)
        self.ends[record.topic] = offset + 1
        return Record(record.topic, 0, offset, BEGAN, record.key, record.value, record.headers)


def part_of(*records):
    part = Part(TournamentStage(partitions=1), 0)
    take(part, *records)
    return part


def take(part, *records):
    """Take records and make them durable; returns (player events, states written)."""
    effects = part.stage.apply(list(records), part.table, part.index, 0)
    part.table.update(effects.puts)
    return [emit for emit in effects.emits if emit.topic == "player-events"], list(effects.puts.items())


@pytest.fixture
def log():
    return Log()


class TestThePairThatNobodySaw:
    """Rule 7 of the engine: the late process read the facts alone, the owner the game alone."""

    def sides(self, log):
        begun = [log(tournament(), "t1")]
        owner, late = part_of(*begun), part_of(*begun)
        facts = [log(entrant(f"{n}", 2000, 20, entrant_id=f"n{n}"), f"e{n}") for n in (1, 2)]
        played = log(game("g", {"entrant_id": "n1"}, {"entrant_id": "n2"}), "g1")
        from_late, states = take(late, *facts)
        from_owner, _ = take(owner, played)
        owner.absorb(states)
        again, _ = take(owner, *facts)
        return [*from_late, *from_owner, *again]

    def test_an_equal_revision_emits_again(self, log):
        assert [emit.key for emit in self.sides(log)] == [b"1", b"2"]

    def test_without_that_the_side_is_lost(self, log, monkeypatch):
        merge = _Batch._merge  # noqa: SLF001  # the guard that is switched off

        def once(self, *record):
            old, new, send = merge(self, *record)
            return old, new, send and new is not None

        monkeypatch.setattr(_Batch, "_merge", once)
        assert self.sides(log) == []


class TestAheadInOneTopicAndBehindInTheOther:
    def newest(self, emits, player):
        """The side that a ledger keeps: the greatest revision."""
        sides = [orjson.loads(emit.value) for emit in emits if emit.key == player]
        return max(sides, key=lambda side: side["r"])

    def begun(self, log):
        begun = [
            log(tournament(), "t1"),
            log(entrant("1", 2000, 20), "e1"),
            log(entrant("2", 2000, 20), "e2"),
        ]
        first = log(game("g", "1", "2", "*"), "g1")
        return part_of(*begun, first), part_of(*begun, first)

    @pytest.mark.parametrize(
        "silent",
        [
            pytest.param(tournament(name="Renamed", revision=2), id="a change that decides no side"),
            pytest.param(tournament(name="Older", revision=0), id="an older revision of the tournament"),
            pytest.param(entrant("1", 1999, 20, revision=0), id="an older revision of an entrant"),
        ],
    )
    def test_what_sends_no_side_lifts_no_side_above_the_owners(self, log, silent):
        owner, late = self.begun(log)
        result = log(game("g", "1", "2", "1-0", revision=2), "g2")
        said = log(silent, "s1")
        emits, _ = take(owner, result)
        more, _ = take(owner, said)
        take(late, said)
        # The late process reads a fact of the game once more, with the older game in its table.
        late_emits, states = take(late, log(entrant("1", 2000, 20), "e1"))
        owner.absorb(states)
        assert self.newest([*emits, *more, *late_emits], b"1")["x"] == 100

    def test_what_sends_sides_is_sent_by_the_owner_too(self, log):
        owner, late = self.begun(log)
        result = log(game("g", "1", "2", "1-0", revision=2), "g2")
        changed = log(tournament(rated_in="2025-12", revision=2), "t2")
        late_emits, states = take(late, changed)
        emits, _ = take(owner, result)
        owner.absorb(states)
        more, _ = take(owner, changed)
        newest = self.newest([*late_emits, *emits, *more], b"1")
        assert (newest["x"], newest["p"]) == (100, "2025-12")


def test_states_written_by_two_owners_are_one_chain(log):
    """Whoever takes the same records of a key writes the same bytes under the same counter."""
    records = [
        log(tournament(), "t1"),
        log(entrant("1", 2000, 20), "e1"),
        log(entrant("1", 2010, 20, revision=3), "e3"),
        log(entrant("1", 2005, 20, revision=2), "e2"),
        log(tournament(revision=2, status="finished"), "t2"),
    ]
    one, other = part_of(), part_of()
    for record in records:
        take(one, record)
    take(other, *records)
    assert one.table == other.table
    one.absorb(other.table.items())


def test_a_write_cut_short_is_finished_when_the_records_come_again(log):
    """Every beginning of a write can be all that was durable."""
    records = [
        log(tournament(), "t1"),
        log(entrant("1", 2000, 20), "e1"),
        log(entrant("2", 2000, 20, entrant_id="n2"), "e2"),
        log(game("g", "1", {"entrant_id": "n2"}), "g1"),
    ]
    whole = part_of(*records)
    states = list(whole.table.items())
    for cut in range(len(states) + 1):
        part = part_of()
        part.absorb(states[:cut])
        emits, _ = take(part, *records)
        assert part.table == whole.table
        assert {emit.key for emit in emits} == {b"1", b"2"}
