from __future__ import annotations

import pytest

from elowire.contracts.dead_letters import (
    DeadLetterReason,
    Refused,
    dead_letter_headers,
    original_headers,
    read_dead_letter,
)

ORIGINAL = [("ce_id", b"1"), ("traceparent", b"00-0af7-b7ad-01")]
REFUSED = Refused(
    DeadLetterReason.INVALID_FIELD,
    "white.k is 0",
    "white.k",
    "1 or more",
    "Leave k out where it is not known.",
)


def test_dead_letter_says_why_and_where_from():
    headers = [*ORIGINAL, *dead_letter_headers(REFUSED, "game-results", 3, 41, "0.1.0")]
    letter = read_dead_letter(headers)

    assert letter.id == "game-results/3/41"
    assert letter.model_dump() == {
        "reason": "invalid-field",
        "detail": "white.k is 0",
        "field": "white.k",
        "expected": "1 or more",
        "advice": "Leave k out where it is not known.",
        "topic": "game-results",
        "partition": 3,
        "offset": 41,
        "release": "0.1.0",
    }


def test_original_headers_come_back_unchanged():
    headers = [*ORIGINAL, *dead_letter_headers(REFUSED, "game-results", 3, 41, "0.1.0")]

    assert original_headers(headers) == ORIGINAL


def test_what_is_not_known_is_left_out():
    headers = dict(
        dead_letter_headers(Refused(DeadLetterReason.TOMBSTONE, "no value"), "game-results", 0, 0, "1")
    )

    assert "elowire-field" not in headers
    assert read_dead_letter(list(headers.items())).field is None


@pytest.mark.parametrize("detail", ["x" * 100_000, "\ud800" * 10, "½ Ö"])
def test_any_detail_makes_a_header(detail):
    headers = dead_letter_headers(REFUSED._replace(detail=detail), "game-results", 0, 0, "1")

    assert len(dict(headers)["elowire-detail"]) <= 6000
    assert read_dead_letter(headers).detail


def test_reason_of_a_newer_release_is_readable():
    headers = dict(dead_letter_headers(REFUSED, "game-results", 0, 0, "9.0.0"))
    headers["elowire-reason"] = b"word-of-tomorrow"

    assert read_dead_letter(list(headers.items())).reason == "word-of-tomorrow"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("elowire-offset", None),
        ("elowire-offset", b"-1"),
        ("elowire-partition", b"x"),
        ("elowire-topic", None),
    ],
)
def test_foreign_record_is_told_by_its_header(name, value):
    headers = dict(dead_letter_headers(REFUSED, "game-results", 0, 0, "1"))
    headers[name] = value

    with pytest.raises(ValueError, match=f"header {name} of a record in dead-letters"):
        read_dead_letter(list(headers.items()))
