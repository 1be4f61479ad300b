"""When to try again: every row is a receiver's answer and what follows from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elowire.dispatch.schedule import (
    DELAYS_S,
    JITTER,
    LONGEST_RETRY_AFTER_S,
    Delivered,
    GiveUp,
    Gone,
    Outcome,
    Reply,
    RetryAt,
    decide_next,
    is_dead,
    outcome_of,
    places_now,
    retry_after_s,
)

NOW_MS = 1_760_000_000_000
DAY_S = 86_400


def answered(status, retry_after=None):
    return Reply(outcome_of(status), f"status {status}", status, retry_after)


def decided(attempts, reply, jitter=0.0):
    decision = decide_next(attempts, reply, now_ms=NOW_MS, jitter=jitter)
    if isinstance(decision, RetryAt):
        return (decision.due_ms - NOW_MS) / 1000, max(0, decision.rest_ms - NOW_MS) / 1000
    return decision


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "delivered"),
        (204, "delivered"),
        (299, "delivered"),
        (301, "redirect"),
        (308, "redirect"),
        (400, "client-error"),
        (404, "client-error"),
        (410, "gone"),
        (429, "throttled"),
        (500, "server-error"),
        (502, "throttled"),
        (503, "throttled"),
        (504, "throttled"),
        (199, "server-error"),
        (600, "server-error"),
    ],
)
def test_only_2xx_is_a_delivery(status, outcome):
    assert outcome_of(status) == outcome


@pytest.mark.parametrize(
    ("attempts", "reply", "jitter", "decision"),
    [
        pytest.param(1, answered(200), 0.5, Delivered(), id="delivered"),
        pytest.param(11, answered(204), 0.5, Delivered(), id="delivered-at-last"),
        pytest.param(1, answered(410), 0.5, Gone(), id="gone"),
        pytest.param(1, answered(500), 0.0, (5, 0), id="first-failure"),
        pytest.param(1, answered(500), 1.0, (6.25, 0), id="jitter-makes-longer"),
        pytest.param(10, answered(404), 0.0, (39_600, 0), id="last-pause"),
        pytest.param(11, answered(500), 0.0, GiveUp(), id="schedule-over"),
        pytest.param(3, Reply(Outcome.TIMEOUT, "hangs"), 0.0, (120, 0), id="no-answer"),
        pytest.param(1, answered(429), 0.0, (5, 5), id="throttled"),
        pytest.param(1, answered(429, "60"), 0.0, (60, 60), id="asks-for-a-minute"),
        pytest.param(1, answered(503, "60"), 1.0, (75, 60), id="a-minute-and-jitter"),
        pytest.param(5, answered(429, "1"), 0.0, (1_800, 1), id="never-sooner-than-the-schedule"),
        pytest.param(1, answered(429, "99999999"), 0.0, (DAY_S, DAY_S), id="asks-for-years"),
        pytest.param(1, answered(500, "60"), 0.0, (60, 0), id="asks-for-this-delivery-alone"),
        pytest.param(1, answered(429, "soon"), 0.0, (5, 5), id="asks-for-nonsense"),
    ],
)
def test_what_follows(attempts, reply, jitter, decision):
    assert decided(attempts, reply, jitter) == decision


def test_the_schedule_spans_a_day():
    assert DAY_S < sum(DELAYS_S) < sum(DELAYS_S) * (1 + JITTER) < 1.5 * DAY_S
    assert list(DELAYS_S) == sorted(DELAYS_S)


@given(
    st.integers(1, 30),
    st.sampled_from([302, 400, 404, 410, 429, 500, 503, 999]),
    st.none() | st.text(max_size=40) | st.integers(-10, 10**12).map(str),
    st.floats(0, 1),
)
def test_no_answer_makes_it_come_back_at_once_or_never(attempts, status, retry_after, jitter):
    decision = decide_next(attempts, answered(status, retry_after), now_ms=NOW_MS, jitter=jitter)
    if isinstance(decision, RetryAt):
        assert 5_000 <= decision.due_ms - NOW_MS <= LONGEST_RETRY_AFTER_S * 1000 * (1 + JITTER)
        assert decision.rest_ms <= decision.due_ms
    else:
        assert decision == (Gone() if status == 410 else GiveUp())
        assert status == 410 or attempts > len(DELAYS_S)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("0", 0),
        (" 120 ", 120),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("9" * 400, DAY_S),
        ("Thu, 09 Oct 2025 08:55:00 GMT", 100),
        ("Thu, 09 Oct 2025 08:00:00 GMT", 0),
        ("Thu, 09 Oct 2125 08:00:00 GMT", DAY_S),
        ("Thu, 99 Oct 2025 08:00:00 GMT", None),
        ("٣", None),
    ],
)
def test_retry_after_as_seconds_or_as_a_date(text, seconds):
    assert retry_after_s(text, NOW_MS) == seconds


@pytest.mark.parametrize(
    ("failing_for_s", "dead"), [(None, False), (0, False), (DAY_S, False), (sum(DELAYS_S), True)]
)
def test_an_endpoint_is_dead_after_a_schedule_without_any_success(failing_for_s, dead):
    since = None if failing_for_s is None else NOW_MS - failing_for_s * 1000
    assert is_dead(since, NOW_MS) is dead


def test_an_endpoint_that_fails_again_and_again_is_probed_by_one_request():
    assert [places_now(4, failures) for failures in (0, 2, 3, 1000)] == [4, 4, 1, 1]
