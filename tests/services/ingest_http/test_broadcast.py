"""What copies of games mean: one event for every change, the same game under every name, nothing guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elowire.ingest.broadcast import Alarm, alarm_of, manner_of, pause_s, snapshot_of
from elowire.ingest.broadcast_frames import MOST_GAME_CHARACTERS, Frames
from elowire.ingest.service_store import NOTHING, Known
from elowire.ingest.sources_changes import changes_of
from tests.services.ingest_http.broadcasting import pgn, source

HTTP = "http://127.0.0.1/round.pgn"


class Story:
    """Copies told one after the other; `games` are the game events of the last telling."""

    def __init__(self, **facts):
        self.source = source(HTTP, **facts)
        self.known = NOTHING
        self.now = 1_760_000_000_000
        self.all = []

    def tell(self, *copies):
        self.now += 1000
        snapshot = snapshot_of(copies, self.source)
        self.refusals = snapshot.refusals
        if snapshot.report is None:
            return []
        changes = changes_of(
            snapshot.report, self.known, manner_of(self.source, snapshot.report), now_ms=self.now
        )
        self.known = Known(
            {**self.known.sent, **changes.news.sent}, {**self.known.pairings, **changes.news.pairings}
        )
        self.all += changes.events
        return [event.data for event in changes.events]

    def games(self, *copies):
        return [
            (event.game_id, str(event.result), str(event.status))
            for event in self.tell(*copies)
            if hasattr(event, "game_id")
        ]


def test_a_game_is_known_while_it_goes_on_and_its_result_comes_once():
    story = Story()

    assert story.games(pgn(1)) == [("gam00001", "*", "ongoing")]
    assert [story.games(pgn(1, moves=n)) for n in range(4, 9)] == [[]] * 5
    assert story.games(pgn(1, "1-0")) == [("gam00001", "1-0", "played")]
    assert story.games(pgn(1, "1-0", moves=20), pgn(1, "1-0")) == []


def test_a_result_that_changes_and_one_that_is_taken_back_are_events_with_greater_revisions():
    story = Story()
    told = [story.games(pgn(1, result)) for result in ("1-0", "1/2-1/2", "*", "1/2-1/2")]
    revisions = [event.data.revision for event in story.all if hasattr(event.data, "game_id")]

    assert [one[0][1] for one in told] == ["1-0", "1/2-1/2", "*", "1/2-1/2"]
    assert revisions == sorted(set(revisions))
    assert len({event.event_id for event in story.all}) == len(story.all)


def test_of_several_copies_at_once_the_last_counts():
    assert Story().games(pgn(1), pgn(2, "0-1"), pgn(1, "1-0"), pgn(1, "0-1")) == [
        ("gam00002", "0-1", "played"),
        ("gam00001", "0-1", "played"),
    ]


RESULTS = [
    ({"Termination": "Unplayed"}, "1-0", "1-0", "forfeit"),
    ({}, "½-½", "1/2-1/2", "played"),
    ({}, "1/2-0", "1/2-0", "played"),
    ({}, "0-0", "0-0", "played"),
    ({}, "+--", "1-0", "forfeit"),
]


@pytest.mark.parametrize(("tags", "written", "result", "status"), RESULTS)
def test_unplayed_and_exotic_results(tags, written, result, status):
    assert Story().games(pgn(1, written, **tags)) == [("gam00001", result, status)]


def test_a_copy_that_cannot_be_read_is_told_and_the_others_count():
    story = Story()

    assert story.games(pgn(1, "2-0"), pgn(2, "1-0")) == [("gam00002", "1-0", "played")]
    assert "'2-0'" in story.refusals[0]


def test_site_names_a_game_only_when_it_is_the_address_of_one():
    of_game = {"GameURL": None, "Site": "https://lichess.org/AbCd1234"}
    of_event = {"GameURL": None, "Site": "https://example.org/candidates-2026"}

    assert Story().games(pgn(1, "1-0", **of_game))[0][0] == "AbCd1234"
    assert [one[0] for one in Story().games(pgn(1, "1-0", **of_event), pgn(2, "1-0", **of_event))] == [
        "r1-1-1001-2001",
        "r1-2-1002-2002",
    ]


def test_a_fide_id_that_comes_later_makes_no_second_game():
    story = Story()
    nameless = {"GameURL": None, "Site": None}
    before = story.games(pgn(1, **nameless, WhiteFideId=None))
    after = story.games(pgn(1, "1-0", **nameless))

    assert before == [("r1-1-2001-name:white-1", "*", "ongoing")]
    assert after == [("r1-1-2001-name:white-1", "1-0", "played")]


def test_a_match_of_several_games_in_a_round_stays_several_games():
    story = Story()
    again = {
        "GameURL": None,
        "Site": None,
        "White": "A",
        "Black": "B",
        "WhiteFideId": "7",
        "BlackFideId": "8",
    }
    ids = [one[0] for one in story.games(pgn(1, "1-0", **again), pgn(2, "0-1", **again))]

    assert ids == ["r1-1-7-8", "r1-2-7-8"]
    assert story.games(pgn(1, "1-0", **again), pgn(2, "0-1", **again)) == []


def test_the_first_figure_of_an_entrant_stands_and_gaps_are_filled():
    story = Story()
    story.tell(pgn(1, WhiteTitle=None))
    filled = story.tell(pgn(1, WhiteElo="2999"))

    assert [(event.player_id, event.rating, event.title) for event in filled] == [("1001", 2701, "GM")]
    assert story.tell(pgn(1, WhiteElo="2777")) == []


def test_the_tournament_is_described_when_its_days_are_stated():
    described = Story(system="round-robin").tell(pgn(1))[0]
    silent = Story(starts_on=None, ends_on=None).tell(pgn(1))

    assert (described.tournament_id, described.time_control, described.system) == (
        "open",
        "standard",
        "round-robin",
    )
    assert not any(hasattr(event, "starts_on") for event in silent)
    assert len(silent) == 3


def test_two_players_are_no_match_before_the_others_are_seen():
    story = Story()
    first = story.tell(pgn(1))[0]

    assert first.system == "swiss"
    assert [event for event in story.tell(pgn(2), pgn(3)) if hasattr(event, "starts_on")] == []
    assert Story(system="match").tell(pgn(1))[0].system == "match"


def test_games_of_an_unrated_broadcast_are_not_rated():
    (game,) = [event for event in Story(rated=False).tell(pgn(1, "1-0")) if hasattr(event, "game_id")]

    assert game.rated is False


@pytest.mark.parametrize(
    ("copies", "known", "alarm"),
    [
        ([], 0, None),
        ([], 5, Alarm.EMPTY),
        ([pgn(1, "2-0")], 5, Alarm.NOTHING_READ),
        ([pgn(1)], 5, None),
    ],
    ids=["not-begun", "turned-empty", "garbage", "well"],
)
def test_an_empty_broadcast_is_an_alarm_and_never_no_games(copies, known, alarm):
    assert alarm_of(snapshot_of(copies, source(HTTP)), known_games=known) is alarm


def test_pauses_grow_to_a_minute_and_the_server_may_ask_for_more():
    def pause(attempts, *, after=None, throttled=False, chance=1.0):
        return pause_s(attempts, retry_after=after, throttled=throttled, chance=chance)

    assert [pause(n) for n in (1, 2, 3, 7, 500)] == [1, 2, 4, 60, 60]
    assert pause(3, chance=0.0) == 2
    assert (pause(1, throttled=True), pause(1, after="120"), pause(1, after="soon")) == (60, 120, 1)


TEXT = pgn(1, "1-0") + pgn(2) + pgn(3, "0-1", moves=9)


@given(st.lists(st.integers(0, len(TEXT.encode())), max_size=30), st.sampled_from(["\n", "\r\n"]))
def test_games_are_the_same_however_their_bytes_arrive(cuts, ending):
    raw = TEXT.replace("\n", ending).replace("White, 1", "Ødegård, 1").encode()
    frames, games, at = Frames(), [], 0
    for cut in [*sorted(cuts), len(raw)]:
        games += frames.feed(raw[at:cut])
        at = max(at, cut)

    assert [game.count("[Result") for game in games] == [1, 1, 1]
    assert ["Ødegård" in game for game in games] == [True, False, False]


@pytest.mark.parametrize("cut", range(0, len(pgn(1)), 7))
def test_a_game_that_is_cut_off_is_never_given(cut):
    whole = pgn(1)
    frames = Frames()
    given_ = frames.feed(whole[:cut].encode())

    assert given_ == [] or cut >= len(whole) - 3


ODD = {
    "an-empty-line-in-a-comment": pgn(1).replace("{ [%clk", "{ first\n\nsecond [%clk", 1),
    "a-tag-in-a-comment": pgn(1).replace("{ [%clk", '{ said\n[Result "0-1"]\n [%clk', 1),
    "no-empty-line-between-games": pgn(1).rstrip("\n") + "\n" + pgn(2),
    "no-moves": pgn(1, moves=0),
    "keep-alives-before": "\n \n\n" + pgn(1),
    "five-empty-lines": pgn(1) + "\n" * 5,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_framing(text):
    games = Frames().feed((text + pgn(9)).encode())

    assert games[-1].count("[Event") == 1
    assert sum("gam00001" in game for game in games) == 1
    assert '[Result "*"]' in games[0]


def test_a_file_needs_no_empty_line_at_its_end_but_moves():
    frames = Frames()
    text = pgn(1) + pgn(2, "1-0").rstrip("\n")
    whole = [*frames.feed(text.encode()), *frames.end()]
    cut = Frames()
    half = [*cut.feed(pgn(2, "1-0").split("\n\n")[0].encode()), *cut.end()]

    assert (len(whole), half) == (2, [])


def test_a_game_without_end_is_left_out_and_what_follows_is_read():
    frames = Frames()
    games = frames.feed(pgn(1)[:-3].encode() + b"\nx" * MOST_GAME_CHARACTERS)
    games += frames.feed(b"\n\n" + pgn(2).encode())

    assert frames.too_long >= 1
    assert [game.count("gam00002") > 0 for game in games] == [True]
