"""`PUT /v1/tournaments/{id}/file`: every format, what is new since the last file, and the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elowire.contracts.events import GameResult, Tournament
from tests.services.ingest_http.broadcasting import pgn

DATA = Path(__file__).parents[2] / "data"
RAPID = DATA / "events" / "womens-world-rapid-2024.csv"
FILES = [
    pytest.param(DATA / "trf" / "generated-swiss.trf", "format=trf&time_control=standard", id="trf"),
    pytest.param(RAPID, "format=csv&time_control=rapid", id="csv"),
    pytest.param(DATA / "events" / "us-championship-2025.json", "format=json", id="json"),
]


def games(door):
    return [one.data for one in door.kafka.events() if isinstance(one.data, GameResult)]


def csv(*results):
    head = "round,board,white_fide_id,white_rating,black_fide_id,black_rating,result,date"
    rows = [f"{n},1,{1000 + n},2500,{2000 + n},2400,{result},2025.10.1{n}" for n, result in results]
    return "\n".join([head, *rows]).encode()


PATH = "/v1/tournaments/open/file?format=csv&time_control=standard"


@pytest.mark.parametrize(("path", "query"), FILES)
async def test_every_format_is_sent_with_its_report(door, path, query):
    answer = await door.put(path.read_bytes(), f"/v1/tournaments/open/file?{query}")
    report = answer.json()

    assert answer.status_code == 200, answer.text
    assert report["sent"]["games"] == report["games"] == len(games(door))
    assert (report["sent"]["tournaments"], report["refused"]) == (1, 0)
    assert report["sent"]["entrants"] == report["entrants"]
    assert {one.data.tournament_id for one in door.kafka.events()} == {"open"}


async def test_a_pgn_is_known_by_its_content_type(door):
    answer = await door.put(
        (pgn(1, "1-0") + pgn(2)).encode(), "/v1/tournaments/open/file", kind="application/x-chess-pgn"
    )

    assert answer.status_code == 200, answer.text
    assert (answer.json()["games"], answer.json()["games_without_result"]) == (2, 1)


async def test_the_next_file_sends_only_what_is_new(door):
    first = await door.put(csv((1, "1-0"), (2, "1-0")), PATH, "f-1")
    door.later(minutes=1)
    second = await door.put(csv((1, "1-0"), (2, "0-1"), (3, "1-0")), PATH, "f-2")
    third = await door.put(csv((1, "1-0"), (2, "0-1"), (3, "1-0")), PATH, "f-3")

    assert first.json()["sent"] == {"tournaments": 1, "entrants": 4, "games": 2}
    assert second.json()["sent"] == {"tournaments": 1, "entrants": 2, "games": 2}
    assert (third.json()["sent"], third.json()["unchanged"]) == ({}, 10)
    assert [(game.game_id, str(game.result)) for game in games(door)[2:]] == [
        ("r2-1002-2002", "0-1"),
        ("r3-1003-2003", "1-0"),
    ]
    assert games(door)[2].revision > games(door)[1].revision


async def test_a_file_again_under_its_id_is_answered_as_before(door):
    first = await door.put(csv((1, "1-0")), PATH)
    again = await door.put(csv((1, "1-0")), PATH)

    assert again.json() == first.json() | {"repeated": True}


async def test_the_same_games_from_another_format_are_the_same_games(door):
    same = {"GameURL": None, "Site": None, "WhiteFideId": "1001", "BlackFideId": "2001", "Round": "1.1"}
    await door.put(csv((1, "1-0")), PATH, "f-1")
    answer = await door.put(
        pgn(1, "1-0", **same, Date="2025.10.11").encode(), PATH.replace("=csv", "=pgn"), "f-2"
    )

    assert answer.status_code == 200
    assert {game.game_id for game in games(door)} == {"r1-1001-2001"}


async def test_a_game_that_is_missing_is_told_and_annulled_when_that_is_asked_for(door):
    await door.put(csv((1, "1-0"), (2, "1-0")), PATH, "f-1")
    told = await door.put(csv((1, "1-0")), PATH, "f-2")
    annulled = await door.put(csv((1, "1-0")), PATH + "&annul_missing=true", "f-3")
    after = await door.put(csv((1, "1-0")), PATH, "f-4")

    assert (told.json()["missing_games"], told.json()["sent"].get("games")) == (["r2-1002-2002"], None)
    assert annulled.json()["sent"]["games"] == 1
    assert (str(games(door)[-1].status), games(door)[-1].game_id) == ("annulled", "r2-1002-2002")
    assert after.json()["missing_games"] == []


async def test_a_half_read_file_annuls_nothing(door):
    await door.put(csv((1, "1-0"), (2, "1-0")), PATH, "f-1")
    answer = await door.put(csv((1, "1-0"), (2, "7-0")), PATH + "&annul_missing=true", "f-2")
    (notice,) = answer.json()["notices"]

    assert answer.status_code == 200
    assert (answer.json()["refused"], notice["line"], notice["field"]) == (1, 3, "result")
    assert not any(game.status == "annulled" for game in games(door))


async def test_a_dry_run_reports_and_sends_nothing(door):
    answer = await door.put(csv((1, "1-0")), PATH + "&dry_run=true")

    assert answer.json()["would_send"] == {"tournaments": 1, "entrants": 2, "games": 1}
    assert door.kafka.records == []


async def test_the_finish_is_an_event_with_the_number_of_games(door):
    await door.put(csv((1, "1-0"), (2, "1-0")), PATH + "&finish=true&ends_on=2025-10-20")
    tournament = next(one.data for one in door.kafka.events() if isinstance(one.data, Tournament))

    assert (tournament.status, tournament.expected_games, str(tournament.ends_on)) == (
        "finished",
        2,
        "2025-10-20",
    )


REFUSED = [
    pytest.param(b"", "format=csv", 422, "empty", id="empty"),
    pytest.param(b"\x00\x01", "format=trf", 422, "text file", id="binary"),
    pytest.param(b"no,columns\n", "format=csv", 422, "", id="no-columns"),
    pytest.param(csv((1, "1-0")), "", 415, "format", id="no-format"),
    pytest.param(csv((1, "1-0")), "format=csv", 422, "time_control", id="no-time-control"),
    pytest.param(csv((1, "1-0")), "format=xml", 422, "format", id="unknown-format"),
    pytest.param(csv((1, "1-0")), "format=csv&starts_on=tomorrow", 422, "starts_on", id="no-day"),
    pytest.param(b"{}", "format=json", 422, "", id="empty-json"),
]


@pytest.mark.parametrize(("body", "query", "status", "word"), REFUSED)
async def test_a_file_that_cannot_be_used_is_refused_with_its_reason(door, body, query, status, word):
    answer = await door.put(body, f"/v1/tournaments/open/file?{query}")

    assert answer.status_code == status, answer.text
    assert word in answer.text
    assert door.kafka.records == []


async def test_a_file_is_signed_like_everything_else(door):
    answer = await door.client.put(PATH, content=csv((1, "1-0")))

    assert (answer.status_code, answer.json()["field"]) == (401, "webhook-id")


async def test_kafka_away_is_503_and_the_repeat_sends_it_all(door):
    door.kafka.away = True
    refused = await door.put(csv((1, "1-0")), PATH)
    door.kafka.away = False
    taken = await door.put(csv((1, "1-0")), PATH)

    assert (refused.status_code, taken.json()["sent"]["games"]) == (503, 1)


async def test_a_name_in_another_encoding_is_read(door):
    body = json.loads('"' + pgn(1, "1-0").replace('"', '\\"').replace("\n", "\\n") + '"').encode("cp1252")
    answer = await door.put(body.replace(b"White, 1", b"Poln\xe9, 1"), "/v1/tournaments/open/file?format=pgn")

    assert answer.status_code == 200, answer.text
    assert "Windows-1252" in answer.json()["notices"][0]["text"]
