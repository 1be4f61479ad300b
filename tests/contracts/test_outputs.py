from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from elowire.contracts.outputs import validate_output
from elowire.contracts.vocabulary import CauseKind, RatingStatus, ReconciliationVerdict, SideStatus
from elowire.domain import KReason
from tests.contracts.records import SCHEMAS, read

GAME = read(SCHEMAS / "examples/valid/live-rating-game.json")
LINE = read(SCHEMAS / "examples/valid/tournament-rating-rated.json")


def validated(example, **changes):
    return validate_output(example.type, json.dumps({**example.data, **changes}).encode())


def test_output_of_an_unknown_type_has_no_model():
    with pytest.raises(KeyError):
        validate_output("elowire.live-rating.v2", GAME.value)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"version": 0}, id="versions-begin-with-1"),
        pytest.param({"games": []}, id="never-the-whole-list"),
        pytest.param({"changed": ["bullet"]}, id="unknown-time-control"),
        pytest.param({"standard": {**GAME.data["standard"], "live": 2797.3}}, id="live-is-a-string"),
        pytest.param({"standard": {**GAME.data["standard"], "live": "2797.30"}}, id="live-has-one-place"),
        pytest.param({"standard": {**GAME.data["standard"], "change": "8.3"}}, id="change-has-two-places"),
        pytest.param({"standard": {**GAME.data["standard"], "k_reason": "guess"}}, id="k-has-a-known-reason"),
        pytest.param({"game": {**GAME.data["game"], "points": "0.50"}}, id="points-are-short"),
        pytest.param({"game": {**GAME.data["game"], "refusal": "dull"}}, id="refusals-are-a-closed-set"),
        pytest.param({"game": {**GAME.data["game"], "colour": "red"}}, id="colours-are-two"),
        pytest.param({"game": {**GAME.data["game"], "expectancy": "1.01"}}, id="expectancy-is-at-most-1"),
    ],
)
def test_live_rating_that_breaks_the_contract_is_refused(changes):
    with pytest.raises(ValidationError):
        validated(GAME, **changes)


@pytest.mark.parametrize("colour", [{"colour": "white"}, {"colour": "black"}, {"colour": None}, {}], ids=str)
def test_a_game_may_say_the_players_colour(colour):
    said = {name: value for name, value in GAME.data["game"].items() if name != "colour"}

    assert validated(GAME, game=said | colour).game.colour == colour.get("colour")


@pytest.mark.parametrize("missing", ["player_id", "version", "cause", "changed", "game"])
def test_live_rating_says_everything(missing):
    data = {name: value for name, value in GAME.data.items() if name != missing}

    with pytest.raises(ValidationError):
        validate_output(GAME.type, json.dumps(data).encode())


@pytest.mark.parametrize("true", [2650, "inf", "-inf"])
def test_true_performance_has_no_end_for_full_and_zero_scores(true):
    line = validated(LINE, performance={**LINE.data["performance"], "true": true})

    assert line.performance.true == true


def test_words_are_those_of_the_contract():
    assert set(CauseKind) == {
        "game",
        "correction",
        "annulment",
        "resolution",
        "list",
        "base-correction",
        "facts",
    }
    assert set(RatingStatus) == {"rated", "unrated"}
    assert set(SideStatus) == {"pending", "settled", "annulled"}
    assert set(ReconciliationVerdict) == {
        "equal",
        "base-correction",
        "per-event-rounding",
        "unknown-games",
        "unexplained",
    }
    assert set(KReason) == {
        "list",
        "entrant",
        "ever-2400",
        "junior",
        "new-player",
        "default",
        "cut-700",
        "assumed",
    }
