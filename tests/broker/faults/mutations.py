# guards are inside
"""Guards of the engine, switched off one at a time: the checker must turn red with each of them."""

from __future__ import annotations

from contextlib import contextmanager

from elowire.processor import lane, tournament
from elowire.processor.changelog import Changelog
from elowire.processor.lane import Lane
from elowire.processor.lease import Lease
from elowire.processor.state import Codec


def mutate(name):
    """Switch off the guard `name` for good; nothing for the empty name."""
    if name:
        for owner, attribute, value in MUTATIONS[name]():
            setattr(owner, attribute, value)


@contextmanager
def switched_off(name):
    """Switch off the guard `name` for a while."""
    changes = MUTATIONS[name]()
    before = [(owner, attribute, getattr(owner, attribute)) for owner, attribute, _ in changes]
    try:
        for owner, attribute, value in changes:
            setattr(owner, attribute, value)
        yield
    finally:
        for owner, attribute, value in before:
            setattr(owner, attribute, value)


def last_write_wins():
    """Recovery takes the last record of a key, not the highest version, and repairs nothing."""

    def absorb(self, part, at, records):
        for record in records:
            part.table[record.key] = record.value
            part.stage.note(part.index, record.key, record.value)
        part.log = records[-1].offset

    return [(Changelog, "_absorb", absorb)]


def no_contiguity():
    """A foreign write to our changelog goes unnoticed."""
    write = Changelog.write

    async def alone(self, changes, advanced):
        for part in await write(self, changes, advanced):
            part.log = (await self._log.ends([part.changelog]))[part.changelog] - 1
        return []

    def none(self, parts, ends):
        return []

    return [(Changelog, "write", alone), (Changelog, "foreign", none)]


def changelog_first():
    """The state is durable before the outputs."""
    batch = Lane._make_durable

    async def swapped(self, work, repair):
        sink, held = self._sink, []

        class Swapped:
            async def send(_, writes):
                if any(at.topic.endswith("-changelog") for at in writes):
                    spans = await sink.send(writes)
                    self._probe("after barrier 1", "swapped")
                    while held:
                        await sink.send(held.pop(0))
                    return spans
                held.append(writes)
                return {}

        self._sink = self._changelog._sink = Swapped()
        try:
            await batch(self, work, repair)
            for outputs in held:
                await sink.send(outputs)
        finally:
            self._sink = self._changelog._sink = sink

    return [(Lane, "_make_durable", swapped)]


def commit_first():
    """The offset is committed before the state is durable."""
    batch = Lane._make_durable

    async def early(self, work, repair):
        positions = {source: source.next for by_source in work.values() for source in by_source}
        for by_source in work.values():
            for source, records in by_source.items():
                source.next = records[-1].offset + 1
        await self._lease.commit(self._all(), force=True)
        for source, position in positions.items():
            source.next = position
        await batch(self, work, repair)

    return [(Lane, "_make_durable", early)]


def no_second_emission():
    """A record that the table knows already is taken for sent."""
    merge = tournament._Batch._merge

    def quiet(self, *what):
        old, new, _ = merge(self, *what)
        return old, new, new is not None and (old is None or new["n"] > old["n"])

    return [(tournament._Batch, "_merge", quiet)]


def no_repair():
    """Stale keys are known and not written again."""
    recover = Changelog.recover

    async def forgetful(self, parts, still_ours):
        done = await recover(self, parts, still_ours)
        for part in parts:
            part.stale.clear()
        return done

    return [(Changelog, "recover", forgetful)]


def no_lease():
    """Whoever once owned a partition writes to its changelog, without asking again."""

    async def always(self, parts):
        return True

    return [(Lease, "held", always)]


def no_holes():
    """What a fetch brings is taken for what comes next."""

    def as_it_comes(part, source, records):
        return records

    return [(lane, "contiguous", as_it_comes)]


def counters_alone():
    """States are ordered by their counters, whatever their formats."""
    order = Codec.order

    def counter(self, raw):
        return order(self, raw)[0], 0

    return [(Codec, "order", counter)]


MUTATIONS = {
    "lww": last_write_wins,
    "nocontig": no_contiguity,
    "norepair": no_repair,
    "swap": changelog_first,
    "commitfirst": commit_first,
    "noreemit": no_second_emission,
    "nolease": no_lease,
    "noholes": no_holes,
    "formatless": counters_alone,
}
