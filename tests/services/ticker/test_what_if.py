"""What a result would bring is what the processor says once it is there."""

from __future__ import annotations

from datetime import date

import pytest

from elowire.domain import TimeControl, edition_by_id
from elowire.ticker.what_if import Game, Person, outcomes

PERIOD = "2025-11"
GAME = Game(TimeControl.STANDARD, PERIOD, edition_by_id("2025-10"), date(2025, 10, 12))
RAPID = Game(TimeControl.RAPID, PERIOD, edition_by_id("2025-10"), date(2025, 10, 12))


def figures(rating, change, predicted, *, k=10, used=None, reason="list", listed_k=None):
    return {
        "status": "rated",
        "published": {"list": "2025-10", "rating": rating, "k": listed_k or k, "games": 0},
        "change": change,
        "predicted": predicted,
        "k_used": used or k,
        "k_reason": reason,
    }


def side(delta, *, period=PERIOD, refusal=None, **more):
    return {"delta": delta, "rating_period": period, "refusal": refusal, "tournament_id": "open", **more}


def rated(rating, *deltas, change="0.00", predicted=None, **more):
    return Person(
        rating, figures(rating, change, predicted or rating, **more), [side(one) for one in deltas], None
    )


def brought(own, opponent, game=GAME):
    said = outcomes(own, opponent, game)
    return [
        (said[one]["change"], said[one]["live"], said[one]["predicted"]) for one in ("win", "draw", "loss")
    ]


def test_a_first_game_of_the_period():
    assert brought(rated(2789), rated(2654)) == [
        ("3.20", "2792.2", 2792),
        ("-1.80", "2787.2", 2787),
        ("-6.80", "2782.2", 2782),
    ]


def test_one_more_game_adds_to_those_that_wait():
    own = rated(2789, "0.33", "-0.05", change="2.80", predicted=2792)

    assert brought(own, rated(2654))[0] == ("3.20", "2795.0", 2795)
    assert outcomes(own, rated(2654), GAME)["exact"]


def test_k_times_n_beyond_700_cuts_k_for_the_whole_period():
    own = rated(2000, *["0.10"] * 17, change="68.00", predicted=2068, k=40)
    said = outcomes(own, rated(2000), GAME)

    # 40 x 18 = 720: K becomes 38 for all eighteen games.
    assert said["win"]["k_used"] == 38
    assert said["win"]["live"] == "2083.6"
    assert said["win"]["change"] == "15.60"


def test_k_that_is_cut_already_starts_from_the_lists_k():
    own = rated(
        2000, *["0.10"] * 20, change="70.00", predicted=2070, k=40, used=35, reason="cut-700", listed_k=40
    )
    said = outcomes(own, rated(2000), GAME)

    assert said["draw"]["k_used"] == 33
    assert said["draw"]["live"] == "2066.0"


def test_events_reported_as_a_sum_stay_in_the_sum():
    own = rated(2789, "0.83", change="5.70", predicted=2795)
    said = outcomes(own, rated(2654), GAME)

    assert (said["win"]["live"], said["win"]["predicted"], said["exact"]) == ("2797.9", 2798, True)


def test_every_period_rounds_by_itself():
    own = Person(2700, figures(2700, "0.90", 2702), [side("0.05"), side("0.04", period="2025-12")], None)

    assert outcomes(own, rated(2700), GAME)["draw"]["predicted"] == 2701
    own = Person(2700, figures(2700, "1.00", 2702), [side("0.05"), side("0.05", period="2025-12")], None)

    assert outcomes(own, rated(2700), GAME)["draw"]["predicted"] == 2702


@pytest.mark.parametrize(
    ("own", "opponent", "game", "reason"),
    [
        (rated(2700), Person(None, None, [], None), GAME, "unrated-opponent"),
        (rated(2700), rated(2100), RAPID, "rating-gap"),
    ],
)
def test_where_no_result_would_count_the_reason_is_said(own, opponent, game, reason):
    said = outcomes(own, opponent, game)

    assert (said["refusal"], said["win"]) == (reason, None)


def test_the_cap_of_400_holds_below_2650_and_not_from_there_on():
    assert brought(rated(2640), rated(2100))[0][0] == "0.80"
    assert brought(rated(2650), rated(2100))[0][0] == "0.30"


def newcomer(*games, told=None):
    sides = [side(None, opponent_rating=opponent, points=points) for opponent, points in games]
    return Person(None, {"status": "unrated", "initial": {"games": told or len(games)}}, sides, None)


def test_a_newcomer_sees_the_first_rating_in_the_making():
    own = newcomer((1900, "1"), (1800, "0.5"), (2000, "0"), (1850, "1"))
    said = outcomes(own, rated(1950), GAME)

    assert [said[one]["initial"]["games"] for one in ("win", "draw", "loss")] == [5, 5, 5]
    assert said["win"]["initial"]["publishable"]
    assert said["win"]["predicted"] == said["win"]["initial"]["ru"] > said["loss"]["initial"]["ru"]
    assert said["exact"]


def test_a_newcomer_whose_games_are_not_all_here_is_told_so():
    assert not outcomes(newcomer((1900, "1"), told=4), rated(1950), GAME)["exact"]
