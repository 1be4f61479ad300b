"""What `elowire watch` shows and says for each event of the stream, and how fresh it is."""

from __future__ import annotations

import orjson
import pytest

from elowire.cli.watched import Freshness, Watched, pause_s
from elowire.domain import TimeControl
from elowire.runtime.web_client import ServerEvent, read_events


def event(name, data):
    return ServerEvent("boot-1", name, orjson.dumps(data))


def row(player_id, change, version=1, rating=2700):
    return {
        "player_id": player_id,
        "version": version,
        "name": player_id,
        "status": "rated",
        "published": {"list": "2025-10", "rating": rating, "k": 10},
        "live": f"{rating}.0",
        "change": change,
        "predicted": rating,
    }


def snapshot(*rows, fault=None):
    freshness = {"at": 1000, "changed_at": 500, "fault": fault}
    return event(
        "snapshot",
        {"freshness": freshness, "live_ratings": [{"time_control": "standard", "players": list(rows)}]},
    )


def change(player_id, version, text):
    figures = {
        name: value for name, value in row(player_id, text).items() if name not in {"player_id", "version"}
    }
    return event("live-rating", {"player_id": player_id, "version": version, "standard": figures})


def test_lines_are_in_order_and_equal_figures_share_a_place():
    watched = Watched(TimeControl.STANDARD)
    watched.take(snapshot(row("a", "1.00"), row("b", "3.00"), row("c", "1.00"), row("d", "0.00")), 0)

    assert [(line.place, line.person.player_id) for line in watched.lines(9)] == [
        (1, "b"),
        (2, "a"),
        (2, "c"),
        (4, "d"),
    ]
    watched.take(change("d", 2, "9.00"), 10)
    assert [line.person.player_id for line in watched.lines(2)] == ["d", "b"]
    assert watched.lit(10) == {"d"}
    assert watched.lit(2011) == set()


def test_an_older_version_and_the_same_figures_again_change_nothing():
    watched = Watched(TimeControl.STANDARD)
    assert watched.take(snapshot(row("a", "1.00", version=5)), 0) == []

    assert watched.take(change("a", 4, "7.00"), 1) == []
    assert watched.take(change("a", 5, "1.00"), 1) == []
    assert watched.lines(1)[0].figures.change == "1.00"
    assert len(watched.take(change("a", 6, "2.00"), 1)) == 1


def test_a_first_snapshot_tells_nothing_and_a_later_one_what_moved():
    watched = Watched(TimeControl.STANDARD)

    assert watched.take(snapshot(row("a", "1.00"), row("b", "1.00")), 0) == []
    assert len(watched.take(snapshot(row("a", "2.00", version=2), row("b", "1.00")), 1)) == 1


@pytest.mark.parametrize(
    ("freshness", "said"),
    [
        pytest.param(
            Freshness(connected=True, changed_at=48_000), "connected, last change 12 s ago", id="fresh"
        ),
        pytest.param(Freshness(connected=True), "connected, no change yet", id="quiet"),
        pytest.param(
            Freshness(connected=True, changed_at=1_760_000_640_000, fault="no broker"),
            "the ticker hears nothing from Kafka: showing the state of 09:04 UTC",
            id="ticker-cut-off",
        ),
        pytest.param(
            Freshness(heard_at=1_760_000_640_000, retry_at=64_000),
            "not connected, showing the state of 09:04 UTC; next try in 4 s",
            id="cut-off",
        ),
        pytest.param(Freshness(retry_at=61_000), "not connected; next try in 1 s", id="never-connected"),
    ],
)
def test_freshness_is_a_sentence(freshness, said):
    assert freshness.text(60_000)[0] == f"● {said}"


def test_a_heartbeat_says_that_the_ticker_is_cut_off():
    watched = Watched(TimeControl.STANDARD)
    watched.take(snapshot(row("a", "1.00")), 0)
    watched.take(event("heartbeat", {"at": 1, "changed_at": 500, "fault": "no broker answers"}), 1)

    assert "hears nothing from Kafka" in watched.freshness.text(1)[0]


def test_pauses_grow_and_are_bounded():
    assert [pause_s(attempt, jitter=0) for attempt in (0, 1, 2, 5, 50)] == [1, 2, 4, 30, 30]
    assert pause_s(3, jitter=1) == 4


async def lines_of(text):
    for line in text.splitlines(keepends=True):
        yield line


@pytest.mark.parametrize(
    ("text", "events"),
    [
        pytest.param(b"id: 1\nevent: a\ndata: x\n\n", [("1", "a", b"x")], id="one"),
        pytest.param(b"data: x\ndata: y\n\n", [("", "message", b"x\ny")], id="data-in-lines"),
        pytest.param(b": ping\n\nid: 2\n\ndata:z\n\n", [("2", "message", b"z")], id="comment-and-lasting-id"),
        pytest.param(b"data: cut off", [], id="an-event-that-breaks-off"),
        pytest.param(b"event: a\r\ndata: x\r\n\r\n", [("", "a", b"x")], id="crlf"),
    ],
)
async def test_server_sent_events_are_read_as_the_standard_says(text, events):
    assert [tuple(event) async for event in read_events(lines_of(text))] == events
