"""The records of a file: the same ones each time, whatever else is said beside."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest

from elowire.contracts.envelope import decode
from elowire.contracts.events import Entrant, GameResult, Tournament
from elowire.domain import TimeControl
from elowire.ingest.feed import NotFeedable, feed_of, paced
from elowire.ingest.readers.files import read_event, read_feedable
from elowire.ingest.readers.report import EventReport

NOW = datetime(2025, 10, 25, 12, 0, tzinfo=UTC)
LATER = datetime(2025, 10, 26, 12, 0, tzinfo=UTC)


@pytest.fixture
def championship(events):
    return read_feedable(events / "us-championship-2025.json")


def records(feed):
    return [*feed.opening, *feed.games, *feed.closing]


def decoded(feed):
    return [decode(record.topic, record.key, record.value, record.headers) for record in records(feed)]


def test_every_record_is_an_event_of_the_contract(championship):
    data = [event.data for event in decoded(feed_of(championship, time=NOW, finish=True))]

    assert isinstance(data[0], Tournament)
    assert [type(one) for one in data[1:13]] == [Entrant] * 12
    assert [type(one) for one in data[13:79]] == [GameResult] * 66
    assert (data[0].status, data[79].status, data[79].expected_games) == ("running", "finished", 66)
    assert data[79].revision > data[0].revision


def test_the_same_file_gives_the_same_ids_and_bytes_at_any_time(championship):
    once, again = (feed_of(championship, time=time, finish=True) for time in (NOW, LATER))

    assert [event.event_id for event in decoded(once)] == [event.event_id for event in decoded(again)]
    assert [record.value for record in records(once)] == [record.value for record in records(again)]


def test_ids_are_different_from_each_other(championship):
    ids = [event.event_id for event in decoded(feed_of(championship, time=NOW, finish=True))]

    assert len(set(ids)) == len(ids) == 80


def test_a_changed_result_at_the_same_revision_has_another_event_id(championship, events, tmp_path):
    text = (events / "us-championship-2025.json").read_text().replace('"1/2-1/2"', '"1-0"', 1)
    path = tmp_path / "us-championship-2025.json"
    path.write_text(text)
    before, after = (decoded(feed_of(report, time=NOW)) for report in (championship, read_feedable(path)))
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a.event_id != b.event_id]

    assert len(changed) == 1
    assert changed[0][0].data.game_id == changed[0][1].data.game_id


def test_a_greater_revision_is_in_every_event(championship):
    first, second = (
        decoded(feed_of(championship.stated(revision=revision), time=NOW, finish=True)) for revision in (0, 1)
    )

    assert all(b.data.revision > a.data.revision for a, b in zip(first, second, strict=True))
    # A correction after the finish outranks the finish.
    assert second[0].data.revision > first[-1].data.revision


def test_a_file_that_grew_says_something_newer_of_its_tournament(events, tmp_path):
    lines = (events / "womens-world-rapid-2024.csv").read_text().splitlines()
    path = tmp_path / "womens-world-rapid-2024.csv"
    tournaments = []
    for count in (221, 441, 606):
        path.write_text("\n".join(lines[:count]))
        opening = feed_of(read_event(path).stated(time_control=TimeControl.RAPID), time=NOW).opening[0]
        tournaments.append(orjson.loads(opening.value))

    assert [one["ends_on"] for one in tournaments] == ["2024-12-26", "2024-12-27", "2024-12-28"]
    assert sorted({one["revision"] for one in tournaments}) == [one["revision"] for one in tournaments]


def test_a_stated_tournament_is_the_key_of_everything(championship):
    feed = feed_of(championship.stated(tournament_id="us2025"), time=NOW)

    assert {record.key for record in records(feed)} == {b"us2025"}


def test_unrated_players_of_a_report_get_an_id_of_their_own(events):
    feed = feed_of(read_event(events / "swiss-open-2005.trf"), time=NOW)
    entrants = [event.data for event in decoded(feed) if isinstance(event.data, Entrant)]
    unrated = [entrant for entrant in entrants if entrant.unrated]

    assert feed.imported.refused == 0
    assert (len(entrants), len(unrated)) == (284, 138)
    assert len({entrant.player_id for entrant in entrants}) == 284
    assert unrated[-1].player_id == "local:swiss-open-2005.284"


def test_a_name_alone_is_nobody_yet(tmp_path):
    path = tmp_path / "open.pgn"
    path.write_text('[White "A, B"]\n[Black "C, D"]\n[Date "2025.10.01"]\n[Result "1-0"]\n\n1-0\n')
    feed = feed_of(read_event(path).stated(time_control=TimeControl.STANDARD), time=NOW)

    assert [event.data.player_id for event in decoded(feed)[1:3]] == [None, None]


def test_games_without_a_result_are_counted_and_not_sent(tmp_path):
    path = tmp_path / "open.csv"
    head = "round,white_fide_id,white_rating,black_fide_id,black_rating,result,date"
    path.write_text(f"{head}\n1,1,2000,2,2000,*,2025-10-01\n1,3,2000,4,2000,1-0,2025-10-01\n")
    feed = feed_of(read_event(path).stated(time_control=TimeControl.STANDARD), time=NOW)

    assert (len(feed.games), feed.without_result) == (1, 1)


@pytest.mark.parametrize(
    ("dates", "stated", "flag"),
    [
        (",2025-10-01", {}, "--time-control"),
        (",", {"time_control": TimeControl.STANDARD}, "--starts-on"),
        (",1999-10-01", {"time_control": TimeControl.STANDARD}, "2002-07-01"),
        (",2025-10-01", {"time_control": TimeControl.STANDARD, "edition": "1999"}, "edition"),
    ],
)
def test_what_cannot_be_rated_is_not_sent(tmp_path, dates, stated, flag):
    path = tmp_path / "open.csv"
    head = "round,white_fide_id,white_rating,black_fide_id,black_rating,result,date"
    path.write_text(f"{head}\n1,1,2000,2,2000,1-0{dates}\n")

    with pytest.raises(NotFeedable, match=flag):
        feed_of(read_event(path).stated(**stated), time=NOW)


def test_a_round_outside_the_contract_takes_one_game_away(tmp_path):
    path = tmp_path / "open.csv"
    head = "round,game_id,white_fide_id,white_rating,black_fide_id,black_rating,result,date"
    path.write_text(f"{head}\n1,a b,1,2000,2,2000,1-0,2025-10-01\n1,ab,3,2000,4,2000,1-0,2025-10-01\n")
    feed = feed_of(read_event(path).stated(time_control=TimeControl.STANDARD), time=NOW)
    (notice,) = feed.imported.refusals()

    assert len(feed.games) == 1
    assert (notice.line, notice.field) == (2, "game_id")


def test_speed_spreads_games_over_time(championship):
    games = feed_of(championship, time=NOW).games
    dues = [due for due, _ in paced(games, 20)]

    assert dues == [n / 20 for n in range(66)]
    assert sum(len(portion) for _, portion in paced(games, 1000)) == 66
    assert [due for due, _ in paced(games, None)] == [0.0]


def test_an_event_file_may_say_its_revision(events, tmp_path):
    document = orjson.loads((events / "us-championship-2025.json").read_bytes())
    file = tmp_path / "corrected.json"
    file.write_bytes(orjson.dumps({**document, "revision": 3}))

    assert isinstance(read_feedable(file), EventReport)
