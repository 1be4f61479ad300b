"""Dead letters as fields: bytes as text where they are text, and never more of them than asked for."""

from __future__ import annotations

import pytest

from elowire.cli.dead_letter_rows import Oldest, letter_fields, listed
from elowire.cli.plain import age_text, plain
from elowire.contracts.dead_letters import DeadLetterReason, Refused, dead_letter_headers, read_dead_letter
from elowire.contracts.resolutions import Outcome, Resolution, digest_of
from elowire.runtime.dead_letters import Letter
from elowire.runtime.kafka import Record

AT = 1_760_000_640_000


def letter(value, *, number=1, at=AT, resolution=None):
    refused = Refused(DeadLetterReason.NOT_JSON, "no JSON")
    headers = [("x", b"\xff"), *dead_letter_headers(refused, "game-results", 0, number, "1.0")]
    record = Record("dead-letters", 0, number, at, b"open", value, headers)
    return Letter(read_dead_letter(headers), record, digest_of(b"open", value), resolution)


@pytest.mark.parametrize(
    ("value", "most", "text", "digits"),
    [
        (b"abc", 9, "abc", None),
        (b"abc", 2, "ab", None),
        ("a½b".encode(), 2, "a", None),
        (b"a\xffb", 9, None, "61ff62"),
        (b"a\xc2", 9, None, "61c2"),
        (b"", 9, "", None),
        (None, 9, None, None),
    ],
)
def test_a_value_is_text_or_hexadecimal_and_bounded(value, most, text, digits):
    fields = letter_fields(letter(value), most, AT)

    assert (fields["value"], fields["value_hex"]) == (text, digits)
    assert fields["bytes"] == (None if value is None else len(value))


def test_headers_and_state_are_shown():
    resolution = Resolution("game-results/0/1", "d", Outcome.DISCARDED, "a test", "2025-10-12T18:00:00Z")
    fields = letter_fields(letter(b"x", resolution=resolution), 9, AT + 90_000)

    assert fields["state"] == "discarded at 2025-10-12T18:00:00Z: a test"
    assert (fields["refused_at"], fields["age"]) == ("2025-10-09T09:04:00Z", "90 s")
    assert fields["headers"][0] == {"name": "x", "text": None, "hex": "ff"}
    assert letter_fields(letter(b"x"), 9, AT)["state"] == "open"


def test_the_oldest_are_kept_in_order_and_all_are_counted():
    oldest = Oldest(2)
    for number in (5, 3, 9, 1, 7, 2):
        oldest.take(letter(b"x", number=number, at=AT + number))

    rows = listed(oldest.letters(), AT + 3_600_000)
    assert [row["offset"] for row in rows] == [1, 2]
    assert oldest.count == 6
    assert (rows[0]["age"], rows[0]["age_s"]) == ("59 min", 3599)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "0 s"), (119.9, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (200_000, "2 days")],
)
def test_an_age_is_said_as_people_say_it(seconds, text):
    assert age_text(seconds) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Réti ½", "Réti ½"), ("a\x1b[2Jb", "a\\x1b[2Jb"), ("a\nb", "a\\nb"), ("\u202eabc", "\\u202eabc")],
)
def test_what_would_steer_a_screen_is_escaped(text, shown):
    assert plain(text) == shown
