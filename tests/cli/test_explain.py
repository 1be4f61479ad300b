"""`elowire explain` on figures that FIDE has published: every hundredth, K, the cut, the rounding, Ru."""

from __future__ import annotations

import pytest

from elowire.contracts.events import GameResult
from elowire.contracts.vocabulary import GameStatus
from elowire.domain import decimal_text, hundredths
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
    assert (game["colour"], "w 1" in table.out) == ("white", True)
    assert "Round 1: one point with White against" in spoken.out
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
    assert "half a point with Black against" in done.out
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
