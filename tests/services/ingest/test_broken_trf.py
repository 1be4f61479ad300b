"""Broken tournament reports: each is refused or adjusted with a message that names the place."""

from __future__ import annotations

import pytest

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.readers.report import UnreadableFile
from elowire.ingest.readers.trf import read_trf

HEADER = "012 Open\n042 2025/10/01\n052 2025/10/05\n092 Swiss, standard\n"


def player(rank, rounds, *, rating="2000", fide_id="", birth="1980/01/01", title="", points=None, name=""):
    line = (
        f"001 {rank:>4} m{title:>3} {name or f'Player, {rank}':<33} {rating:>4} GER {fide_id:>11} {birth:<10}"
    )
    return f"{line} {'' if points is None else points:>4} {rank:>4}  " + "  ".join(rounds)


def four(first="   2 w 1", second="   1 b 0", **facts):
    """Two players with the rounds given and two with a sound game."""
    return HEADER + "\n".join(
        [
            player(1, [first], **facts),
            player(2, [second]),
            player(3, ["   4 w ="]),
            player(4, ["   3 b ="]),
            "",
        ]
    )


def read(text, encoding="utf-8"):
    return read_trf(text.encode(encoding), "open.trf")


def notices(report):
    return [(n.kind, n.line, n.column, n.text) for n in report.imported.notices]


def only(report):
    (notice,) = notices(report)
    return notice


def test_the_sound_file_has_no_notice():
    report = read(four())

    assert notices(report) == []
    assert [game.result for game in report.games] == [Result.WHITE_WINS, Result.DRAW]


REFUSED_ROUNDS = [
    pytest.param("   2 w X", "   1 b 0", 5, 99, "result 'X'", id="unknown-result-code"),
    pytest.param("   2 w 1", "   1 b =", 5, 99, "does not go with '='", id="asymmetric-result"),
    pytest.param("   2 w 1", "   1 b 1", 5, 99, "does not go with '1'", id="both-win"),
    pytest.param("   2 w +", "   1 b 0", 5, 99, "does not go with '0'", id="forfeit-against-played"),
    pytest.param("   2 w 1", "   1 w 0", 5, 97, "colour w does not go with w", id="same-colour"),
    pytest.param("   2 - 1", "   1 b 0", 5, 97, "colour - does not go with b", id="played-without-colour"),
    pytest.param("   9 w 1", "   1 b 0", 5, 92, "opponent 9, who has no line", id="missing-opponent"),
    pytest.param("  2x w 1", "   1 b 0", 5, 92, "opponent '2x'", id="opponent-is-no-number"),
    pytest.param("   2 q 1", "   1 b 0", 5, 97, "colour 'q'", id="unknown-colour"),
    pytest.param("   2w  1", "   1 b 0", 5, 96, "a blank was expected", id="round-shifted-by-one"),
    pytest.param("   3 w 1", "   1 b 0", 5, 92, "whose line 7 has opponent 4", id="opponent-names-another"),
    pytest.param("   2 w 1", "        ", 5, 92, "whose line 6 has nothing", id="opponent-has-an-empty-round"),
    pytest.param("   2 w 1", "0000 - Z", 5, 92, "whose line 6 has opponent 0000", id="opponent-was-away"),
]


@pytest.mark.parametrize(("first", "second", "line", "column", "words"), REFUSED_ROUNDS)
def test_a_round_is_refused_and_the_sound_game_stays(first, second, line, column, words):
    report = read(four(first, second))
    kind, *place, text = notices(report)[0]

    assert (kind, *place) == ("refused", line, column)
    assert words in text
    assert [(game.white, game.black) for game in report.games if game.black] == [("rank:3", "rank:4")]


ADJUSTED_LINES = [
    pytest.param({"rating": "2x00"}, 49, "not known", id="rating-is-no-number"),
    pytest.param({"rating": "9999"}, 49, "4000", id="rating-out-of-range"),
    pytest.param({"rating": "-100"}, 49, "not known", id="negative-rating"),
    pytest.param({"title": "zz"}, 11, "a title such as GM", id="unknown-title"),
    pytest.param({"fide_id": "12a45"}, 58, "digits of a FIDE number", id="fide-number-with-letter"),
    pytest.param({"birth": "someday"}, 70, "birth date", id="birth-date-in-words"),
    pytest.param({"points": "7.0"}, 81, "the rounds give 1.0", id="points-that-the-rounds-do-not-give"),
    pytest.param({"points": "abc"}, 81, "the rounds are used", id="points-in-letters"),
]


@pytest.mark.parametrize(("facts", "column", "words"), ADJUSTED_LINES)
def test_a_field_is_adjusted_and_the_game_stays(facts, column, words):
    report = read(four(**facts))
    kind, line, at, text = only(report)

    assert (kind, line, at) == ("adjusted", 5, column)
    assert words in text
    assert len(report.games) == 2


def test_an_unreadable_rating_is_not_taken_for_unrated():
    first = read(four(rating="2x00")).entrants[0]

    assert (first.rating, first.unrated) == (None, False)


@pytest.mark.parametrize("blank", ["", "0", "0000"])
def test_no_rating_is_unrated(blank):
    first = read(four(rating=blank)).entrants[0]

    assert (first.rating, first.unrated) == (None, True)


@pytest.mark.parametrize(
    ("title", "meaning"), [("g", "GM"), ("wf", "WFM"), ("WIM", "WIM"), ("m", "IM"), ("CM", "CM")]
)
def test_titles_of_every_time(title, meaning):
    assert read(four(title=title)).entrants[0].title == meaning


SHIFTED = [
    pytest.param(lambda line: " " + line[:4] + line[4:], "no record code", id="line-shifted-right"),
    pytest.param(lambda line: line[:30] + "  " + line[30:], "shifted", id="two-blanks-too-many-in-the-name"),
    pytest.param(lambda line: line[:14] + line[15:], "shifted", id="a-blank-missing"),
    pytest.param(lambda line: line.replace("   ", "\t", 1), "tab", id="tabs"),
    pytest.param(lambda line: line[:4] + "   A" + line[8:], "starting rank", id="rank-is-a-letter"),
    pytest.param(lambda line: line[:4] + "    " + line[8:], "starting rank", id="no-rank"),
    pytest.param(lambda line: line[:4] + "   2" + line[8:], "starting rank 2 of line", id="rank-twice"),
    pytest.param(lambda line: line[:40], "who has no line", id="line-cut-in-the-middle"),
]


@pytest.mark.parametrize(("damage", "words"), SHIFTED)
def test_a_damaged_player_line_names_its_place(damage, words):
    lines = four().splitlines()
    lines[4], lines[5] = lines[5], damage(lines[4])
    report = read("\n".join(lines))
    told = "; ".join(str(notice) for notice in report.imported.notices)

    assert words in told or "has nothing" in told
    assert "line 6" in told or "line 5" in told
    assert ("rank:3", "rank:4") in [(game.white, game.black) for game in report.games]


DATES = [
    pytest.param("2025/10/01", (2025, 10, 1), None, id="as-the-format-says"),
    pytest.param("2025-10-01", (2025, 10, 1), "the form 2025/10/31", id="hyphens"),
    pytest.param("2025.10.01", (2025, 10, 1), "the form 2025/10/31", id="dots"),
    pytest.param("01.10.2025", (2025, 10, 1), "the form 2025/10/31", id="day-first"),
    pytest.param("01. 10. 2025", (2025, 10, 1), "the form 2025/10/31", id="day-first-with-blanks"),
    pytest.param("31/10/2025", (2025, 10, 31), "the form 2025/10/31", id="day-first-with-slashes"),
    pytest.param("2025/13/01", None, "a date such as", id="month-13"),
    pytest.param("2025/02/30", None, "a date such as", id="30-february"),
    pytest.param("Friday", None, "a date such as", id="words"),
    pytest.param("October 2025", None, "a date such as", id="month-in-words"),
]


@pytest.mark.parametrize(("written", "day", "words"), DATES)
def test_dates_of_every_kind(written, day, words):
    report = read(four().replace("042 2025/10/01", f"042 {written}"))
    start = report.tournament.starts_on

    assert (start and (start.year, start.month, start.day)) == day
    if words is None:
        assert notices(report) == []
    else:
        kind, line, column, text = notices(report)[0]
        assert (kind, line, column) == ("adjusted", 2, 5)
        assert words in text


WHOLE_FILES = [
    pytest.param("", "the file is empty", id="empty"),
    pytest.param(" \n\n", "the file is empty", id="blank-lines"),
    pytest.param("012 Open\n042 2025/10/01\n", "lines that begin with 001", id="header-alone"),
    pytest.param(HEADER + player(1, []) + "\n", "no game could be read", id="no-round"),
    pytest.param("<html><body>Not found</body></html>", "lines that begin with 001", id="a-web-page"),
    pytest.param('{"games": []}', "lines that begin with 001", id="json"),
    pytest.param("001\x00\x00\x01binary", "line 1, column 4", id="binary"),
]


@pytest.mark.parametrize(("text", "words"), WHOLE_FILES)
def test_a_file_without_an_event_is_refused(text, words):
    with pytest.raises(UnreadableFile, match=words):
        read(text)


def test_unequal_times_are_not_rated_as_rapid():
    report = read(four().replace("092 Swiss, standard", "092 Swiss, rapid\n222 W300-B240"))

    assert [game.rated for game in report.games] == [False, False]
    assert notices(report)[0][:3] == ("adjusted", 5, 5)


CONTROLS = [
    ("5400+30", "standard"),
    ("40/6000+30:900+30", "standard"),
    ("900+10", "rapid"),
    ("180+2", "blitz"),
]


@pytest.mark.parametrize(("seconds", "time_control"), CONTROLS)
def test_time_control_in_seconds(seconds, time_control):
    report = read(four().replace("092 Swiss, standard", f"092 Swiss\n222 {seconds}"))

    assert report.tournament.time_control == time_control
    assert report.format == "trf26"


@pytest.mark.parametrize("damage", ["222 fast", "142 many", "062 all of them", "132" + " " * 88 + "99/99/99"])
def test_header_records_that_say_nothing_are_not_used(damage):
    report = read(four().replace("092 Swiss, standard", f"092 Swiss, standard\n{damage}"))
    kind, line, column, _ = notices(report)[0]

    assert (kind, line) == ("adjusted", 5)
    assert column == (92 if damage.startswith("132") else 5)


def test_days_of_the_rounds():
    report = read(four().replace("052", "132" + " " * 88 + "25/10/02\n052"))

    assert str(report.games[0].played_on) == "2025-10-02"


def test_number_of_players_that_does_not_agree():
    report = read(four().replace("092", "062 5\n092"))

    assert only(report)[3] == "record 062 counts 5 players, but 4 player lines were read"


def test_a_fide_number_twice():
    lines = four(fide_id="4100018").splitlines()
    lines[5] = player(2, ["   1 b 0"], fide_id="4100018")
    report = read("\n".join(lines))

    assert only(report)[:3] == ("adjusted", 6, 58)
    assert [entrant.entrant_id for entrant in report.entrants][:2] == ["4100018", "rank:2"]


SINGLE = [
    ("0000 - F", GameStatus.BYE, Result.WHITE_WINS),
    ("0000 - U", GameStatus.BYE, Result.WHITE_WINS),
    ("0000 - H", GameStatus.BYE, Result.WHITE_HALF_ONLY),
    ("0000 - Z", GameStatus.UNPLAYED, Result.NEITHER_SCORES),
    ("0000 - +", GameStatus.BYE, Result.WHITE_WINS),
    ("0000 - -", GameStatus.UNPLAYED, Result.NEITHER_SCORES),
    ("     - h", GameStatus.BYE, Result.WHITE_HALF_ONLY),
]


@pytest.mark.parametrize(("block", "status", "result"), SINGLE)
def test_rounds_without_an_opponent_score_and_never_rate(block, status, result):
    report = read(four(block, "0000 - Z"))

    assert notices(report) == []
    assert (report.games[0].status, report.games[0].result) == (status, result)


def test_a_win_without_an_opponent_is_read_as_not_played():
    kind, line, column, text = only(read(four("0000 w 1", "0000 - Z")))

    assert (kind, line, column) == ("adjusted", 5, 92)
    assert "without an opponent" in text


PAIRS = [
    ("   2 w +", "   1 b -", Result.WHITE_WINS, GameStatus.FORFEIT, True),
    ("   2 - -", "   1 - -", Result.NEITHER_SCORES, GameStatus.FORFEIT, True),
    ("   2 w W", "   1 b L", Result.WHITE_WINS, GameStatus.PLAYED, False),
    ("   2 w D", "   1 b D", Result.DRAW, GameStatus.PLAYED, False),
    ("   2 w 0", "   1 b 0", Result.NEITHER_SCORES, GameStatus.PLAYED, True),
    ("   2 w =", "   1 b 0", Result.WHITE_HALF_ONLY, GameStatus.PLAYED, True),
    ("   2 w  ", "   1 b  ", Result.UNKNOWN, GameStatus.ONGOING, True),
]


@pytest.mark.parametrize(("first", "second", "result", "status", "rated"), PAIRS)
def test_pairs_of_codes(first, second, result, status, rated):
    game = read(four(first, second)).games[0]

    assert (game.result, game.status, game.rated) == (result, status, rated)


def test_carriage_returns_alone_end_records():
    assert len(read(four().replace("\n", "\r")).games) == 2
    assert len(read(four().replace("\n", "\r\n")).games) == 2


def test_windows_encoding_is_read_and_said():
    report = read(four(name="Müller, Jörg"), encoding="cp1252")

    assert report.entrants[0].name == "Müller, Jörg"
    assert only(report)[:3] == ("adjusted", 5, 16)


def test_columns_counted_in_bytes_of_utf8():
    line = player(1, ["   2 w 1"], name="Müller, Jörg")
    narrow = line.replace("Müller, Jörg" + " " * 21, "Müller, Jörg" + " " * 19)
    report = read(four().replace(player(1, ["   2 w 1"]), narrow))

    assert report.entrants[0].name == "Müller, Jörg"
    assert only(report)[3] == "columns are counted in bytes, not in characters"
    assert len(report.games) == 2


def test_unknown_records_are_said_and_national_ones_are_not():
    report = read(four() + "GER    1\n7z7 what\n")

    assert only(report)[:3] == ("adjusted", 10, 1)
