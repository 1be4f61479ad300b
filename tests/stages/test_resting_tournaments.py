"""What the index keeps of tournaments that nobody asks about, and that nothing changes because of it."""

from __future__ import annotations

import pytest

from elowire.processor import tournament_index
from tests.oracle.events import game, tournament
from tests.oracle.generator import Sizes, generate
from tests.stages.driver import Lane
from tests.stages.test_two_owners import Log, part_of, take

EVENTS = generate(30, Sizes(tournaments=12, entrants=8, rounds=4, players=40))


def of(name, number):
    """Three players of a tournament meet; the fourth record is a correction."""
    return [
        (tournament(tournament_id=name), f"{name}-t"),
        *(
            (game(f"{n}", "1", f"{n}", tournament_id=name, round=n), f"{name}-{n}")
            for n in range(2, 2 + number)
        ),
    ]


def said(generation, monkeypatch):
    monkeypatch.setattr(tournament_index, "GENERATION", generation)
    return Lane(partitions=2, seed=5).feed(EVENTS).read()


@pytest.mark.parametrize("generation", [0, 10, 100])
def test_the_outputs_are_the_same_bytes_however_soon_links_are_let_go(generation, monkeypatch):
    assert said(generation, monkeypatch) == said(1_000_000, monkeypatch)


def begun(*names, number=20):
    log = Log()
    return part_of(*(log(event, id_) for name in names for event, id_ in of(name, number))), log


def linked(part):
    """The tournaments whose links are kept."""
    return {*part.index._now, *part.index._last}  # noqa: SLF001  # nothing outside the index may ask


def test_what_rests_keeps_its_keys_and_nothing_else():
    part, log = begun("a")
    for name in ("b", "c", "d"):
        take(part, *(log(event, id_) for event, id_ in of(name, 40)))
    keys, standings = part.index.games_in[b"a"], part.index.standings

    assert linked(part) == {b"c", b"d"}
    assert type(keys) is tuple
    assert len(keys) == 20
    assert standings.knows(b"d")
    assert not standings.knows(b"a")


def test_a_recovered_tournament_is_linked_when_it_is_asked_for():
    part, log = begun("a", "b")
    fresh = part.copy()
    assert linked(fresh) == set()
    emits, _ = take(
        fresh, log(game("2", "1", "2", tournament_id="a", round=2, revision=2, result="0-1"), "c")
    )

    assert linked(fresh) == {b"a"}
    assert {emit.key for emit in emits} == {b"1", b"2"}


@pytest.mark.parametrize("rested", [False, True])
def test_a_player_is_not_seated_twice_in_a_round_of_a_tournament_that_rested(rested):
    part, log = begun("a")
    if rested:
        part = part.copy()
    twice = log(game("new", "2", "9", tournament_id="a", round=2), "twice")
    effects = part.stage.apply([twice], part.table, part.index, 0)

    assert [emit.topic for emit in effects.emits] == ["dead-letters"]


def test_the_links_of_a_tournament_that_another_process_wrote_to_are_made_anew():
    part, log = begun("a")
    other = part.copy()
    moved = log(game("2", "1", "7", tournament_id="a", round=2, revision=2), "moved")
    _, states = take(other, moved)
    part.absorb(states)
    twice = log(game("new", "7", "9", tournament_id="a", round=2), "twice")
    effects = part.stage.apply([twice], part.table, part.index, 0)

    assert [emit.topic for emit in effects.emits] == ["dead-letters"]
