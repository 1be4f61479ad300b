"""JSON of every kind: what is refused, with line and column or the path of the field."""

from __future__ import annotations

import copy
import json

import pytest

from elowire.ingest.readers.event_json import read_event_json
from elowire.ingest.readers.files import read_feedable, read_ratable
from elowire.ingest.readers.report import Notice, UnreadableFile

EVENT = {
    "name": "A match of three",
    "time_control": "standard",
    "start": "2025-10-12",
    "end": "2025-10-24",
    "system": "single round robin, 3 players",
    "players": [
        {"fide_id": 2020009, "published_rating": 2789, "k": 10},
        {"fide_id": 5202213, "published_rating": 2756, "k": 10},
        {"fide_id": 2093596, "published_rating": 0},
    ],
    "games": [
        {"round": 1, "white": 2020009, "black": 5202213, "result": "1-0"},
        {"round": 2, "white": 5202213, "black": 2093596, "result": "1/2-1/2"},
    ],
}


def changed(path, value):
    event = copy.deepcopy(EVENT)
    at = event
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return event


def read(event):
    return read_event_json(json.dumps(event).encode(), "event.json")


def test_the_sound_event():
    report = read(EVENT)

    assert report.imported.notices == ()
    assert [entrant.unrated for entrant in report.entrants] == [False, False, True]
    assert report.tournament.system == "round-robin"


WHOLE = [
    pytest.param(["name"], ..., "name", id="no-name"),
    pytest.param(["start"], "12 October", "start", id="start-in-words"),
    pytest.param(["end"], 20251024, "end", id="end-as-a-number"),
    pytest.param(["time_control"], "fast", "time_control", id="unknown-time-control"),
    pytest.param(["time_control"], ..., "time_control", id="no-time-control"),
    pytest.param(["players"], {}, "players", id="players-as-an-object"),
    pytest.param(["games"], None, "games", id="games-null"),
    pytest.param(["rating_list"], "October", "rating_list", id="list-in-words"),
    pytest.param(["revision"], -1, "revision", id="negative-revision"),
]


@pytest.mark.parametrize(("path", "value", "field"), WHOLE)
def test_a_fact_of_the_tournament_that_cannot_be_used_refuses_the_file(path, value, field):
    with pytest.raises(UnreadableFile) as refused:
        read(changed(path, value))

    assert refused.value.notice.field == field


GAMES = [
    pytest.param(["games", 0, "result"], "2-0", "games[0].result", id="unknown-result"),
    pytest.param(["games", 0, "result"], ..., "games[0].result", id="no-result"),
    pytest.param(["games", 0, "result"], 1, "games[0].result", id="result-as-a-number"),
    pytest.param(["games", 0, "round"], "1", "games[0].round", id="round-as-text"),
    pytest.param(["games", 0, "round"], 0, "games[0].round", id="round-zero"),
    pytest.param(["games", 0, "white"], 5202213, "games[0]", id="both-colours-the-same"),
    pytest.param(["games", 0, "white"], 999, "games[0].white", id="a-player-who-is-not-listed"),
    pytest.param(["games", 0, "white"], None, "games[0].white", id="white-null"),
    pytest.param(["games", 0, "white"], True, "games[0].white", id="white-true"),
    pytest.param(["games", 0, "black"], "K. Arlsen", "games[0].black", id="a-name-for-an-id"),
    pytest.param(["games", 0], "1-0", "games[0]", id="a-game-that-is-text"),
    pytest.param(["games", 0, "status"], "won", "games[0].status", id="unknown-status"),
    pytest.param(["games", 0, "date"], "2025-10-32", "games[0].date", id="day-32"),
]


@pytest.mark.parametrize(("path", "value", "field"), GAMES)
def test_a_game_that_cannot_be_used_is_refused_with_its_path(path, value, field):
    report = read(changed(path, value))
    (notice,) = report.imported.notices

    assert (notice.kind, notice.field) == ("refused", field)
    assert [game.round for game in report.games] == [2]


PLAYERS = [
    pytest.param("published_rating", -5, id="negative-rating"),
    pytest.param("published_rating", "2789", id="rating-as-text"),
    pytest.param("published_rating", 2789.5, id="half-a-rating-point"),
    pytest.param("k", 0, id="k-zero"),
    pytest.param("fide_id", "", id="no-id"),
]


@pytest.mark.parametrize(("field", "value"), PLAYERS)
def test_a_player_that_cannot_be_used_takes_only_his_games_away(field, value):
    report = read(changed(["players", 0, field], value))
    told = [notice.field for notice in report.imported.notices]

    assert told == [f"players[0].{field}", "games[0].white"]
    assert len(report.games) == 1


TEXTS = [
    pytest.param("", "line 1: the file is empty", id="empty"),
    pytest.param(json.dumps(EVENT, indent=1)[:300], "half-written", id="half-written"),
    pytest.param('{"games": [}', "line 1, column 12", id="a-bracket-too-many"),
    pytest.param('{"games": [],\n "games": []}', "'games' twice", id="a-field-twice"),
    pytest.param('{"games": [NaN], "players": []}', "NaN", id="not-a-number"),
    pytest.param("[" * 100_000, "nested more deeply|half-written", id="a-hundred-thousand-brackets"),
    pytest.param("1" * 5000, "a number of 5000 digits", id="one-long-number"),
    pytest.param('"games and players"', "document", id="a-text"),
    pytest.param("{}", "document", id="an-empty-object"),
    pytest.param("[]", "document", id="an-empty-list"),
]


@pytest.mark.parametrize(("text", "words"), TEXTS)
def test_a_document_that_is_no_event_is_refused(text, words, tmp_path):
    path = tmp_path / "event.json"
    path.write_text(text)

    with pytest.raises(UnreadableFile, match=words):
        read_ratable(path)
    with pytest.raises(UnreadableFile, match=words):
        read_feedable(path)


PERIODS = [
    pytest.param("published", {"2025-12": 2810}, "[0].published", id="list-before-missing"),
    pytest.param("k_on_previous_list", 0, "[0].k_on_previous_list", id="k-zero"),
    pytest.param("rating_period", "December", "[0].rating_period", id="period-in-words"),
    pytest.param("events", [], "[0].events", id="no-event"),
    pytest.param("time_control", "fast", "[0].time_control", id="unknown-time-control"),
]


@pytest.mark.parametrize(("field", "value", "place"), PERIODS)
def test_a_period_that_cannot_be_used_names_its_field(field, value, place, cases, tmp_path):
    case = json.loads((cases / "fide-published-periods.json").read_bytes())[0]
    path = tmp_path / "periods.json"
    path.write_text(json.dumps([case | {field: value}]))

    with pytest.raises(UnreadableFile) as refused:
        read_ratable(path)

    assert refused.value.notice.field == place


GAME = {
    "tournament_id": "t",
    "game_id": "r1-1-2",
    "revision": 0,
    "status": "played",
    "white": {"player_id": "1"},
    "black": {"player_id": "2"},
    "result": "1-0",
}


def cloud(data, **attributes):
    event = {
        "specversion": "1.0",
        "id": "e1",
        "source": "test",
        "type": "elowire.game-result.v1",
        "data": data,
    }
    return {name: value for name, value in (event | attributes).items() if value is not ...}


LINES = [
    pytest.param("no json", "not-json", id="not-json"),
    pytest.param(json.dumps(cloud(GAME))[:60], "not-json", id="half-written"),
    pytest.param(json.dumps(cloud(GAME, type="elowire.game-result.v9")), "unknown-version", id="version"),
    pytest.param(json.dumps(cloud(GAME, type="elowire.move.v1")), "unknown-type", id="type"),
    pytest.param(json.dumps(cloud(GAME, id=...)), "missing-attribute", id="no-id"),
    pytest.param(json.dumps(cloud(GAME | {"result": "2-0"})), "invalid-field", id="unknown-result"),
    pytest.param(json.dumps(cloud(GAME | {"black": {"player_id": "1"}})), "invalid-field", id="same-player"),
    pytest.param(json.dumps(cloud(GAME | {"colour": "blue"})), "invalid-field", id="unknown-field"),
    pytest.param("[1, 2]", "expected a CloudEvent", id="a-list"),
    pytest.param("x" * (1 << 20) + "y", "longer than", id="a-line-above-one-mebibyte"),
]


@pytest.mark.parametrize(("line", "word"), LINES)
def test_a_line_that_is_no_event_is_refused_and_the_next_is_read(line, word, tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text(f"{json.dumps(cloud(GAME))}\n{line}\n{json.dumps(cloud(GAME, id='e2'))}\n")
    first, refused, last = read_feedable(path)

    assert isinstance(refused, Notice)
    assert refused.line == 2
    assert word in refused.text
    assert [first.event.event_id, last.event.event_id] == ["e1", "e2"]


def test_one_bare_event_has_an_id_of_its_content(tmp_path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps(GAME))
    ((one,), (again,)) = (list(read_feedable(path)) for _ in range(2))

    assert one == again
    path.write_text(json.dumps(GAME | {"result": "0-1"}))
    (other,) = read_feedable(path)
    assert other.event.event_id != one.event.event_id


def test_one_bare_event_that_is_wrong_names_its_field(tmp_path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps(GAME | {"result": "2-0"}))
    (refused,) = read_feedable(path)

    assert (refused.kind, refused.field) == ("refused", "result")


def test_a_batch_names_the_place_of_its_member(tmp_path):
    path = tmp_path / "batch.json"
    path.write_text(json.dumps([cloud(GAME), cloud(GAME | {"result": "2-0"}, id="e2")]))
    good, refused = read_feedable(path)

    assert good.event.event_id == "e1"
    assert refused.field == "[1].result"
