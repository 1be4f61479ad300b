"""Empty files, half-written ones and other forms: told with their place, or fed; good ones are rated."""

from __future__ import annotations

import json

import pytest

from tests.broker.acceptance.programs import run, wait_until
from tests.broker.acceptance.topics import live, read, settle

pytestmark = pytest.mark.broker
RATED_S = 60
HEAD = "round,board,white_fide_id,white_rating,white_k,black_fide_id,black_rating,black_k,result,date"
STATED = ("--time-control", "standard")
LIVE_OF_WINNER, LIVE_OF_LOSER = "2403.6", "2296.4"
"""2400 beats 2300 with K 10: D 100, PD 0.64 and 0.36 (2025-10 8.1.2)."""


def line(number, round_=1, result="1-0"):
    """A game between the players `number`1 and `number`2."""
    return f"{round_},1,{number}1,2400,10,{number}2,2300,10,{result},2025-10-12"


def csv(number, *more):
    return "\n".join([HEAD, line(number), *more, ""]).encode()


def event(number):
    players = [
        {"fide_id": f"{number}{seat}", "published_rating": rating, "k": 10}
        for seat, rating in ((1, 2400), (2, 2300))
    ]
    return {
        "name": f"Event {number}",
        "time_control": "standard",
        "start": "2025-10-12",
        "end": "2025-10-12",
        "players": players,
        "games": [{"round": 1, "white": f"{number}1", "black": f"{number}2", "result": "1-0"}],
    }


@pytest.fixture(scope="module")
def processor(processors):
    return processors()


def ratings(processor, number):
    found = live(processor.bootstrap)
    return tuple(found.get(f"{number}{seat}", {}).get("standard", {}).get("live") for seat in (1, 2))


def rated(processor, number):
    wait_until(
        lambda: ratings(processor, number) == (LIVE_OF_WINNER, LIVE_OF_LOSER),
        RATED_S,
        lambda: ratings(processor, number),
    )


def half_written_json(number, last):
    """An event's file that ends after `last`."""
    text = json.dumps(event(number), indent=1)
    return text[: text.index(last) + len(last)].encode()


REFUSED = {
    "empty.csv": (101, b"", "line 1: the file is empty"),
    "header-alone.csv": (
        *(102, HEAD.encode()),
        "line 2: the file has a header but no line with a game; it looks half-written",
    ),
    "cut-in-the-header.csv": (
        *(103, HEAD[:40].encode()),
        "line 1: the header lacks black_fide_id, black_rating, result; expected a line such as round,",
    ),
    "cut-in-its-only-game.csv": (
        *(104, csv(104)[:-25]),
        "line 2: has 6 fields where 10 were expected; the line is cut off or shifted",
    ),
    "unstated.csv": (
        *(105, csv(105)),
        "the file does not say the time control; state it with --time-control standard, rapid or blitz",
    ),
    "empty.json": (106, b"", "line 1: the file is empty"),
    "cut-between-words.json": (
        *(107, half_written_json(107, '"white":')),
        "line 21, column 12: is not JSON: Expecting value; the file ends too early, it looks half-written",
    ),
    "cut-in-a-word.json": (
        *(108, half_written_json(108, '"whi')),
        "line 21, column 4: is not JSON: Unterminated string starting at",
    ),
    "no-event.json": (
        *(109, b'{"games": 3, "results": []}'),
        "document: is neither an event (an object with players and games) nor an input event of the contract",
    ),
}


@pytest.fixture(scope="module")
def fed(processor, tmp_path_factory):
    """What `elowire feed` said of all these files, each followed by a good one."""
    folder = tmp_path_factory.mktemp("files")
    files = []
    for name, (number, raw, _) in REFUSED.items():
        files += [folder / name, folder / f"good-{number}.json"]
        files[-2].write_bytes(raw)
        files[-1].write_text(json.dumps(event(number)))
    done = run("feed", *files, "--bootstrap", processor.bootstrap)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_file_is_told_with_its_place_and_the_file_beside_it_is_fed(processor, fed, name):
    number, _, sentence = REFUSED[name]
    (said,) = [line for line in fed if f"{name}: refused: " in line]

    assert sentence in said
    rated(processor, number)


def test_a_half_written_line_is_told_and_the_whole_ones_are_rated(processor, tmp_path):
    path = tmp_path / "growing.csv"
    path.write_bytes(csv(120, line(121, 2)[:20]))

    done = run("feed", path, *STATED, "--bootstrap", processor.bootstrap)

    assert done.returncode == 1
    assert "line 3: has 6 fields where 10 were expected; the line is cut off or shifted" in done.stderr
    rated(processor, 120)
    assert ratings(processor, 121) == (None, None)


FORMS = {
    "byte-order-mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "crlf": lambda raw: raw.replace(b"\n", b"\r\n"),
    "semicolons": lambda raw: raw.replace(b",", b";"),
    "all-of-them": lambda raw: b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n").replace(b",", b";"),
}


def test_other_forms_of_csv_are_rated(processor, tmp_path):
    files = {}
    for number, (form, change) in enumerate(FORMS.items(), 130):
        files[number] = tmp_path / f"{form}.csv"
        files[number].write_bytes(change(csv(number)))

    done = run("feed", *files.values(), *STATED, "--bootstrap", processor.bootstrap, "--format", "json")

    assert done.returncode == 0, done.stderr
    assert [one["sent"]["games"] for one in json.loads(done.stdout)] == [1] * len(FORMS)
    for number in files:
        rated(processor, number)


def test_a_bad_line_of_events_is_told_and_those_beside_it_are_sent(processor, tmp_path):
    def cloud_event(kind, number, **data):
        return json.dumps(
            {
                "specversion": "1.0",
                "id": f"{number}/{kind}/{len(data)}",
                "source": "tests",
                "type": f"elowire.{kind}.v1",
                "data": {"tournament_id": f"lines-{number}", "revision": 1, **data},
            }
        )

    day = "2025-10-12"
    facts = {"name": "Lines", "time_control": "standard", "system": "match", "status": "running"}
    sides = {
        colour: {"player_id": f"140{seat}", "rating": rating, "k": 10}
        for colour, seat, rating in (("white", 1, 2400), ("black", 2, 2300))
    }
    lines = [
        cloud_event("tournament", 140, **facts, starts_on=day, ends_on=day),
        cloud_event("game-result", 140, game_id="g1", status="played", result="2-0", **sides),
        '{"specversion": "1.0", "id"',
        cloud_event("game-result", 140, game_id="g2", status="played", result="1-0", **sides),
    ]
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(lines))

    done = run("feed", path, "--bootstrap", processor.bootstrap)

    assert done.returncode == 1
    assert "line 2, result: invalid-field: result is '2-0'; expected one of" in done.stderr
    assert "line 3: not-json: " in done.stderr
    rated(processor, 140)


def test_nothing_of_all_this_reached_the_dead_letters(processor):
    settle(processor)

    assert read(processor.bootstrap, "dead-letters") == []
