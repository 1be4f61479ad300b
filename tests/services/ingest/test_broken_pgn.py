"""PGN by its tag pairs: last copy of a game wins, broken tags are refused with their line."""

from __future__ import annotations

import pytest

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.readers.pgn import read_pgn
from elowire.ingest.readers.report import UnreadableFile


def game(moves="1. e4 e5 1-0", **tags):
    facts = {
        "Event": "Match of the year",
        "Date": "2025.10.12",
        "Round": "1.1",
        "White": "Carlsen, Magnus",
        "Black": "Caruana, Fabiano",
        "WhiteElo": "2839",
        "BlackElo": "2789",
        "WhiteFideId": "1503014",
        "BlackFideId": "2020009",
        "Result": "1-0",
        "TimeControl": "5400+30",
    } | tags
    lines = [f'[{name} "{value}"]' for name, value in facts.items() if value is not None]
    return "\n".join([*lines, "", moves, "", ""])


OTHER = game(
    White="Nakamura, Hikaru", WhiteFideId="2016192", BlackFideId="24116068", Black="Giri, Anish", Round="1.2"
)


def read(text):
    return read_pgn(text.encode(), "match.pgn")


def test_the_sound_file():
    report = read(game() + OTHER)

    assert report.imported.notices == ()
    assert [(g.white, g.black, g.round, g.board) for g in report.games] == [
        ("1503014", "2020009", 1, 1),
        ("2016192", "24116068", 1, 2),
    ]
    assert (report.tournament.time_control, report.tournament.name) == ("standard", "Match of the year")


BROKEN = [
    pytest.param({"Result": "2-0"}, "Result", 10, "'2-0'", id="unknown-result"),
    pytest.param({"Result": None}, "Result", 1, "is missing", id="no-result"),
    pytest.param({"WhiteElo": "28e9"}, "WhiteElo", 6, "'28e9'", id="rating-is-no-number"),
    pytest.param({"BlackElo": "27890"}, "BlackElo", 7, "27890", id="rating-out-of-range"),
    pytest.param({"WhiteFideId": "abc"}, "WhiteFideId", 8, "'abc'", id="id-is-no-number"),
    pytest.param({"White": "?", "WhiteFideId": None}, "White", 4, "names the player", id="nobody"),
    pytest.param({"Date": "2025.13.12"}, "Date", 2, "'2025.13.12'", id="month-13"),
    pytest.param({"BlackFideId": "1503014"}, None, 1, "both colours", id="same-player"),
    pytest.param({"WhiteFideId": "2016192"}, None, 1, "already has a game", id="player-twice-in-a-round"),
]


@pytest.mark.parametrize(("tags", "field", "line", "words"), BROKEN)
def test_a_broken_game_is_refused_and_the_other_stays(tags, field, line, words):
    before = OTHER if "already" in words else ""
    report = read(before + game(**tags) + ("" if before else OTHER))
    (notice,) = report.imported.notices

    assert (notice.kind, notice.field) == ("refused", field)
    assert notice.line == line + before.count("\n")
    assert words in notice.text
    assert [g.white for g in report.games] == ["2016192"]


LINES = [
    pytest.param('[Event "no end]', id="no-closing-quote"),
    pytest.param("[Event]", id="no-value"),
    pytest.param('[Event "a" "b"]', id="two-values"),
    pytest.param('[Ev ent "a"]', id="name-of-two-words"),
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_is_no_tag_is_refused_with_its_place(line):
    report = read(line + "\n" + game())

    assert [(n.kind, n.line, n.column) for n in report.imported.notices] == [("refused", 1, 1)]
    assert len(report.games) == 1


FILES = [
    pytest.param("", "the file is empty", id="empty"),
    pytest.param("1. e4 e5 2. Nf3 *", "no game was found", id="moves-alone"),
    pytest.param('[Event "x"]\n[White "a"', "no game could be read", id="half-written"),
    pytest.param(game(Result="?"), "no game could be read; the first refusal: line 10", id="one-broken-game"),
]


@pytest.mark.parametrize(("text", "words"), FILES)
def test_a_file_without_a_game_is_refused(text, words):
    with pytest.raises(UnreadableFile, match=words):
        read(text)


def test_the_last_copy_of_a_broadcast_game_counts():
    url = "https://lichess.org/broadcast/x/y/abcdefgh"
    running = game(moves="1. e4 *", Result="*", GameURL=url)
    done = game(Result="1/2-1/2", GameURL=url)
    report = read(running + OTHER + done + done)

    assert [(g.game_id, g.result) for g in report.games if g.white == "1503014"] == [
        ("abcdefgh", Result.DRAW)
    ]
    assert report.imported.notices == ()


def test_games_of_one_round_between_the_same_players_stay_apart():
    report = read(game(Round="4.1") + game(Round="4.2", Result="0-1"))

    assert [g.result for g in report.games] == [Result.WHITE_WINS, Result.BLACK_WINS]


def test_comments_that_look_like_tags_are_none():
    report = read(game(moves="1. e4 {\n[%clk 1:30:00] } e5 1-0"))

    assert report.imported.notices == ()


@pytest.mark.parametrize(
    ("tags", "status", "rated"),
    [
        ({"Result": "1-0", "Termination": "Unplayed"}, GameStatus.FORFEIT, True),
        ({"Result": "+--"}, GameStatus.FORFEIT, True),
        ({"Result": "*"}, GameStatus.ONGOING, True),
        ({"Variant": "Chess960"}, GameStatus.PLAYED, False),
    ],
)
def test_games_that_do_not_rate(tags, status, rated):
    (one,) = read(game(**tags)).games

    assert (one.status, one.rated) == (status, rated)


def test_a_player_without_fide_number_has_a_name_and_no_identity():
    report = read(game(WhiteFideId=None, WhiteElo=None))
    white = next(entrant for entrant in report.entrants if entrant.player_id is None)

    assert (white.entrant_id, white.rating, white.unrated) == ("name:carlsen-magnus", None, False)


def test_games_of_different_events_are_said():
    report = read(game() + game(Round="2.1") + game(Round="3.1", Event="Another"))

    assert report.tournament.name == "Match of the year"
    assert "2 different events" in report.imported.notices[0].text


def test_different_time_controls_are_said():
    report = read(game() + game(Round="2.1") + game(Round="3.1", TimeControl="180+2"))

    assert report.tournament.time_control == "standard"
    assert "2 standard, 1 blitz" in report.imported.notices[0].text
