"""What the bench's figures stand on: the peers' work, how a speed is counted, what a row says."""

from __future__ import annotations

import orjson
import pytest

from tests.bench.figures import Row, row, rows_of
from tests.bench.peers import ledger
from tests.bench.peers.job import Job, job_of
from tests.bench.peers.runs import require_right, speed

EVENTS = list(ledger.events(3_000))


def outputs_of(pairs):
    return [orjson.loads(value) for _, value in pairs]


@pytest.mark.parametrize("size", [1, 7, 500])
def test_the_work_is_the_same_in_batches_of_any_size(size):
    table, outputs = {}, []
    for at in range(0, len(EVENTS), size):
        emitted, states = ledger.apply(EVENTS[at : at + size], table)
        table.update(states)
        outputs += emitted

    assert (outputs, table) == ledger.apply(EVENTS, {})


def test_a_correction_replaces_its_game_and_a_repetition_is_nothing():
    def event(revision, score2):
        return b"p", orjson.dumps({"game": "g", "rev": revision, "opp": 1500, "score2": score2, "k": 20})

    outputs, _ = ledger.apply([event(0, 2), event(0, 2), event(1, 0)], {})

    assert [(one["version"], one["rating"]) for one in outputs_of(outputs)] == [
        (1, 15_000_000 + 100_000),
        (2, 15_000_000 - 100_000),
    ]


def test_a_peer_that_is_wrong_is_refused():
    right = outputs_of(ledger.apply(EVENTS, {})[0])
    require_right("good", right[:100], right)

    with pytest.raises(AssertionError, match=r"bad: 1 of 2 outputs are wrong, first .*'version': 1"):
        require_right("bad", [right[0], {**right[1], "rating": 0}], right)


def test_the_first_quarter_of_the_outputs_is_no_part_of_a_speed():
    slow_start = [0, 10_000, 10_000, 10_100, 10_100, 10_200, 10_200, 10_400]

    assert speed(slow_start) == 5 / 0.4


def test_a_job_comes_through_the_command_line():
    job = Job("127.0.0.1:1", "in", "out", "states", "group", 4, "/somewhere", "player")

    assert job_of(job.arguments()) == job


def test_a_row_is_the_median_with_its_spread_and_target():
    [one] = rows_of([{"start": (seconds, "s")} for seconds in (3.0, 1.0, 2.0)], {"start": "2 or less"})

    assert one == row("start", [3.0, 1.0, 2.0], "s", target="2 or less")
    assert " ".join(one.line().split()) == "start 2 s (1 to 3, 3 runs); target 2 or less"


def test_what_is_not_to_be_had_says_why():
    line = Row("Peer", None, "", note="not available: no network").line()

    assert " ".join(line.split()) == "Peer - not available: no network"
