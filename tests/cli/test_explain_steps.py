"""What `elowire explain` concludes from figures: the edition, the row of the table, the steps to Ru."""

from __future__ import annotations

import pytest

from elowire.cli.explanation import edition_of, table_row
from elowire.cli.first_rating import first_rating_steps
from elowire.cli.ticker_client import FirstRating, Game
from elowire.domain import edition_by_id


def game_of(period, *, own, opponent, difference, counted, expectancy, delta, article, points="1"):
    return Game(
        game_id="g",
        status="pending",
        time_control="standard",
        rating_period=period,
        points=points,
        own_rating=own,
        opponent_rating=opponent,
        difference=difference,
        counted_difference=counted,
        expectancy=expectancy,
        delta=delta,
        article=article,
    )


@pytest.mark.parametrize(
    ("edition", "game"),
    [
        pytest.param(
            "2025-10",
            game_of("2025-11", own=2789, opponent=2300, difference=489, counted=489, expectancy="0.96",
                    delta="0.04", article="B.02 8.1.2"),
            id="2025-10-8.3.1-no-cap-from-2650",
        ),
        pytest.param(
            "2024-03",
            game_of("2025-09", own=2789, opponent=2300, difference=489, counted=400, expectancy="0.92",
                    delta="0.08", article="B.02 8.3.1, B.02 8.1.2"),
            id="2024-03-8.3.1-cap-for-everyone",
        ),
        pytest.param(
            "2024-03",
            game_of("2025-11", own=2789, opponent=2300, difference=489, counted=400, expectancy="0.92",
                    delta="0.08", article="B.02 8.3.1, B.02 8.1.2"),
            id="2024-03-a-tournament-that-began-before",
        ),
        pytest.param(
            "2022-01",
            game_of("2023-05", own=2500, opponent=2000, difference=500, counted=500, expectancy="0.96",
                    delta="0.04", article="B.02 8.1.2"),
            id="2022-01-8.3.1-the-game-that-was-not-upgraded",
        ),
        pytest.param(
            "2003",
            game_of("2025-11", own=2500, opponent=2000, difference=500, counted=350, expectancy="0.89",
                    delta="0.11", article="B.02 8.54, B.02 8.1b"),
            id="2003-8.54-named-by-the-tournament",
        ),
        pytest.param(
            None,
            game_of("2025-11", own=2500, opponent=2000, difference=500, counted=350, expectancy="0.50",
                    delta="0.50", article="B.02 8.3.1"),
            id="figures-of-no-edition",
        ),
    ],
)  # fmt: skip
def test_the_edition_is_the_one_that_makes_the_figures(edition, game):
    found = edition_of([game])

    assert (found.id if found else None) == edition


def test_games_of_one_tournament_have_one_edition():
    within = {
        "own": 2789,
        "opponent": 2750,
        "difference": 39,
        "counted": 39,
        "expectancy": "0.55",
        "delta": "0.45",
    }
    ambiguous = game_of("2025-11", **within, article="B.02 8.1.2")
    limited = game_of("2025-11", own=2789, opponent=2300, difference=489, counted=400, expectancy="0.92",
                     delta="0.08", article="B.02 8.3.1, B.02 8.1.2")  # fmt: skip

    assert edition_of([ambiguous]).id == "2025-10"
    assert edition_of([ambiguous, limited]).id == "2024-03"


@pytest.mark.parametrize(
    ("difference", "row"),
    [
        (0, "0 to 3"),
        (-3, "0 to 3"),
        (4, "4 to 10"),
        (61, "54 to 61"),
        (-735, "620 to 735"),
        (736, "736 and more"),
    ],
)
def test_8_1_2_the_row_of_the_table_is_named_by_its_differences(difference, row):
    assert table_row(difference) == row


@pytest.mark.parametrize(
    ("edition", "first", "sentence"),
    [
        pytest.param(
            "2022-01",
            FirstRating(games=5, points="3.5", ra="1900.00", p="0.70", dp=None, ru=1940, publishable=True,
                        provisional=False),
            "The score p is 0.70, above one half by 2 half points: each adds 20 to the average.",
            id="2022-01-8.2-half-points",
        ),
        pytest.param(
            "2024-03",
            FirstRating(games=3, points="1", ra="1700.00", p="0.40", dp=-72, ru=1628, publishable=False,
                        provisional=True),
            "5 games are needed for a list: 2 more.",
            id="2024-03-8.2-too-few-games",
        ),
        pytest.param(
            "2024-03",
            FirstRating(games=9, points="9", ra="2200.00", p="0.91", dp=383, ru=2200, publishable=True,
                        provisional=False),
            "A first rating is at most 2200.",
            id="2024-03-8.2-at-most-2200",
        ),
        pytest.param(
            "2024-03",
            FirstRating(games=2, points="0", publishable=False, provisional=True),
            "2 games against rated opponents, 0 points: nothing counts for a first rating yet.",
            id="2024-03-8.2-no-points",
        ),
    ],
)  # fmt: skip
def test_steps_to_a_first_rating_say_what_the_edition_does(edition, first, sentence):
    assert sentence in first_rating_steps(first, edition_by_id(edition))


def test_steps_to_a_first_rating_without_an_edition_say_what_is_known():
    first = FirstRating(
        games=5, points="4", ra="1900.00", p="0.80", ru=1960, publishable=False, provisional=True
    )

    assert first_rating_steps(first, None) == [
        "5 games against rated opponents count, with 4 points.",
        "The opponents' average Ra is 1900.00.",
        "The score p is 0.80.",
        "The first rating Ru is 1960.",
        "Provisional: a tournament that counts for it is not finished.",
    ]
