"""Which events are wanted, and filters that would match nothing."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from elowire.dispatch.filters import Filters
from elowire.dispatch.readings import UnreadableRecordError, event_of
from elowire.dispatch.subscriptions import Wanted, refused
from tests.services.dispatch.sending import figures, live_record, record

LIVE = event_of(live_record("1503014", 7, live="2700.0", before="2697.5"))
UNCHANGED = event_of(live_record("1503014", 8, live="2700.0", before="2700.0"))
FIRST = event_of(live_record("5", 1, live="1700.0", before=None))
BLITZ_TOO = event_of(
    live_record(
        "6",
        1,
        changed=["standard", "blitz"],
        blitz=figures("2600.0", "2620.0"),
        live="2500.0",
        before="2499.0",
    )
)
GAME = event_of(
    record(
        "rated-games",
        {"player_id": "7", "game_id": "g1", "version": 3, "tournament_id": "open", "time_control": "rapid"},
        "7/g1:12",
        "elowire.rated-game.v1",
        "7/g1",
    )
)
LINE = event_of(
    record(
        "tournament-ratings",
        {"tournament_id": "open", "entrant_id": "e1", "player_id": "8", "revision": 4, "change": "-12.30"},
        "open:e1:4",
        "elowire.tournament-rating.v1",
        "open",
    )
)
COMPARED = event_of(
    record(
        "reconciliations",
        {"player_id": "9", "list": "2025-11", "rapid": {"difference": -3, "published": 2500}},
        "9:2025-11",
        "elowire.reconciliation.v1",
        "9",
    )
)
ALL = ["live-rating", "rated-game", "tournament-rating", "reconciliation"]


@pytest.mark.parametrize(
    ("event", "filters", "fits"),
    [
        (LIVE, {}, True),
        (GAME, {}, False),
        (GAME, {"kinds": ["rated-game"]}, True),
        (LINE, {"kinds": ALL}, True),
        (COMPARED, {"kinds": ALL}, True),
        (LIVE, {"players": ["1503014", "2"]}, True),
        (LIVE, {"players": ["2"]}, False),
        (LINE, {"kinds": ["tournament-rating"], "players": ["8"]}, True),
        (LIVE, {"tournaments": ["open"]}, True),
        (LIVE, {"tournaments": ["closed"]}, False),
        (LIVE, {"federations": ["NOR"]}, True),
        (LIVE, {"federations": ["USA"]}, False),
        (FIRST, {"federations": ["USA"], "players": ["5"]}, False),
        (LIVE, {"time_controls": ["standard", "rapid"]}, True),
        (LIVE, {"time_controls": ["blitz"]}, False),
        (GAME, {"kinds": ["rated-game"], "time_controls": ["rapid"]}, True),
        (COMPARED, {"kinds": ["reconciliation"], "time_controls": ["blitz"]}, False),
        (LIVE, {"causes": ["game"]}, True),
        (LIVE, {"causes": ["correction", "annulment"]}, False),
        (LIVE, {"min_change": "2.5"}, True),
        (LIVE, {"min_change": "2.51"}, False),
        (UNCHANGED, {"min_change": "0.1"}, False),
        (FIRST, {"min_change": "1000"}, True),
        (BLITZ_TOO, {"min_change": "20"}, True),
        (BLITZ_TOO, {"min_change": "20", "time_controls": ["standard"]}, False),
        (LINE, {"kinds": ["tournament-rating"], "min_change": "12.3"}, True),
        (LINE, {"kinds": ["tournament-rating"], "min_change": "12.31"}, False),
        (COMPARED, {"kinds": ["reconciliation"], "min_change": "3"}, True),
        (COMPARED, {"kinds": ["reconciliation"], "min_change": "4"}, False),
        (LIVE, {"players": ["1503014"], "federations": ["NOR"], "causes": ["list"]}, False),
    ],
)
def test_an_event_fits(event, filters, fits):
    assert Filters.model_validate(filters).fits(event, {"1503014": "NOR"}.get(event.player_id)) is fits


@pytest.mark.parametrize(
    ("wanted", "field", "expected"),
    [
        ({"name": "Club Site"}, "name", "small letters, digits and hyphens"),
        ({"url": None}, "url", "a string"),
        ({"filters": {"players": ["a b"]}}, "filters.players.0", "a player id"),
        ({"filters": {"federations": ["Norway"]}}, "filters.federations.0", "three capital letters"),
        (
            {"filters": {"time_controls": ["bullet"]}},
            "filters.time_controls.0",
            "'standard', 'rapid' or 'blitz'",
        ),
        ({"filters": {"kinds": ["games"]}}, "filters.kinds.0", "'live-rating'"),
        ({"filters": {"kinds": []}}, "filters.kinds", "at least 1"),
        ({"filters": {"causes": ["rain"]}}, "filters.causes.0", "'game'"),
        ({"filters": {"min_change": "0"}}, "filters.min_change", "above 0"),
        ({"filters": {"min_change": "-1"}}, "filters.min_change", "above 0"),
        ({"filters": {"min_change": "1.234"}}, "filters.min_change", "at most two places"),
        ({"filters": {"player": ["1"]}}, "filters.player", "one of kinds, players, tournaments"),
        ({"filters": {"players": [str(n) for n in range(1, 1002)]}}, "filters.players", "at most 1000"),
        (
            {"filters": {"kinds": ["rated-game"], "min_change": "1"}},
            "filters.min_change",
            "rated-game does not",
        ),
        (
            {"filters": {"kinds": ["tournament-rating"], "time_controls": ["rapid"]}},
            "filters.time_controls",
            "tournament-rating does not",
        ),
        ({"filters": {"kinds": ["reconciliation"], "tournaments": ["x"]}}, "filters.tournaments", "does not"),
        ({"filters": {"kinds": ["rated-game"], "causes": ["game"]}}, "filters.causes", "live-rating"),
        ({"secret": "hunter2hunter2"}, "secret", "whsec_"),
        ({"secret": "whsec_c2hvcnQ="}, "secret", "24 to 64 bytes"),
    ],
)
def test_what_cannot_be_subscribed_is_named_with_what_was_expected_and_what_to_do(wanted, field, expected):
    with pytest.raises(ValidationError) as problem:
        Wanted.model_validate({"name": "club", "url": "https://club.example"} | wanted)
    error = refused(problem.value)

    assert error.refusal.field == field
    assert expected in error.refusal.expected
    assert error.refusal.advice
    assert str(error).startswith(f"{field}: ")
    assert "hunter2" not in str(error)
    assert "event" not in str(error)


@pytest.mark.parametrize(
    ("topic", "data", "field"),
    [
        ("live-ratings", b"not json", "the record"),
        ("live-ratings", {"player_id": "1"}, "version"),
        ("live-ratings", {"player_id": "1", "version": -1}, "version"),
        ("live-ratings", {"player_id": "1", "version": 1, "changed": ["bullet"]}, "changed.0"),
        ("rated-games", {"player_id": "1", "version": 1}, "game_id"),
        ("tournament-ratings", {"tournament_id": "t", "entrant_id": "e"}, "revision"),
        ("reconciliations", {"player_id": "1"}, "list"),
    ],
)
def test_a_record_of_another_shape_is_named(topic, data, field):
    broken = (
        record(topic, {}, "1:1", "x", "1")._replace(value=data)
        if isinstance(data, bytes)
        else record(topic, data, "1:1", "x", "1")
    )
    with pytest.raises(UnreadableRecordError, match=field):
        event_of(broken)


def test_a_tombstone_says_nothing_and_unknown_fields_pass_through():
    assert event_of(live_record("1", 1)._replace(value=None)) is None
    later = event_of(live_record("1", 1, a_field_of_a_later_release=[1, 2]))
    assert b'"a_field_of_a_later_release":[1,2]' in later.body


def test_the_id_of_a_webhook_is_the_event_s_for_ever_and_different_for_others():
    again = event_of(live_record("1503014", 7, offset=99, partition=3))
    ids = {one.webhook_id for one in (LIVE, UNCHANGED, FIRST, GAME, LINE, COMPARED)}
    assert again.webhook_id == LIVE.webhook_id
    assert len(ids) == 6
    # Of a list that is compared anew the id is the same, what is said is not.
    anew = event_of(
        record(
            "reconciliations",
            {"player_id": "9", "list": "2025-11", "rapid": {"difference": 0}},
            "9:2025-11",
            "elowire.reconciliation.v1",
            "9",
        )
    )
    assert (anew.event_id, anew.entity) == (COMPARED.event_id, COMPARED.entity)
    assert anew.webhook_id != COMPARED.webhook_id


@pytest.mark.parametrize(
    "field", ["players", "tournaments", "federations", "time_controls", "causes", "kinds"]
)
def test_a_filter_that_names_nobody_is_refused_and_does_not_mean_everybody(field):
    with pytest.raises(ValidationError) as problem:
        Wanted.model_validate({"name": "club", "url": "https://a.example/", "filters": {field: []}})

    assert refused(problem.value).refusal.field == f"filters.{field}"


def test_a_filter_that_was_left_out_can_be_kept_and_read_again():
    kept = Filters().model_dump_json(exclude_defaults=True)

    assert Filters.model_validate_json(kept) == Filters()
