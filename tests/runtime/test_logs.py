"""Log lines go to standard error: JSON for machines, lines for people, without the clients' chatter."""

from __future__ import annotations

import json
import logging

import pytest
import structlog

from elowire.runtime.logs import configure, get_logger
from elowire.runtime.settings import load_settings


@pytest.fixture(autouse=True)
def restored():
    """Logging as it was before the test."""
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    yield
    root.handlers[:], level = before
    root.setLevel(level)
    structlog.reset_defaults()


def test_json_lines_carry_fields_level_time_and_traceback(capsys):
    configure(load_settings(log_format="json"))
    try:
        raise ValueError("a cause")  # noqa: TRY301 - the traceback is the point
    except ValueError:
        get_logger("elowire.test").exception("it failed", player="14205483")
    out, err = capsys.readouterr()
    line = json.loads(err)
    assert out == ""
    assert line["event"] == "it failed"
    assert line["player"] == "14205483"
    assert line["level"] == "error"
    assert line["timestamp"].endswith("Z")
    assert line["exception"][0]["exc_value"] == "a cause"


def test_lines_of_libraries_have_the_same_form(capsys):
    configure(load_settings(log_format="json"))
    logging.getLogger("some.package").warning("%d retries", 3)
    line = json.loads(capsys.readouterr().err)
    assert (line["event"], line["level"], line["logger"]) == ("3 retries", "warning", "some.package")


def test_no_line_has_escape_sequences_of_terminals(capsys):
    configure(load_settings(log_format="json"))
    coloured = {"color_message": "Started server process [\x1b[36m%d\x1b[0m]"}
    logging.getLogger("uvicorn.error").warning("Started server process [%d]", 7, extra=coloured)
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "Started server process [7]"
    assert "\x1b" not in str(line)


def test_what_aiokafka_cures_by_itself_is_no_news(capsys):
    configure(load_settings(log_format="json"))
    aiokafka = logging.getLogger("aiokafka.consumer.fetcher")
    aiokafka.error("Failed fetch offsets from %s: %s", 1, "NotLeader")
    aiokafka.error("Group Coordinator Request failed: %s", "[Error 15] GroupCoordinatorNotAvailableError")
    aiokafka.info("Discovered coordinator")
    aiokafka.error("Unable to do it")
    [line] = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "Unable to do it"


def test_text_is_for_people_and_the_level_counts(capsys):
    configure(load_settings(log_format="text", log_level="WARNING"))
    log = get_logger("elowire.test")
    log.info("hidden")
    log.warning("seen", partition=3)
    err = capsys.readouterr().err
    assert "seen" in err
    assert "partition=3" in err
    assert "hidden" not in err


def test_what_aiokafka_says_ten_times_a_second_is_said_once_in_a_while_and_counted(capsys, monkeypatch):
    configure(load_settings(log_format="json"))
    now = 1_000.0
    monkeypatch.setattr("time.time", lambda: now)
    monkeypatch.setattr("time.time_ns", lambda: int(now * 1e9))
    aiokafka, ours = logging.getLogger("aiokafka"), logging.getLogger("elowire.test")
    for tenth in range(301):
        now = 1_000 + tenth / 10
        aiokafka.error("Unable connect to node with id %s", 1)
        aiokafka.error("Unable connect to node with id %s", 2 + tenth // 300)
    ours.warning("twice")
    ours.warning("twice")
    said = [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]

    assert said == [
        "Unable connect to node with id 1",
        "Unable connect to node with id 2",
        "Unable connect to node with id 1 (299 times more since it was last said)",
        "Unable connect to node with id 3",
        "twice",
        "twice",
    ]
