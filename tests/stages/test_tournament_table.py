"""How the tournaments' table is written, and what of a dropped batch is not believed."""

from __future__ import annotations

import orjson
import pytest

from elowire.processor.state import order
from elowire.processor.tournament_states import decode, encode
from tests.oracle.events import entrant, game, tournament
from tests.stages.test_two_owners import Log, part_of, take


@pytest.fixture
def log():
    return Log()


NAMED = {"player_id": "2", "rating": 2400, "k": 10, "name": "Black"}


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([game("g", "1", "2")], id="only player ids"),
        pytest.param(
            [game("g", {"entrant_id": "n1"}, NAMED, round=3, board=1)], id="figures beside the game"
        ),
        pytest.param([game("g", {"entrant_id": "n1", "player_id": "1"}, "2")], id="both ids"),
        pytest.param([game("g", "1", None, status="bye", result="1/2-0", round=2)], id="nobody sits there"),
        pytest.param(
            [game("g", "1", "2", round=1), game("g", "1", "3", revision=2, round=2, url="https://x.org/g")],
            id="moved and played by somebody else",
        ),
    ],
)
def test_a_game_is_read_as_it_was_written(log, events):
    part = part_of(*(log(event, f"g{number}") for number, event in enumerate(events)))
    raw = part.table[b"t\x1fg\x1fg"]
    state = decode(raw)
    assert encode(state) == raw
    assert order(raw)[0] == state["s"] == len(events)
    white, black = (None if side is None else side.identity for side in (events[-1].white, events[-1].black))
    assert [None if state["d"][c] is None else state["d"][c][0] for c in ("w", "b")] == [white, black]
    assert (state["d"]["rd"], state["d"]["url"]) == (events[-1].round, events[-1].url)


def test_a_plain_game_is_short(log):
    part = part_of(log(game("g", "1", "2", round=1), "g1"))
    assert part.table[b"t\x1fg\x1fg"] == b'\x02{"s":1,"g":[1,1,"g1",0,"played",true,1,null,"1","2","1-0"]}'


def lines(part, *records):
    effects = part.stage.apply(list(records), part.table, part.index, 0)
    part.table.update(effects.puts)
    return {
        data["entrant_id"]: (data["points"], data["rated_games"], data["expected"], data["revision"])
        for emit in effects.emits
        if emit.topic == "tournament-ratings"
        for data in [orjson.loads(emit.value)]
    }


class TestStandings:
    def begun(self, log):
        return [log(tournament(), "t1"), *(log(entrant(one, 2000, 20), f"e{one}") for one in "123")]

    def test_a_result_counts_once_however_often_the_game_changes(self, log):
        begun = self.begun(log)
        records = [
            log(game("a", "1", "2", "*", round=1), "a1"),
            log(game("a", "1", "2", "1-0", revision=2, round=1), "a2"),
            log(game("b", "3", "1", "1/2-1/2", round=2), "b1"),
            log(game("a", "1", "3", "1-0", revision=3, round=1), "a3"),
            log(game("b", "3", "1", status="annulled", revision=2, round=2), "b2"),
        ]
        step_by_step = part_of(*begun)
        told = {}
        for record in records:
            told |= lines(step_by_step, record)
        afresh = part_of(*begun)
        assert told == lines(afresh, *records)
        assert told["1"][:3] == ("1", 1, "0.50")

    def test_what_a_dropped_batch_found_out_is_not_believed(self, log):
        """Another process wrote the first of its states; with the batch read again all comes to the same."""
        part = part_of(*self.begun(log))
        take(part, log(game("a", "1", "2", round=1), "a1"))
        lost = [log(game("b", "1", "3", round=2), "b1"), log(game("c", "2", "3", round=3), "c1")]
        dropped = part.stage.apply(lost, part.table, part.index, 0)
        key, state = next(iter(dropped.puts.items()))
        part.absorb([(key, state)])
        again = lines(part, *lost)
        assert {name: line[:3] for name, line in again.items()} == {
            "1": ("2", 2, "1.00"),
            "2": ("1", 2, "1.00"),
            "3": ("0", 2, "1.00"),
        }

    def test_a_game_of_a_dropped_batch_is_not_behind_a_line(self, log):
        part = part_of(*self.begun(log))
        take(part, log(game("a", "1", "2", round=1), "a1"))
        part.stage.apply([log(game("a", "3", "2", revision=2, round=1), "a2")], part.table, part.index, 0)
        clean = part_of()
        clean.absorb(part.table.items())
        facts = log(entrant("3", 2010, 20, revision=2), "f1")
        assert lines(part, facts)["3"] == lines(clean, facts)["3"]

    def test_what_another_process_wrote_further_is_not_counted_on_top(self, log):
        """It wrote a newer state of one tournament: what was found out of the other is not lost either."""
        begun = [*self.begun(log), log(tournament("u"), "u1")]
        begun += [log(entrant(one, 2000, 20, tournament_id="u"), f"u{one}") for one in "123"]
        owner, late = part_of(*begun), part_of(*begun)
        before = log(game("a", "1", "2", round=1, tournament_id="u"), "a1")
        both = [
            log(game("a", "1", "2", round=1), "a2"),
            log(game("b", "1", "3", round=2, tournament_id="u"), "b1"),
        ]
        newer = log(game("a", "1", "2", "0-1", round=1, revision=2), "a3")
        for part in (owner, late):
            lines(part, before)
        lines(owner, *both)
        take(late, *both)
        _, states = take(late, newer)
        owner.absorb(states)
        told = lines(owner, log(game("c", "3", "2", round=3, tournament_id="u"), "c1"))
        assert {name: line[:2] for name, line in told.items()} == {"3": ("1", 2), "2": ("0", 2)}
        told = lines(owner, log(game("b", "3", "1", round=2, tournament_id="u", revision=2), "b2"))
        assert {name: line[:2] for name, line in told.items()} == {"3": ("2", 2), "1": ("1", 2)}


class TestNamesThatAreNobodyAnyMore:
    """A name that had a line has one without points when all its games turn out to be somebody else's."""

    @pytest.mark.parametrize("system", ["swiss", "round-robin", "match"])
    @pytest.mark.parametrize(
        "revealed",
        [
            pytest.param([game("a", "3", "2", round=1, revision=2)], id="the-game-named-the-wrong-player"),
            pytest.param([entrant("1", 2000, 20, entrant_id="n1")], id="an-entrant-is-this-player"),
            pytest.param(
                [
                    entrant("1", 2000, 20, entrant_id="n1"),
                    tournament(revision=2, status="finished"),
                    entrant("1", 2010, 20, entrant_id="n1", revision=2),
                ],
                id="and-changes-after-the-end",
            ),
        ],
    )
    def test_its_last_line_has_no_points(self, log, revealed, system):
        part, told = part_of(log(tournament(edition="2014-07", system=system), "t1")), []
        for number, event in enumerate([game("a", "1", "2", round=1), *revealed]):
            told.append(lines(part, log(event, f"e{number}")))
        assert told[0]["1"][:2] == ("1", 0)
        last = max((one["1"] for one in told if "1" in one), key=lambda line: line[3])
        assert last[:2] == ("0", 0)
        bearer = {name: line for one in told for name, line in one.items()}
        assert [line[0] for name, line in bearer.items() if name in {"3", "n1"}] == ["1"]
