from __future__ import annotations

import itertools
from pathlib import Path

import orjson
import pytest

from elowire.domain import TimeControl
from elowire.ticker.board import TOPICS, Board, UnreadableRecordError
from elowire.ticker.glances import read_listed
from elowire.ticker.players import Filter
from elowire.ticker.readings import ListReading
from elowire.ticker.tournament_views import tournament_view
from elowire.ticker.views import player_view, ranking_view
from tests.services.ticker.records import figures, game, line, listed, live

STANDARD = TimeControl.STANDARD


A_LIST = ("rating-lists", listed("77"))
"""Without any list there are no ranks; nobody in it is rated."""


def board_of(*records):
    board = Board()
    for topic, value in records:
        board.apply(topic, value)
    return board


def ranking(board, time_control=STANDARD, **options):
    view = ranking_view(board, time_control, 100, Filter(**options))
    return [(row["rank"], row["player_id"], row["live"]) for row in view["players"]]


def test_the_highest_version_stays_whatever_comes_last():
    versions = [
        live("1", v, standard=figures(2700, change)) for v, change in ((1, "1.00"), (2, "3.00"), (3, "2.00"))
    ]
    for order in itertools.permutations(versions):
        board = board_of(A_LIST, *(("live-ratings", value) for value in order))

        assert player_view(board, "1")["version"] == 3
        assert ranking(board) == [(1, "1", "2702.0")]


def test_a_repeated_record_is_no_change():
    board = Board()
    value = live("1", 4, standard=figures())

    assert board.apply("live-ratings", value) is not None
    assert board.apply("live-ratings", value) is None


def test_hundredths_that_the_page_does_not_show_decide_the_rank():
    board = board_of(
        A_LIST,
        ("live-ratings", live("1", standard=figures(2700, "3.41"))),
        ("live-ratings", live("2", standard=figures(2700, "3.44"))),
    )

    assert ranking(board) == [(1, "2", "2703.4"), (2, "1", "2703.4")]


def test_players_without_a_pending_game_rank_with_the_list():
    board = board_of(
        ("rating-lists", listed("1", standard=2710, rapid=2650)),
        ("rating-lists", listed("2", standard=2705)),
        ("live-ratings", live("2", standard=figures(2705, "8.30"))),
    )
    view = player_view(board, "1")

    assert ranking(board) == [(1, "2", "2713.3"), (2, "1", "2710.0")]
    assert (view["version"], view["standard"]["rank_change"]) == (0, -1)
    assert view["rapid"]["live"] == "2650.0"


def test_a_time_control_without_events_comes_from_the_list():
    board = board_of(
        ("live-ratings", live("1", standard=figures(2700, "1.00"))),
        ("rating-lists", listed("1", standard=2700, blitz=2811, name="Karjakin")),
    )

    assert ranking(board, time_control=TimeControl.BLITZ) == [(1, "1", "2811.0")]
    assert player_view(board, "1")["name"] == "Karjakin"


def test_the_newest_list_and_its_highest_revision_count():
    board = board_of(
        ("rating-lists", listed("1", "2025-11", revision=2, standard=2720)),
        ("rating-lists", listed("1", "2025-11", revision=1, standard=2710)),
        ("rating-lists", listed("1", "2025-10", revision=9, standard=2700)),
    )

    assert ranking(board) == [(1, "1", "2720.0")]


def test_inactive_players_rank_again_with_their_first_game():
    board = board_of(("rating-lists", listed("1", standard=2700, inactive=True)))
    assert ranking(board) == []
    assert player_view(board, "1")["standard"]["rank"] is None

    board.apply("live-ratings", live("1", standard=figures(2700, "1.00")))
    assert ranking(board) == [(1, "1", "2701.0")]


def test_unrated_players_do_not_rank():
    unrated = figures() | {
        "status": "unrated",
        "published": {"list": "2025-10", "rating": None},
        "live": None,
    }
    board = board_of(("live-ratings", live("1", standard=unrated)), ("rating-lists", listed("2", standard=0)))

    assert ranking(board) == []
    assert player_view(board, "2")["standard"]["status"] == "unrated"


def test_a_federation_keeps_its_world_ranks():
    board = board_of(
        ("rating-lists", listed("1", standard=2700, federation="NOR")),
        ("rating-lists", listed("2", standard=2690, federation="USA")),
        ("rating-lists", listed("3", standard=2680, federation="NOR")),
    )

    assert ranking(board, federation="NOR") == [(1, "1", "2700.0"), (3, "3", "2680.0")]


def test_a_player_who_changes_federation_is_listed_with_the_new_one_alone():
    board = board_of(
        ("rating-lists", listed("1", "2025-10", standard=2700, federation="RUS")),
        ("rating-lists", listed("1", "2025-11", standard=2700, federation="NOR")),
    )

    assert ranking(board, federation="RUS") == []
    assert ranking(board, federation="NOR") == [(1, "1", "2700.0")]


def test_pending_games_carry_their_change_with_the_k_of_the_live_rating():
    board = board_of(
        ("rating-lists", listed("9", standard=2600, name="Robson, Ray")),
        ("rated-games", orjson.dumps(game("1", 2, delta="-0.64", points="0"))),
        ("rated-games", orjson.dumps(game("1", 1, delta="0.36"))),
        ("live-ratings", live("1", 2, standard=figures(2700, "-2.80", pending=2, k=10))),
    )
    games = player_view(board, "1")["games"]

    assert [(one["round"], one["change"]) for one in games] == [(1, "3.60"), (2, "-6.40")]
    assert games[0]["opponent_name"] == "Robson, Ray"


def test_a_game_inside_its_live_rating_counts_before_its_own_record():
    board = board_of(("live-ratings", live("1", 5, game=game("1", 1, 5), standard=figures(2700, "3.60"))))

    assert [one["game_id"] for one in player_view(board, "1")["games"]] == ["g1"]


@pytest.mark.parametrize("status", ["settled", "annulled"])
def test_a_game_that_is_no_longer_pending_goes_and_an_older_copy_does_not_bring_it_back(status):
    board = board_of(
        ("live-ratings", live("1", 3, standard=figures())),
        ("rated-games", orjson.dumps(game("1", 1, 2))),
        ("rated-games", orjson.dumps(game("1", 1, 3, status=status))),
        ("rated-games", orjson.dumps(game("1", 1, 2))),
    )

    assert player_view(board, "1")["games"] == []


def test_of_two_records_with_one_version_the_later_counts():
    board = board_of(
        ("live-ratings", live("1", 3, standard=figures())),
        ("rated-games", orjson.dumps(game("1", 1, 3, delta=None, refusal="unresolved-entrant"))),
        ("rated-games", orjson.dumps(game("1", 1, 3, delta=None, refusal="forfeit"))),
    )

    assert [one["refusal"] for one in player_view(board, "1")["refused_games"]] == ["forfeit"]


@pytest.mark.parametrize("first", ["live-ratings", "rated-games"])
def test_a_game_is_what_its_own_record_says_whichever_topic_comes_first(first):
    records = {
        "live-ratings": live("1", 3, game=game("1", 1, 3), kind="annulment", standard=figures()),
        "rated-games": orjson.dumps(game("1", 1, 3, status="annulled")),
    }
    board = board_of(*sorted(records.items(), key=lambda entry: entry[0] != first))

    assert player_view(board, "1")["games"] == []


def test_games_of_two_tournaments_may_have_one_name():
    board = board_of(
        ("live-ratings", live("1", 3, standard=figures())),
        ("rated-games", orjson.dumps(game("1", 1, tournament_id="open"))),
        ("rated-games", orjson.dumps(game("1", 1, tournament_id="cup"))),
    )

    assert [one["tournament_id"] for one in player_view(board, "1")["games"]] == ["cup", "open"]


def test_a_game_of_a_tournament_that_is_not_known_yet_waits():
    waiting = game("1", 1, delta=None, refusal="unknown-tournament", time_control=None, rating_period=None)
    board = board_of(
        ("live-ratings", live("1", 3, standard=figures())), ("rated-games", orjson.dumps(waiting))
    )

    assert [one["change"] for one in player_view(board, "1")["refused_games"]] == [None]


def test_games_that_do_not_count_stand_apart():
    board = board_of(
        ("live-ratings", live("1", 3, standard=figures())),
        ("rated-games", orjson.dumps(game("1", 1, delta=None, refusal="forfeit"))),
    )
    view = player_view(board, "1")

    assert (view["games"], [one["refusal"] for one in view["refused_games"]]) == ([], ["forfeit"])


def test_a_name_that_turned_out_to_be_somebody_else_has_no_line():
    nobody = orjson.loads(line("9", 2, points="0", rating=None)) | {"player_id": None}
    board = board_of(
        ("tournament-ratings", line("9", 1)),
        ("tournament-ratings", line("1", 1)),
        ("tournament-ratings", orjson.dumps(nobody)),
    )

    assert [one["entrant_id"] for one in tournament_view(board, "open")["lines"]] == ["1"]
    assert player_view(board, "9") is None


def test_a_tournament_shows_the_newest_line_of_each_entrant_by_points():
    board = board_of(
        ("tournament-ratings", line("1", 1, points="1")),
        ("tournament-ratings", line("2", 1, points="1.5")),
        ("tournament-ratings", line("1", 3, points="2")),
        ("tournament-ratings", line("1", 2, points="0")),
        ("rating-lists", listed("1", standard=2700, name="Aronian")),
    )
    lines = tournament_view(board, "open")["lines"]

    assert [(one["entrant_id"], one["points"], one["name"]) for one in lines] == [
        ("1", "2", "Aronian"),
        ("2", "1.5", None),
    ]
    assert tournament_view(board, "other") is None


def test_fields_of_a_later_release_pass_through():
    value = orjson.loads(live("1", standard=figures())) | {"mood": "good"}
    board = board_of(("live-ratings", orjson.dumps(value)))

    assert player_view(board, "1")["mood"] == "good"


@pytest.mark.parametrize(
    ("topic", "value", "words"),
    [
        ("live-ratings", b"{", "live-ratings: field value: Invalid JSON"),
        ("live-ratings", b'{"version": 1}', "live-ratings: field player_id: Field required"),
        ("live-ratings", live("1", standard=figures() | {"change": "1,5"}), "field standard.change"),
        ("rated-games", orjson.dumps(game("1", 1, delta="much")), "field delta"),
        ("rating-lists", listed("1", "November", standard=2700), "field list"),
        ("tournament-ratings", line("x" * 129), "field entrant_id"),
        ("game-results", b"{}", "the ticker reads rating-lists, live-ratings"),
    ],
)
def test_an_unreadable_record_says_which_field(topic, value, words):
    with pytest.raises(UnreadableRecordError, match=words.replace(".", r"\.")):
        Board().apply(topic, value)


def test_a_tombstone_changes_nothing():
    board = board_of(("live-ratings", live("1", standard=figures())))

    assert board.apply("live-ratings", None) is None
    assert len(ranking(board)) == 1


def test_an_unknown_player_is_none_also_when_a_game_came_first():
    board = board_of(("rated-games", orjson.dumps(game("1", 1))))

    assert player_view(board, "1") is None


EXAMPLES = [
    (example["topic"], orjson.dumps(example["value"]))
    for path in sorted((Path(__file__).parents[3] / "schemas/examples/valid").glob("*.json"))
    for example in [orjson.loads(path.read_bytes())]
    if example["topic"] in TOPICS
]


def test_every_published_example_of_an_output_is_read_and_shown():
    board = board_of(*EXAMPLES)
    players = {orjson.loads(value)["player_id"] for topic, value in EXAMPLES if topic == "live-ratings"}

    assert {topic for topic, _ in EXAMPLES} == set(TOPICS)
    assert all(player_view(board, player_id) for player_id in players)


ODD = [
    listed("1", "November", standard=2700),
    listed("1", revision="1", standard=2700),
    listed("1", standard=2700, name=7),
    listed("1", standard=2700, birth_year="1990"),
    listed("1", standard="2700"),
    listed("1", standard=None),
    b'{"player_id": "1", "list": "2025-10", "revision": 1, "standard": [2700]}',
    b'{"player_id": "1", "list": "2025-10", "revision": 1, "standard": {"rating": 2700.5}}',
    b'{"player_id": "1", "list": "2025-10", "revision": true}',
    b'{"player_id": "", "list": "2025-10", "revision": 1}',
    b'{"player_id": "1", "list": "2025-10", "revision": 1, "inactive": null}',
    b"[]",
    b"nonsense",
]


@pytest.mark.parametrize("value", [value for topic, value in EXAMPLES if topic == "rating-lists"] + ODD)
def test_a_glance_takes_nothing_that_the_model_reads_otherwise(value):
    try:
        read = ListReading.model_validate_json(value)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            read_listed(value)
        return
    listed = read_listed(value)

    assert (listed.player_id, listed.list, listed.revision) == (read.player_id, read.list, read.revision)
    assert (listed.name, listed.federation, listed.title) == (read.name, read.federation, read.title)
    assert (listed.birth_year, listed.inactive, listed.ratings) == (
        read.birth_year,
        bool(read.inactive),
        read.ratings(),
    )
