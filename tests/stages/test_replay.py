"""The comparison behind `elowire verify`, on what the stages wrote under crashes and late processes.

Whatever went wrong on the way, what stands in the topics in the end is equal to what the inputs say; and what
was never written, or written otherwise, is found.
"""

from __future__ import annotations

from collections import Counter

import pytest

from elowire.processor.replay import Fact, fact_of
from elowire.processor.replay_facts import Facts
from elowire.processor.verification import Cut, Span, Verification
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
            await work.take_inputs(number)
        for number in range(PARTITIONS):
            await work.compare(number)
    return work.report


def worked(seed, faults=ROUGH):
    return Lane(partitions=PARTITIONS, seed=seed, faults=faults).feed(shuffled(generate(seed, SMALL), seed))


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_happened_on_the_way_all_is_equal_in_the_end(seed):
    report = await report_of(MemoryReader(worked(seed)))
    assert report.differences == []
    assert report.lag == report.left_out == 0
    assert min(report.ratings, report.sides, report.facts) > 10


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
