"""Laws that hold whatever the ratings and results are."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from elowire.domain import (
    EDITIONS,
    FirstEvent,
    RoundRobinGame,
    RoundRobinPlayer,
    TimeControl,
    crosstable_of_games,
    crosstable_of_totals,
    cut_k,
    edition_by_id,
    initial_rating,
    live_figures,
    period_change,
    rate_game,
    resolve_round_robin,
    score_probability,
    upgraded,
)

ratings = st.integers(1000, 2900)
points = st.sampled_from([0, 50, 100])
editions = st.sampled_from(EDITIONS)
time_controls = st.sampled_from(list(TimeControl))
games = st.tuples(ratings, points)
pools = st.lists(
    st.builds(
        FirstEvent.of_games,
        st.lists(games, max_size=9),
        ends_on=st.dates(date(2020, 1, 1), date(2026, 12, 31)),
    ),
    max_size=5,
)


def delta(own, opponent, scored, edition, time_control=TimeControl.STANDARD):
    return rate_game(
        own=own, opponent=opponent, points=scored, edition=edition, time_control=time_control
    ).delta


@given(ratings, st.lists(games), st.randoms(), editions, st.sampled_from([40, 20, 10]))
def test_order_of_games_under_one_list_does_not_matter(own, played, random, edition, k):
    shuffled = list(played)
    random.shuffle(shuffled)
    one, two = (
        [(len(some), sum(delta(own, *game, edition) for game in some))] for some in (played, shuffled)
    )

    assert live_figures(own, k, one, edition) == live_figures(own, k, two, edition)


@given(ratings, ratings, points, editions, time_controls)
def test_both_sides_mirror_where_the_cap_is_the_same(own, opponent, scored, edition, time_control):
    exempt = edition.cap.exempt_from if time_control is TimeControl.STANDARD else None
    mine = delta(own, opponent, scored, edition, time_control)
    theirs = delta(opponent, own, 100 - scored, edition, time_control)

    if exempt is None or (own < exempt) == (opponent < exempt) or abs(own - opponent) <= 400:
        assert mine + theirs == 0


@given(ratings, st.lists(games, min_size=1), games, editions)
def test_to_apply_a_game_and_annul_it_is_identity(own, played, extra, edition):
    before = sum(delta(own, *game, edition) for game in played)
    after = before + delta(own, *extra, edition) - delta(own, *extra, edition)

    assert period_change([before], edition) == period_change([after], edition)


@given(ratings, ratings, points)
def test_editions_differ_only_beyond_the_cap(own, opponent, scored):
    found = {edition.id: delta(own, opponent, scored, edition) for edition in EDITIONS}
    gap = abs(own - opponent)

    if gap <= 350:
        assert len(set(found.values())) == 1
    assert len({found[name] for name in found if name not in {"2003", "2025-10"}}) == 1
    if own < 2650 or gap <= 400:
        assert found["2025-10"] == found["2024-03"]
    else:
        assert found["2025-10"] == scored - score_probability(own - opponent)


@given(st.lists(st.integers(-2000, 2000)))
def test_the_upgraded_game_has_the_greatest_difference_beyond_400(differences):
    chosen = upgraded(differences)

    if chosen is None:
        assert all(abs(difference) <= 400 for difference in differences)
    else:
        assert abs(differences[chosen]) == max(map(abs, differences)) > 400


@given(st.integers(1, 40), st.integers(0, 800), editions)
def test_the_cut_k_is_the_largest_within_the_limit(k, played, edition):
    cut = cut_k(k, played, edition)

    assert 0 <= cut <= k
    if edition.k_games_limit is not None:
        assert cut * played <= 700
        assert cut == k or (cut + 1) * played > 700


@given(st.integers(-1_000_000, 1_000_000), editions)
def test_one_rounding_is_never_off_by_more_than_a_half(change, edition):
    assert abs(edition.round_change(change) * 100 - change) <= 50


@given(pools, st.randoms(), editions)
def test_order_of_events_does_not_matter_for_a_first_rating(events, random, edition):
    shuffled = list(events)
    random.shuffle(shuffled)

    assert initial_rating(shuffled, edition) == initial_rating(events, edition)


@given(pools)
def test_the_editions_of_2024_and_2025_give_the_same_first_ratings(events):
    assert initial_rating(events, edition_by_id("2024-03")) == initial_rating(
        events, edition_by_id("2025-10")
    )


@given(pools)
def test_a_first_rating_since_2024_is_between_floor_and_limit_when_published(events):
    found = initial_rating(events, edition_by_id("2025-10"))

    assert found.ru is None or found.ru <= 2200
    if found.publishable:
        assert found.games >= 5
        assert 1400 <= found.ru <= 2200


def pairings(players):
    return [(white, black) for white in range(players) for black in range(white)]


tables = st.integers(2, 8).flatmap(
    lambda size: st.tuples(
        st.lists(st.none() | ratings, min_size=size, max_size=size).filter(any),
        st.tuples(*[points for _ in pairings(size)]),
    )
)


@given(tables, st.randoms(), st.sampled_from([edition for edition in EDITIONS if edition.round_robin]))
def test_a_round_robin_depends_neither_on_order_nor_on_how_it_is_told(table, random, edition):
    strengths, results = table
    names = [str(number) for number in range(len(strengths))]
    played = [
        RoundRobinGame(names[white], names[black], scored, 100 - scored)
        for (white, black), scored in zip(pairings(len(names)), results, strict=True)
    ]
    totals = dict.fromkeys(names, 0)
    for game in played:
        totals[game.white] += game.white_points
        totals[game.black] += game.black_points
    players = [
        RoundRobinPlayer(name, rating, totals[name]) for name, rating in zip(names, strengths, strict=True)
    ]
    report = resolve_round_robin(crosstable_of_games(players, played, edition, begun=names), edition)
    told = resolve_round_robin(crosstable_of_totals(players, edition, begun=names), edition)
    random.shuffle(players)
    random.shuffle(played)
    shuffled = resolve_round_robin(crosstable_of_games(players, played, edition, begun=names), edition)

    assert report == told
    assert shuffled._replace(lines=()) == report._replace(lines=())
    assert sorted(shuffled.lines) == sorted(report.lines)
