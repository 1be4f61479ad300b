from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from elowire.ticker.ladder import Ladder


def test_equal_ratings_share_a_rank_and_the_next_is_skipped():
    ladder = Ladder()
    for player, score in (("a", 280000), ("b", 275010), ("c", 275010), ("d", 270000)):
        ladder.place(player, player, (score, score // 100))

    assert [ladder.rank(player)[0] for player in "abcd"] == [1, 2, 2, 4]


def test_movement_counts_places_since_the_list():
    ladder = Ladder()
    ladder.place("a", "a", (278050, 2789))
    ladder.place("b", "b", (279010, 2780))
    ladder.place("c", "c", (270000, 2700))

    assert [ladder.rank(player) for player in "abc"] == [(2, -1), (1, 1), (3, 0)]
    assert ladder.first(9) == ["b", "a", "c"]


def test_who_left_the_ladder_has_no_rank():
    ladder = Ladder()
    ladder.place("a", "a", (270000, 2700))
    ladder.place("a", "a", None)

    assert ladder.rank("a") is None
    assert ladder.first(9) == []


steps = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh"),
        st.none() | st.tuples(st.integers(1, 9), st.integers(1, 4)),
        st.booleans(),
    ),
    max_size=60,
)


@given(steps)
def test_moving_one_by_one_is_the_same_as_sorting_at_the_end(moves):
    looked, sorted_once, standings = Ladder(), Ladder(), {}
    for player, figures, look in moves:
        looked.place(player, player, figures)
        sorted_once.place(player, player, figures)
        standings[player] = figures
        if look:
            looked.first(9)
    known = {player: standing for player, standing in standings.items() if standing}
    scores = sorted((score for score, _ in known.values()), reverse=True)

    assert looked.first(9) == sorted_once.first(9)
    assert {player: looked.rank(player)[0] for player in known} == {
        player: scores.index(score) + 1 for player, (score, _) in known.items()
    }


def test_a_whole_list_is_sorted_at_once():
    ladder = Ladder()
    for number in range(2_000):
        ladder.place(str(number), "", ((number * 7919) % 100_000, 1))
    scores = [ladder.rank(player)[0] for player in ladder.first(2_000)]

    assert len(ladder) == 2_000
    assert scores == sorted(scores)


def test_the_first_among_some_are_those_of_them_who_rank():
    ladder = Ladder()
    for player, score in (("a", 3), ("b", 2), ("c", 1)):
        ladder.place(player, player, (score, 1))

    assert ladder.first(1) == ["a"]
    assert ladder.first(9, {"c", "b", "x"}) == ["b", "c"]
