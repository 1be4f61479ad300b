from __future__ import annotations

import pytest

from elowire.contracts.dead_letters import DeadLetterReason, Refused, dead_letter_headers, read_dead_letter
from elowire.contracts.resolutions import (
    Outcome,
    Resolution,
    Resolutions,
    digest_of,
    is_resolution,
    read_resolution,
    resolution_headers,
)

REFUSED = Refused(DeadLetterReason.NOT_JSON, "Expecting value: line 1 column 1", advice="Send JSON.")
LETTER_HEADERS = [("ce_id", b"7"), *dead_letter_headers(REFUSED, "game-results", 3, 1207, "1.0")]
LETTER = read_dead_letter(LETTER_HEADERS)
DIGEST = digest_of(b"open", b"not json")


def marker(outcome=Outcome.REPLAYED, **said):
    return resolution_headers(LETTER, DIGEST, outcome, **{"at": "2025-10-12T18:00:00Z", **said})


def without(headers, name):
    return [pair for pair in headers if pair[0] != name]


def test_a_marker_says_which_letter_what_became_of_it_when_and_why():
    found = read_resolution(marker(Outcome.DISCARDED, reason="a test record"))

    assert found == Resolution(
        "game-results/3/1207", DIGEST, Outcome.DISCARDED, "a test record", "2025-10-12T18:00:00Z"
    )


def test_a_marker_is_never_a_letter_and_a_letter_never_a_marker():
    assert is_resolution(marker())
    assert not is_resolution(LETTER_HEADERS)
    with pytest.raises(ValueError, match="elowire-reason"):
        read_dead_letter(marker(reason="because"))


def test_a_letter_that_pretends_to_be_a_marker_stays_a_letter():
    assert not is_resolution([*LETTER_HEADERS, *marker()])


@pytest.mark.parametrize(
    "name",
    [
        "elowire-topic",
        "elowire-partition",
        "elowire-offset",
        "elowire-resolution-digest",
        "elowire-resolved-at",
    ],
)
def test_a_marker_without_one_of_its_headers_is_refused_by_the_header_s_name(name):
    with pytest.raises(ValueError, match=name):
        read_resolution(without(marker(), name))


def test_a_marker_with_an_unknown_outcome_is_refused_with_the_known_ones():
    headers = [*without(marker(), "elowire-resolution"), ("elowire-resolution", b"forgotten")]

    with pytest.raises(ValueError, match="'forgotten': expected replayed or discarded"):
        read_resolution(headers)


def test_a_long_reason_is_cut():
    assert len(read_resolution(marker(reason="x" * 5000)).reason) == 1000


def test_a_letter_is_resolved_from_its_marker_on():
    resolutions = Resolutions(remember={LETTER.id})

    assert not resolutions.resolved(LETTER.id, DIGEST)
    assert resolutions.of(LETTER.id, DIGEST) is None
    resolutions.take(read_resolution(marker()))
    assert resolutions.resolved(LETTER.id, DIGEST)
    assert resolutions.of(LETTER.id, DIGEST).outcome is Outcome.REPLAYED


def test_other_bytes_at_the_same_place_are_another_letter():
    # Offsets begin again at 0 where a topic was made anew.
    resolutions = Resolutions()
    resolutions.take(read_resolution(marker()))

    assert not resolutions.resolved(LETTER.id, digest_of(b"open", b"other bytes"))
    assert not resolutions.resolved("game-results/3/1208", DIGEST)


def test_what_is_not_to_be_remembered_is_still_known_to_be_resolved():
    resolutions = Resolutions()
    resolutions.take(read_resolution(marker()))

    assert resolutions.resolved(LETTER.id, DIGEST)
    assert resolutions.of(LETTER.id, DIGEST) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((b"a", b"bc"), (b"ab", b"c")),
        ((None, b""), (b"", b"")),
        ((b"", None), (b"", b"")),
        ((b"-", b""), (None, b"")),
        ((b"1", b"2"), (b"2", b"1")),
    ],
)
def test_key_and_value_are_told_apart(one, other):
    assert digest_of(*one) != digest_of(*other)
