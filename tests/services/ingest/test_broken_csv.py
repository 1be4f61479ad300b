"""Results as CSV: what is read, and what is refused with its line and field."""

from __future__ import annotations

import random

import pytest

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.readers.report import UnreadableFile
from elowire.ingest.readers.results_csv import read_results_csv

HEAD = "round,board,white_fide_id,white_rating,black_fide_id,black_rating,result,date"
SOUND = "1,1,13601431,2289,8603006,2536,0-1,2024.12.26"
OTHER = "1,2,8605114,2518,2924056,2283,1-0,2024.12.26"


def read(*lines, head=HEAD, end="\n"):
    return read_results_csv(end.join([head, *lines, ""]).encode(), "event.csv")


def notices(report):
    return [(n.kind, n.line, n.field, n.text) for n in report.imported.notices]


def test_the_real_event(events):
    report = read_results_csv(
        (events / "womens-world-rapid-2024.csv").read_bytes(), "womens-world-rapid-2024.csv"
    )

    assert (len(report.games), len(report.entrants), report.imported.notices) == (605, 110, ())
    assert (str(report.tournament.starts_on), str(report.tournament.ends_on)) == ("2024-12-26", "2024-12-28")
    assert (report.tournament.time_control, report.tournament.time_control_assumed) == ("rapid", True)


def test_shuffled_lines_give_the_same_games(events):
    raw = (events / "womens-world-rapid-2024.csv").read_text()
    head, *lines = raw.splitlines()
    random.Random(605).shuffle(lines)
    shuffled = read_results_csv("\n".join([head, *lines]).encode(), "womens-world-rapid-2024.csv")
    straight = read_results_csv(raw.encode(), "womens-world-rapid-2024.csv")

    def told(report):
        return {(g.game_id, g.white, g.black, g.result, g.round, g.board, g.played_on) for g in report.games}

    assert told(shuffled) == told(straight)


FORMS = [
    pytest.param(lambda text: "\ufeff" + text, id="byte-order-mark"),
    pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
    pytest.param(lambda text: text.replace(",", ";"), id="semicolons"),
    pytest.param(lambda text: text.replace(",", "\t"), id="tabs"),
    pytest.param(lambda text: "\ufeff" + text.replace(",", ";").replace("\n", "\r\n"), id="all-of-them"),
    pytest.param(lambda text: text.replace("\n", "\n\n"), id="blank-lines"),
    pytest.param(
        lambda text: text.replace("2289", ' "2289" ').replace(' "', '"').replace('" ', '"'), id="quotes"
    ),
    pytest.param(str.upper, id="capitals-in-the-header"),
    pytest.param(lambda text: text.replace("2024.12.26", "2024-12-26"), id="dates-with-hyphens"),
    pytest.param(lambda text: text.removesuffix("\n"), id="no-last-line-end"),
]


@pytest.mark.parametrize("form", FORMS)
def test_forms_that_are_accepted(form):
    text = f"{HEAD}\n{SOUND}\n{OTHER}\n"
    report = read_results_csv(form(text).encode(), "event.csv")

    assert [(g.white, g.black, g.result) for g in report.games] == [
        ("13601431", "8603006", Result.BLACK_WINS),
        ("8605114", "2924056", Result.WHITE_WINS),
    ]
    assert report.imported.refused == 0


def test_utf16_is_read_and_said():
    report = read_results_csv(f"{HEAD}\n{SOUND}".encode("utf-16"), "event.csv")

    assert len(report.games) == 1
    assert notices(report)[0][0] == "adjusted"


ROWS = [
    pytest.param("1,1,13601431,2289,8603006,2536,0-1", None, "7 fields where 8", id="too-few-fields"),
    pytest.param("1,1,13601431,2289,8603006,2536,0-1,2024.12.26,x", None, "9 fields where 8", id="too-many"),
    pytest.param("1,1,13601431,22", None, "cut off", id="half-written-line"),
    pytest.param(SOUND.replace("0-1", "2-1"), "result", "'2-1'", id="unknown-result"),
    pytest.param(SOUND.replace("0-1", ""), "result", "was expected", id="no-result"),
    pytest.param(SOUND.replace("2289", "22.89"), "white_rating", "'22.89'", id="rating-with-a-point"),
    pytest.param(SOUND.replace("2289", "-5"), "white_rating", "-5", id="negative-rating"),
    pytest.param(SOUND.replace("2536", "25360"), "black_rating", "25360", id="rating-too-high"),
    pytest.param(SOUND.replace("13601431", ""), "white_fide_id", "is empty", id="no-player"),
    pytest.param(SOUND.replace("13601431", "Carlsen"), "white_fide_id", "'Carlsen'", id="a-name-for-an-id"),
    pytest.param(SOUND.replace("8603006", "13601431"), None, "both colours", id="same-player-twice"),
    pytest.param(SOUND.replace("1,1,", "0,1,", 1), "round", "is 0", id="round-zero"),
    pytest.param(SOUND.replace("1,1,", "one,1,", 1), "round", "'one'", id="round-in-words"),
    pytest.param(SOUND.replace("1,1,", "1,-1,", 1), "board", "-1", id="negative-board"),
    pytest.param(SOUND.replace("2024.12.26", "2024.13.26"), "date", "'2024.13.26'", id="month-13"),
    pytest.param(SOUND.replace("2024.12.26", "yesterday"), "date", "'yesterday'", id="date-in-words"),
    pytest.param('1,1,"13601431,2289,8603006,2536,0-1,2024.12.26', None, "quotes", id="quote-left-open"),
    pytest.param('1,1,"1"3601431,2289,8603006,2536,0-1,2024.12.26', None, "quotes", id="quote-in-a-field"),
    pytest.param(
        SOUND.replace("8603006", "8605114"), None, "already has a game in round 1", id="twice-in-round"
    ),
]


@pytest.mark.parametrize(("row", "field", "words"), ROWS)
def test_a_broken_row_is_refused_with_its_line_and_the_sound_one_stays(row, field, words):
    report = read(OTHER, row)
    ((kind, line, told, text),) = notices(report)

    assert (kind, line, told) == ("refused", 3, field)
    assert words in text
    assert [game.white for game in report.games] == ["8605114"]


def test_no_time_is_lost_on_the_players_of_a_refused_row():
    assert {entrant.entrant_id for entrant in read(OTHER, "1,1,1,2,3").entrants} == {"8605114", "2924056"}


FILES = [
    pytest.param(b"", "line 1: the file is empty", id="empty"),
    pytest.param(b"\xef\xbb\xbf", "no line of text|the file is empty", id="byte-order-mark-alone"),
    pytest.param(HEAD.encode(), "line 2: the file has a header but no line", id="header-alone"),
    pytest.param(HEAD[:40].encode(), "line 1: the header lacks", id="half-a-header"),
    pytest.param(SOUND.encode(), "line 1: the header lacks", id="no-header"),
    pytest.param(
        f"{HEAD}\n{SOUND[:25]}".encode(), "no game could be read; the first refusal: line 2", id="cut"
    ),
    pytest.param(f"{HEAD},round\n".encode(), "names round twice", id="a-column-twice"),
    pytest.param(b"PK\x03\x04\x14\x00", "byte 0x03|byte 0x4", id="a-zip-file"),
]


@pytest.mark.parametrize(("raw", "words"), FILES)
def test_a_file_that_is_no_result_list_is_refused(raw, words):
    with pytest.raises(UnreadableFile, match=words):
        read_results_csv(raw, "event.csv")


def test_a_repeated_line_counts_once():
    report = read(SOUND, OTHER, SOUND)

    assert len(report.games) == 2
    assert notices(report)[0][:2] == ("adjusted", 4)


def test_two_results_of_one_game_are_a_contradiction():
    report = read(SOUND, OTHER, SOUND.replace("0-1", "1-0"))

    assert len(report.games) == 2
    assert notices(report)[0][:2] == ("refused", 4)
    assert "line 2" in notices(report)[0][3]


def test_two_ratings_of_one_player_are_said_and_the_first_is_used():
    report = read(SOUND, "2,1,13601431,2300,8605114,2518,1-0,2024.12.26")

    assert report.entrants[0].rating == 2289
    assert notices(report) == [
        ("adjusted", 3, "rating", "says 2300 for player 13601431 where line 2 says 2289; the first is used")
    ]


def test_columns_that_are_not_known_are_said():
    assert notices(read(SOUND + ",e4", head=HEAD + ",opening"))[0][:3] == ("adjusted", 1, "opening")


RESULTS = [
    ("1/2-1/2", Result.DRAW, GameStatus.PLAYED),
    ("½-½", Result.DRAW, GameStatus.PLAYED),
    ("0.5-0.5", Result.DRAW, GameStatus.PLAYED),
    ("1 - 0", Result.WHITE_WINS, GameStatus.PLAYED),
    ("1:0", Result.WHITE_WINS, GameStatus.PLAYED),
    ("+--", Result.WHITE_WINS, GameStatus.FORFEIT),
    ("-:+", Result.BLACK_WINS, GameStatus.FORFEIT),
    ("0-1F", Result.BLACK_WINS, GameStatus.FORFEIT),
    ("---", Result.NEITHER_SCORES, GameStatus.FORFEIT),
    ("0-0", Result.NEITHER_SCORES, GameStatus.PLAYED),
    ("1/2-0", Result.WHITE_HALF_ONLY, GameStatus.PLAYED),
    ("*", Result.UNKNOWN, GameStatus.ONGOING),
]


@pytest.mark.parametrize(("written", "result", "status"), RESULTS)
def test_ways_to_write_a_result(written, result, status):
    (game,) = read(SOUND.replace("0-1", written)).games

    assert (game.result, game.status) == (result, status)


def test_a_status_column_counts_for_more_than_the_result():
    head = HEAD + ",status"
    games = read(f"{SOUND},forfeit", f"{OTHER},", head=head).games

    assert [game.status for game in games] == [GameStatus.FORFEIT, GameStatus.PLAYED]
    assert notices(read(f"{SOUND},won", OTHER + ",", head=head))[0][:3] == ("refused", 2, "status")
