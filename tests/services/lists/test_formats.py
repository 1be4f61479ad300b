"""Each shape of FIDE's lists of the last fifteen years says the same of the same players."""

from __future__ import annotations

import pytest

from elowire.domain import TimeControl
from elowire.ingest.lists.fields import LINE_COLUMNS
from elowire.ingest.lists.files import inspect
from elowire.ingest.readers.report import UnreadableFile
from tests.services.lists.made_up import FORMATS, HEADERS, Player, players, text_line

SAMPLES = {
    "players_list_foa.txt": (None, "2026-10"),
    "players_list.txt": (None, "2026-10"),
    "standard_oct26frl.txt": (TimeControl.STANDARD, "2026-10"),
    "mar11frl.txt": (TimeControl.STANDARD, "2026-10"),
    "players_list_xml_foa.xml": (None, "2026-10"),
    "standard_oct26frl_xml.xml": (TimeControl.STANDARD, "2026-10"),
}


def said(line):
    return dict(zip(LINE_COLUMNS, line, strict=True))


def ratings(line, time_control="standard"):
    found = said(line)
    return tuple(found[f"{time_control}_{cell}"] for cell in ("rating", "games", "k"))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_of_each_shape_is_read_with_its_oddities(samples, read, name):
    time_control, rating_list = SAMPLES[name]
    lines, report = read(samples / name, rating_list=rating_list, time_control=time_control)

    found = {said(line)["player"]: said(line) for line in lines}
    assert list(found) == [900001, 900002, 900003, 900004, 900005, 900006]
    assert [found[one]["standard_rating"] for one in found] == [2310, 2655, 1401, None, 1888, 2001]
    assert [found[one]["name"] for one in (900003, 900004, 900005)] == ["Chandra, C M", "Dolores", None]
    assert [found[one]["federation"] for one in (900001, 900005)] == ["NOR", None]
    assert [found[one]["birth_year"] for one in (900001, 900004)] == [1991, None]
    assert [found[one]["standard_inactive"] for one in (900001, 900005, 900006)] == [0, 1, 1]
    assert [found[one]["title"] for one in (900001, 900002)] == ["WGM", "GM"]
    assert report.refused == 2
    assert [notice.text for notice in report.refusals()] == [
        "a rating of 1399; expected 1400 to 4000, or 0 for the unrated",
        "a rating of 4001; expected 1400 to 4000, or 0 for the unrated",
    ]
    assert said(lines[0])["sex"] == "F"


def test_a_refused_line_is_named_by_its_number(samples, read):
    _, report = read(samples / "players_list_foa.txt")

    assert [notice.line for notice in report.refusals()] == [8, 9]


def test_a_refused_player_of_an_xml_list_is_named_by_the_line(samples, read):
    _, report = read(samples / "players_list_xml_foa.xml")
    text = (samples / "players_list_xml_foa.xml").read_text().splitlines()

    for notice, player in zip(report.refusals(), ("900007", "900008"), strict=True):
        assert text[notice.line - 1] == "<player>"
        assert player in text[notice.line]


@pytest.mark.parametrize("name", ["players_list_foa.txt", "players_list.txt", "players_list_xml_foa.xml"])
def test_a_combined_list_gives_all_three_ratings(samples, read, name):
    lines, _ = read(samples / name)

    assert ratings(lines[1]) == (2655, 11, 10)
    assert ratings(lines[1], "rapid") == (2600, 4, 10)
    assert ratings(lines[1], "blitz") == (2588, 0, 10)
    # Other titles of sixteen characters push this line to the right.
    assert ratings(lines[2], "blitz") == (1499, 0, 40)


def test_a_combined_list_flags_inactivity_in_standard_chess_alone(samples, read):
    lines, _ = read(samples / "players_list_foa.txt")

    assert [said(lines[5])[f"{tc.value}_inactive"] for tc in TimeControl] == [1, None, None]


def test_before_march_2024_ratings_began_at_1000(samples, read):
    lines, report = read(samples / "players_list.txt", rating_list="2024-02")

    assert said(lines[6])["standard_rating"] == 1399
    assert report.refused == 1


@pytest.mark.parametrize("shape", FORMATS)
@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "zip"])
def test_all_shapes_agree_on_five_hundred_players(list_file, read, shape, zipped):
    single = shape in ("standard", "old", "standard-xml")
    path = list_file(players(500), shape, zipped=zipped)
    lines, report = read(path, time_control=TimeControl.STANDARD if single else None)

    expected = [
        (one.player, one.name, one.federation or None, one.standard[0] or None, one.birth_year)
        for one in players(500)
    ]
    found = [
        tuple(said(line)[name] for name in ("player", "name", "federation", "standard_rating", "birth_year"))
        for line in lines
    ]
    assert found == expected
    assert report.refused == 0


def test_offsets_come_from_the_header(tmp_path, read):
    header = "ID Number   Name                 Fed  SRtng SGm SK RRtng RGm Rk B-day Flag"
    line = "12345       Moved, Columns       NOR  2100  3   20 2050  1   20 1990  w"
    path = tmp_path / "list.txt"
    path.write_bytes(f"{header}\r\n{line}\r\n".encode())

    lines, _ = read(path)

    assert ratings(lines[0]) == (2100, 3, 20)
    assert ratings(lines[0], "rapid") == (2050, 1, 20)
    assert inspect(path).classes(None) == (TimeControl.STANDARD, TimeControl.RAPID)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("Müller, Jörg".encode(), id="utf-8-in-bytes"),
        pytest.param("Müller, Jörg".encode("cp1252"), id="windows-1252"),
        pytest.param(None, id="utf-8-in-characters"),
    ],
)
def test_names_are_read_in_the_encodings_that_occur(tmp_path, read, raw):
    player = Player(7, "Mueller, Joerg", standard=(2100, 3, 20), blitz=(2000, 0, 20), birth_year=1990)
    line = text_line(player, "combined").encode()
    if raw is None:
        line = line.decode().replace("Mueller, Joerg", "Müller, Jörg  ").encode()
    else:
        line = line.replace(b"Mueller, Joerg".ljust(20), raw.ljust(20))
    path = tmp_path / "list.txt"
    path.write_bytes(HEADERS["combined"].encode() + b"\r\n" + line + b"\r\n")

    lines, report = read(path)

    assert report.refused == 0
    assert said(lines[0])["name"] == "Müller, Jörg"
    assert ratings(lines[0]) == (2100, 3, 20)
    assert ratings(lines[0], "blitz") == (2000, 0, 20)


def test_line_ends_marks_and_a_missing_last_line_end_do_not_matter(tmp_path, read):
    made = [Player(7, "One", standard=(2100, 3, 20)), Player(8, "Two", standard=(2200, 0, 10))]
    text = "\n".join([HEADERS["combined"], *(text_line(one, "combined").rstrip() for one in made)])
    path = tmp_path / "list.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())

    lines, _ = read(path)

    assert [ratings(line) for line in lines] == [(2100, 3, 20), (2200, 0, 10)]


def test_a_line_that_makes_no_sense_is_refused_and_the_next_is_read(tmp_path, read):
    good = text_line(Player(8, "Two", standard=(2200, 0, 10)), "combined")
    path = tmp_path / "list.txt"
    path.write_text(
        "\r\n".join([HEADERS["combined"], "nonsense", "x" * 400, good.replace("2200", "22x0"), good])
    )

    lines, report = read(path)

    assert [said(line)["player"] for line in lines] == [8]
    assert [notice.line for notice in report.refusals()] == [2, 3, 4]
    assert "the rating '22x0'" in report.refusals()[2].text


def test_xml_with_entities_comments_and_empty_tags_is_read_by_a_real_parser(tmp_path, read):
    path = tmp_path / "list.xml"
    path.write_text(
        "<playerslist><player><fideid>7</fideid><name>A &amp; B</name><country>NOR</country><title></title>"
        "<rating>2100</rating><games>0</games><k>20</k><rapid_rating>0</rapid_rating></player>"
        "<player><fideid>8</fideid><name>C<!-- x --></name><title/><rating>2200</rating></player>"
        "<player><fideid>9</fideid><name>broken<rating>2300</rating></player></playerslist>"
    )

    lines, report = read(path)

    assert [said(line)["name"] for line in lines] == ["A & B", "C"]
    assert [said(line)["standard_rating"] for line in lines] == [2100, 2200]
    assert "<player> is broken" in report.refusals()[0].text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "empty"),
        ("a.txt", b"Rank,Name,Elo\n1,A,2000\n", "not the header of a rating list"),
        ("a.txt", b"ID Number  Name  Fed B-day\n", "it has no rating"),
        ("a.txt", "ID Number Name".encode("utf-16"), "not plain text"),
        ("a.xml", b"<html></html>", "no <playerslist>"),
        ("a.zip", b"PK\x03\x04rubbish", "archive is damaged"),
    ],
)
def test_what_is_no_list_is_refused_with_the_reason(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(UnreadableFile, match=message):
        inspect(path)


def test_an_xml_list_that_breaks_off_is_refused(list_file, read):
    path = list_file(players(50), "combined-xml")
    path.write_bytes(path.read_bytes()[:-400])

    with pytest.raises(UnreadableFile, match="breaks off"):
        read(path)


def test_a_damaged_archive_is_refused(list_file, read):
    packed = list_file(players(2000), zipped=True)
    raw = bytearray(packed.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    packed.write_bytes(raw)

    with pytest.raises(UnreadableFile, match="archive is damaged"):
        read(packed)


@pytest.mark.parametrize(
    ("name", "shape", "month", "time_control"),
    [
        ("rapid_sep26frl.txt", "standard", "2026-10", TimeControl.RAPID),
        ("blitz_sep26frl_xml.xml", "standard-xml", "2026-09", TimeControl.BLITZ),
        ("standard_mar13frl_xml.xml", "standard-xml", "2013-03", TimeControl.STANDARD),
        ("jul11frl.txt", "old", "2011-03", None),
        ("players_list_foa.txt", "combined", None, None),
    ],
)
def test_month_and_time_control_come_from_header_and_name(list_file, name, shape, month, time_control):
    file = inspect(list_file(players(3), shape, name=name))

    assert file.rating_list == month
    assert file.time_control == time_control
