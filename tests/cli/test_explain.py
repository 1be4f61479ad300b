"""`elowire explain` on figures that FIDE has published: every hundredth, K, the cut, the rounding, Ru."""

from __future__ import annotations

import pytest

from elowire.cli.explanation import edition_of, table_row
from elowire.cli.first_rating import first_rating_steps
from elowire.cli.ticker_client import FirstRating, Game
from elowire.contracts.events import GameResult
from elowire.contracts.vocabulary import GameStatus
from elowire.domain import decimal_text, edition_by_id, hundredths
from tests.cli.ticking import (
    CHAMPIONSHIP,
    capped,
    championship,
    newcomer,
    official_period,
    ticker_of,
    two_periods,
)

FIRST = next(iter(CHAMPIONSHIP.outcomes))


@pytest.fixture(scope="module")
def after_the_championship():
    with ticker_of(championship(reported=True)) as ticker:
        yield ticker.address


@pytest.mark.parametrize("outcome", CHAMPIONSHIP.outcomes.values(), ids=lambda outcome: outcome.player_id)
def test_2025_10_8_3_4_games_reported_sums_and_rounding_make_fides_next_list(
    elowire, after_the_championship, outcome
):
    done = elowire("explain", outcome.player_id, "--ticker", after_the_championship)

    (rating,) = done.json()["ratings"]
    (period,) = rating["periods"]
    games = period["games"]
    changes = [hundredths(game["change"]) for game in games]
    assert done.status == 0
    assert (len(games), period["period"], period["k"]) == (11, "2025-11", outcome.k)
    assert decimal_text(sum(changes)) == period["change"] == outcome.event_change
    assert rating["change_without_games"] == (outcome.other_change or "0.00")
    assert rating["predicted"] == outcome.next_rating
    assert outcome.published + period["rounded_change"] == outcome.next_rating
    assert {game["edition"] for game in games} == {period["edition"]} == {"2025-10"}
    assert period["rounding_article"] == "B.02 8.3.4"
    for game in games:
        assert hundredths(game["points"]) - hundredths(game["expectancy"]) == hundredths(game["delta"])
        assert game["own_rating"] - game["opponent_rating"] == game["difference"]


@pytest.mark.parametrize(
    ("case_id", "k_before_cut", "k", "rounded", "predicted"),
    [
        pytest.param("F-P01", None, 10, -3, 2810, id="2025-10-8.3.4-a-half-goes-away-from-zero"),
        pytest.param("F-P05", 20, 17, 92, 2146, id="2025-10-8.3.3-k-is-cut-to-17-for-39-games"),
        pytest.param("F-M02", None, 20, 1, 1621, id="2025-10-8.3.4-rounded-once-per-period"),
    ],
)
def test_fides_own_periods_come_out_game_by_game(elowire, case_id, k_before_cut, k, rounded, predicted):
    world, case = official_period(case_id)
    with ticker_of(world) as ticker:
        done = elowire("explain", 9, "--ticker", ticker.address)
        spoken = elowire("explain", 9, "--plain", "--ticker", ticker.address)

    (rating,) = done.json()["ratings"]
    (period,) = rating["periods"]
    official = [hundredths(game["change"]) for event in case["events"] for game in event["games"]]
    assert [hundredths(game["delta"]) for game in period["games"]] == official
    assert (period["k_before_cut"], period["k"]) == (k_before_cut, k)
    assert period["change"] == rating["change"] == case["total"]
    assert (period["rounded_change"], rating["predicted"]) == (rounded, predicted)
    assert predicted == case["published"][case["rating_period"]]
    cut = f"K {k_before_cut} times {len(official)} games is more than 700, so K is {k} (B.02 8.3.3)."
    assert (cut in spoken.out) == (k_before_cut is not None)


def test_2025_10_8_3_1_a_cut_difference_is_shown_and_said(elowire):
    with ticker_of(capped()) as ticker:
        done = elowire("explain", 8, "--ticker", ticker.address)
        table = elowire("explain", 8, "--format", "table", "--ticker", ticker.address)
        spoken = elowire("explain", 8, "--plain", "--ticker", ticker.address)

    (game,) = done.json()["ratings"][0]["periods"][0]["games"]
    assert (game["difference"], game["counted_difference"]) == (-500, -400)
    assert (game["table_row"], game["change"]) == ("392 to 411", "18.40")
    assert "-500→-400" in table.out
    assert "The difference is minus 500 and counts as minus 400" in spoken.out
    assert "1 less 0.08 is 0.92, times K 20 is 18.40. B.02 8.3.1, B.02 8.1.2, edition 2025-10." in spoken.out
    assert "the sum over 1 game is +0.92" in spoken.out


def test_2025_10_8_3_4_each_period_is_cut_and_rounded_by_itself(elowire):
    with ticker_of(two_periods(november_list="2025-10")) as ticker:
        done = elowire("explain", 6, "--ticker", ticker.address)
        spoken = elowire("explain", 6, "--plain", "--ticker", ticker.address)

    (rating,) = done.json()["ratings"]
    first, second = rating["periods"]
    assert (first["period"], first["k"], first["k_before_cut"]) == ("2025-11", 40, None)
    assert (second["period"], second["k"], second["k_before_cut"]) == ("2025-12", 38, 40)
    # One win against an equal in October, 18 draws with equals in November.
    assert (first["change"], second["change"]) == ("20.00", "0.00")
    assert rating["change"] == "20.00"
    assert rating["change_without_games"] == "0.00"
    assert "List of 2025-12: K 40 times 18 games is more than 700, so K is 38 (B.02 8.3.3)." in spoken.out
    assert "Round 1 of october: one point" in spoken.out
    assert spoken.out.rstrip().endswith("The next list: 1500 +20 +0 = 1520.")


def test_a_game_that_the_published_rating_holds_already_is_not_counted_again(elowire):
    # The rating used in November is of the list that has October's game in it.
    with ticker_of(two_periods()) as ticker:
        done = elowire("explain", 6, "--ticker", ticker.address)
        table = elowire("explain", 6, "--format", "table", "--ticker", ticker.address)
        spoken = elowire("explain", 6, "--plain", "--ticker", ticker.address)

    (rating,) = done.json()["ratings"]
    assert [period["period"] for period in rating["periods"]] == ["2025-12"]
    assert [game["tournament_id"] for game in rating["games_in_the_list"]] == ["october"]
    assert (rating["change"], rating["change_without_games"]) == ("0.00", "0.00")
    assert "Games that the published rating holds already" in table.out
    assert "Round 1: the game against x:1 is in the published rating already." in spoken.out


def test_2025_10_8_2_a_first_rating_is_explained_step_by_step(elowire):
    world, facts = newcomer()
    with ticker_of(world) as ticker:
        done = elowire("explain", 7, "--ticker", ticker.address)
        table = elowire("explain", 7, "--format", "table", "--ticker", ticker.address)

    (rating,) = done.json()["ratings"]
    assert rating["status"] == "unrated"
    assert rating["initial"]["ru"] == facts["published_first_rating"] == 1922
    assert rating["initial"]["steps"] == [
        "5 games against rated opponents count, with 3 points.",
        "Two draws against opponents rated 1800 are added: 7 games, 4 points.",
        "The opponents' average Ra is 1872.43.",
        "The score p is 0.57; in table 8.1.1 that is dp +50, added to the average.",
        "The first rating Ru is 1922.",
        "The next list can print it.",
        "B.02 8.2, edition 2025-10.",
    ]
    assert [game["opponent_rating"] for game in rating["games_for_first_rating"]] == [
        game["opp"] for game in facts["games"]
    ]
    assert "Games for a first rating" in table.out
    assert all(step in table.out for step in rating["initial"]["steps"])


def test_a_game_that_does_not_count_says_why(elowire):
    world = championship(3)
    (game, *_) = [GameResult.model_validate_json(one.value) for one in CHAMPIONSHIP.rounds[3]]
    world.feed(game.model_copy(update={"status": GameStatus.FORFEIT}))
    player = game.white.identity
    with ticker_of(world) as ticker:
        done = elowire("explain", player, "--ticker", ticker.address)
        table = elowire("explain", player, "--format", "table", "--ticker", ticker.address)
        spoken = elowire("explain", player, "--plain", "--ticker", ticker.address)

    (refused,) = done.json()["ratings"][0]["refused_games"]
    assert (refused["round"], refused["reason"], refused["article"]) == (4, "forfeit", "B.02 5")
    assert refused["delta"] is None
    assert "Games that do not count" in table.out
    assert "Round 4: the game against" in spoken.out
    assert "does not count: forfeit (B.02 5)." in spoken.out


def test_sentences_read_aloud_without_a_table(elowire, after_the_championship):
    done = elowire("explain", FIRST, "--plain", "--ticker", after_the_championship)

    lines = done.out.strip().splitlines()
    assert lines[0].startswith(
        "Caruana, Fabiano, standard: 2789 on the list of 2025-10, live 2794.7"
    ) or lines[0].startswith(f"player {FIRST}, standard: 2789")
    assert [line.split(":")[0] for line in lines[1:12]] == [f"Round {number}" for number in range(1, 12)]
    assert "half a point against" in done.out
    assert "K is 10: " in done.out
    assert "the sum over 11 games is +0.83, times K 10 is +8.30." in done.out
    assert "A further -2.60 comes from no game listed here" in done.out
    assert (
        "List of 2025-11: the change of +5.70 is rounded once, to +6, a half away from zero (B.02 8.3.4)."
        in done.out
    )
    assert lines[-1] == "The next list: 2789 +6 = 2795."
    assert not {"│", "─", "|"} & set(done.out)


def test_the_table_holds_every_game_and_the_sums(elowire, after_the_championship):
    done = elowire("explain", FIRST, "--format", "table", "--ticker", after_the_championship)

    assert done.out.count("(2025-10)") == 11
    assert "us-championship-2025, for the list of 2025-11, own rating 2789" in done.out
    assert "The next list: 2789 +6 = 2795." in done.out


def test_an_unknown_player_and_an_unplayed_time_control_are_said(elowire, after_the_championship):
    unknown = elowire("explain", 404, "--ticker", after_the_championship)
    unplayed = elowire(
        "explain", FIRST, "--time-control", "blitz", "--plain", "--ticker", after_the_championship
    )

    assert (unknown.status, "no rating of player 404" in unknown.err) == (1, True)
    assert unplayed.out == f"Nothing is known of this rating of player {FIRST}.\n"


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
