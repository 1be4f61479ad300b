"""The comparison behind `elowire verify`, on what the stages wrote under crashes and late processes.

Whatever went wrong on the way, what stands in the topics in the end is equal to what the inputs say; and what
was never written, or written otherwise, is found.
"""

from __future__ import annotations

from collections import Counter

import orjson
import pytest

from elowire.processor.replay import Fact, fact_of, output_of
from elowire.processor.replay_cut import Cut, Span
from elowire.processor.replay_facts import Facts
from elowire.processor.verification import Verification
from tests.oracle.generator import Sizes, generate, shuffled
from tests.stages.driver import Faults, Lane

SMALL = Sizes(tournaments=12, entrants=8, rounds=5, players=40)
TOPICS = (
    "tournament-events",
    "game-results",
    "rating-lists",
    "player-events",
    "live-ratings",
    "rated-games",
    "reconciliations",
    "tournament-ratings",
)
PARTITIONS = 2
ROUGH = Faults(crash=0.1, drop=0.05, zombie=0.1)


class MemoryReader:
    """The spans of a lane's topics; `first` hides the beginning of some."""

    def __init__(self, lane):
        self.topics = {name: [list(log) for log in lane.topics[name]] for name in TOPICS}

    async def read(self, topic, partition, first, end):
        if found := self.topics[topic][partition][first:end]:
            yield found

    def cut(self, *, behind=0, forgotten=0):
        """Everything, with `behind` inputs not committed, `forgotten` records of each player log gone."""
        spans = {}
        for name, logs in self.topics.items():
            for number, log in enumerate(logs):
                first = min(forgotten, len(log)) if name == "player-events" else 0
                late = behind if name in {"game-results", "tournament-events"} else 0
                spans[name, number] = Span(first, max(first, len(log) - late), len(log))
        return Cut(spans, PARTITIONS)


async def report_of(reader, **options):
    with Facts() as facts:
        work = Verification("", reader.cut(**options), reader, facts, lambda _: None)
        for number in range(PARTITIONS):
            await work.compare_tournaments(number)
        for number in range(PARTITIONS):
            await work.compare_players(number)
    return work.report


def worked(seed, faults=ROUGH):
    return Lane(partitions=PARTITIONS, seed=seed, faults=faults).feed(shuffled(generate(seed, SMALL), seed))


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_happened_on_the_way_all_is_equal_in_the_end(seed):
    report = await report_of(MemoryReader(worked(seed)))
    assert report.differences == []
    assert report.lag == report.left_out == 0
    assert min(report.ratings, report.sides, report.facts, report.lines) > 10


@pytest.mark.parametrize("seed", range(6))
async def test_whoever_is_not_touched_by_what_is_left_is_equal(seed):
    report = await report_of(MemoryReader(worked(seed)), behind=3)
    assert report.differences == []
    assert report.lag
    assert report.left_out


@pytest.mark.parametrize("seed", range(6))
async def test_figures_follow_without_the_beginning_of_the_logs(seed):
    report = await report_of(MemoryReader(worked(seed)), forgotten=40)
    assert report.differences == []
    assert report.without_versions == [0, 1]


@pytest.mark.parametrize("topic", ["player-events", "live-ratings", "rated-games"])
async def test_a_lost_record_is_found(topic):
    """What holds and was said once; what is said again, or came when it was superseded, is not lost."""
    reader = MemoryReader(worked(0, Faults()))
    log = reader.topics[topic][0]
    said = Counter((record.key, record.value) for record in log)
    holding = {}
    for at, record in enumerate(log):
        fact = fact_of(record.value) if topic == "player-events" else Fact("", [at])
        if fact.rank > holding.get((record.key, fact.name), ([], 0))[0]:
            holding[record.key, fact.name] = (fact.rank, at)
    once = sorted(at for _, at in holding.values() if said[log[at].key, log[at].value] == 1)
    assert len(once) > 5
    for at in once[:: max(1, len(once) // 12)]:
        kept, log[at] = log[at], log[at]._replace(key=b"elsewhere", value=b"{}")
        assert (await report_of(reader)).differences, f"record {at} of {topic}: {kept}"
        log[at] = kept


async def test_a_wrong_line_of_a_tournament_is_found():
    reader = MemoryReader(worked(0, Faults()))
    log = reader.topics["tournament-ratings"][0]
    newest = {}
    for at, record in enumerate(log):
        line = output_of("tournament-ratings", record.key, record.headers, record.value)
        if line.counter > newest.get(line.key, (0, 0))[0]:
            newest[line.key] = (line.counter, at)
    assert len(newest) > 10
    for name, (_, at) in list(newest.items())[::8]:
        kept = log[at]
        log[at] = kept._replace(value=orjson.dumps(orjson.loads(kept.value) | {"points": "99"}))
        (difference,) = (await report_of(reader)).differences
        assert (difference.topic, difference.name) == ("tournament-ratings", name.decode())
        assert '"99"' in difference.found
        log[at] = kept


async def test_a_lost_and_a_wrong_reconciliation_are_found():
    reader = MemoryReader(worked(3, Faults()))
    log = reader.topics["reconciliations"][0]
    assert len(log) > 2
    assert (await report_of(reader)).reconciliations > 2
    wrong = log[0]._replace(value=orjson.dumps(orjson.loads(log[0].value) | {"list": "2020-01"}))
    lost = log.pop(1)
    log[0] = wrong
    found = {difference.name: difference.found for difference in (await report_of(reader)).differences}
    assert len(found) == 2
    assert 'list "2020-01"' in found.values()
    assert found[dict(lost.headers)["ce_id"].decode().replace(":", "/")] == "nothing"
