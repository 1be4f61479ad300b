"""States as a release wrote them, with what came before and after: one file for each format.

    python -m tests.engine.golden

writes the file of today's format anew. It refuses if the shape of a state is another one than in the file:
then the format must be raised first (`services/elowire/processor/state.py`), and the old file stays.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import orjson

from elowire.contracts.envelope import input_record
from elowire.processor.state import CODEC
from tests.oracle import readings
from tests.oracle.generator import Sizes, generate
from tests.stages.driver import Lane

FOLDER = Path(__file__).parents[1] / "data" / "states"
TABLES = ("tournament", "player")
STORY = 5, Sizes(tournaments=10, entrants=4, rounds=2, players=8)


class Sent(NamedTuple):
    """An input record of the story."""

    topic: str
    key: str
    value: str
    headers: list


def path_of(number):
    return FOLDER / f"format-{number}.json"


def story():
    """The input records, and how many of them come before the states are written."""
    sent = []
    for event_id, event in generate(*STORY):
        r = input_record(event, event_id=event_id, source="tests")
        headers = [[name, value.decode()] for name, value in r.headers]
        sent.append(Sent(r.topic, r.key.decode(), r.value.decode(), headers))
    return sent, len(sent) * 2 // 3


def feed(lane, sent):
    for topic, key, value, headers in sent:
        told = [(name, text.encode()) for name, text in headers]
        lane.append(topic, 0, key.encode(), value.encode(), told)
    return lane.run()


def said(lane):
    """What holds after all that a lane sent: each player's figures, each entrant's line."""
    topics = lane.read()
    lines = {"/".join(name): data for name, data in readings.lines(topics).items()}
    return json.loads(json.dumps({"figures": readings.figures(topics), "lines": lines}))


def states_of(lane):
    """{stage: {key: state}} as text; a key's parts are apart by U+001F, a state begins with its format."""
    return {
        part.stage.name: {key.decode(): state.decode() for key, state in sorted(part.table.items())}
        for part in lane.parts
        if part.stage.name in TABLES
    }


def resumed(states):
    """A lane whose tables were read from a changelog."""
    lane = Lane(seed=1)
    for part in lane.parts:
        part.absorb((key.encode(), state.encode()) for key, state in states.get(part.stage.name, {}).items())
    return lane


def record():
    """Today's file."""
    sent, before = story()
    lane = feed(Lane(seed=1), sent[:before])

    return {"before": sent[:before], "states": states_of(lane), "after": sent[before:]}


def shape(value):
    """What a state looks like without what it says: names, places, kinds."""
    match value:
        case dict():
            return {name: shape(part) for name, part in value.items()}
        case list():
            return [shape(part) for part in value]
        case _:
            return type(value).__name__


def shapes(states):
    return {
        (stage, key): (state[0], shape(orjson.loads(state[1:])))
        for stage, by_key in states.items()
        for key, state in by_key.items()
    }


def main():
    path, new = path_of(CODEC.format), json.loads(json.dumps(record()))
    if path.exists():
        old = json.loads(path.read_text())
        if old["before"] == new["before"] and shapes(old["states"]) != shapes(new["states"]):
            sys.exit(f"states have another shape than in {path.name}: raise the format in state.py first")
    path.write_text(json.dumps(new, ensure_ascii=True, indent=0) + "\n")


if __name__ == "__main__":
    main()
