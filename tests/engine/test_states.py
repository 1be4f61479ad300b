"""States as they are written: every format that was ever written is read, none from the future, and a change
of the form has a number.
"""

from __future__ import annotations

import asyncio
import json

import orjson
import pytest
from aiokafka.structs import TopicPartition

from elowire.processor.player import PlayerStage
from elowire.processor.state import CODEC, Codec, UnknownFormatError
from elowire.processor.tournament import TournamentStage
from tests.engine import golden
from tests.fakes.member import Member, Stopped
from tests.fakes.world import World
from tests.oracle.generator import generate
from tests.oracle.oracle import expect
from tests.oracle.readings import differences
from tests.stages.driver import Lane

FILES = {path.stem: json.loads(path.read_text()) for path in sorted(golden.FOLDER.glob("format-*.json"))}
TODAY = FILES[f"format-{CODEC.format}"]


def ends(kept, states):
    """What is said before, what is said after by who begins with `states`, and in the end without a break."""
    before, after = ([golden.Sent(*sent) for sent in kept[part]] for part in ("before", "after"))
    whole = golden.feed(Lane(seed=1), before)
    said = golden.said(whole)
    found = golden.said(golden.feed(golden.resumed(states), after))
    return said, found, golden.said(golden.feed(whole, after))


@pytest.mark.parametrize("kept", FILES.values(), ids=FILES)
def test_states_of_every_format_are_read_and_go_on_to_the_same_figures(kept):
    said, found, in_the_end = ends(kept, kept["states"])

    for what, expected in in_the_end.items():
        assert found[what].keys() & said[what].keys()  # the story goes on with whom it began
        assert {**said[what], **found[what]} == expected


@pytest.mark.parametrize("kept", FILES.values(), ids=FILES)
def test_without_its_states_the_story_ends_otherwise(kept):
    """What makes the test above able to fail."""
    said, found, in_the_end = ends(kept, {})

    assert {**said["figures"], **found["figures"]} != in_the_end["figures"]


def test_the_story_ends_as_one_pass_has_it():
    events = list(generate(*golden.STORY))

    assert differences(Lane(seed=1).feed(events).read(), expect(events)) == []


def test_every_kind_of_state_and_every_member_is_in_the_story():
    accounts = [orjson.loads(state[1:]) for state in TODAY["states"]["player"].values()]
    tournaments = [
        (key.split("\x1f"), orjson.loads(state[1:])) for key, state in TODAY["states"]["tournament"].items()
    ]
    games = [state["g"] for _, state in tournaments if "g" in state]

    assert {name for account in accounts for name, part in account.items() if part} == set("svLESRPF")
    assert {kind for (_, kind, *_), _ in tournaments} == {"t", "e", "g"}
    assert {type(colour) for row in games for colour in row[8:10]} == {str, list, type(None)}
    assert {n for row in games for n, said in enumerate(row) if said} >= {0, 1, 2, 4, 8, 9, 10, 13, 14, 15}
    assert all(any(state.get(name) for _, state in tournaments) for name in ("sides", "old", "was", "wu"))


def test_the_written_form_is_that_of_its_number():
    """If this fails: raise the number in `state.py`, add the way to it, then see tests/data/states."""
    assert golden.shapes(golden.record()["states"]) == golden.shapes(TODAY["states"])


def test_the_same_story_gives_the_same_bytes():
    """If this fails and not the test above, figures changed: run `python -m tests.engine.golden`."""
    assert json.loads(json.dumps(golden.record())) == TODAY


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda state: state | {"new": 1}, id="member-more"),
        pytest.param(lambda state: {n: v for n, v in state.items() if n != "L"}, id="member-less"),
        pytest.param(lambda state: state | {"v": "1"}, id="another-kind"),
        pytest.param(lambda state: state | {"E": [[*entry, 0] for entry in state["E"]]}, id="longer-row"),
    ],
)
def test_a_change_of_the_form_is_seen(change):
    states = {"player": {}}
    for key, state in TODAY["states"]["player"].items():
        states["player"][key] = state[0] + orjson.dumps(change(orjson.loads(state[1:]))).decode()

    assert golden.shapes(states) != golden.shapes({"player": TODAY["states"]["player"]})


# From the future.


@pytest.mark.parametrize(
    "stage", [TournamentStage(partitions=1), PlayerStage(partitions=1)], ids=lambda s: s.name
)
@pytest.mark.parametrize("first", ["", "known"])
async def test_a_state_from_the_future_is_refused_at_the_start(stage, first):
    """It is not taken for empty, not even for the first one of its key."""
    [key, state, *_] = next(iter(TODAY["states"][stage.name].items()))
    world = World([*stage.sources, stage.changelog], 1)
    at = TopicPartition(stage.changelog, 0)
    if first:
        world.append(at, key.encode(), state.encode())
    world.append(at, key.encode(), bytes([CODEC.format + 1]) + state.encode()[1:])
    member = Member(world, [stage])
    member.join()
    async with asyncio.timeout(2):
        with pytest.raises(Stopped) as ended:
            await member.task

    assert ended.value.args[0] == (
        f"{stage.changelog}/0 at {len(first) // 5}: a state begins with format {CODEC.format + 1}, and this "
        f"release reads formats up to {CODEC.format}: it was written by a newer release, so "
        "run that one, or a newer one still"
    )


@pytest.mark.parametrize("raw", [b"", b"\x00{}", bytes([CODEC.format + 1]) + b"{}", b"\xff", b'{"s":1}'])
def test_what_is_no_state_is_refused(raw):
    for read in (CODEC.decode, CODEC.order):
        with pytest.raises(UnknownFormatError):
            read(raw)


# From the past.


def third(state):
    return {**state, "steps": [*state["steps"], 3]}


UPGRADES = {1: lambda state: {"s": state["s"], "steps": [2]}, 2: third}


def test_an_older_state_is_upgraded_step_by_step_when_it_is_read():
    codec = Codec(3, UPGRADES)

    assert codec.decode(b'\x01{"s":7,"x":1}') == {"s": 7, "steps": [2, 3]}
    assert codec.decode(b'\x02{"s":7,"steps":[]}') == {"s": 7, "steps": [3]}
    assert codec.decode(b'\x03{"s":7,"steps":[]}') == {"s": 7, "steps": []}
    assert codec.encode(codec.decode(b'\x01{"s":7}')) == b'\x03{"s":7,"steps":[2,3]}'


def test_the_counter_decides_before_the_format():
    codec = Codec(3, UPGRADES)
    states = [b'\x03{"s":1}', b'\x01{"s":2}', b'\x02{"s":2,"x":0}', b'\x01{"s":10,"x":0}']

    assert sorted(states, key=codec.order) == states
