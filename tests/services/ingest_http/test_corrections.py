"""An operator's word: outranks what passes through ingest, until it is released; then the source goes on."""

from __future__ import annotations

import json

import pytest

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import GameResult
from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.corrections import (
    OPERATORS_REVISION,
    CorrectionRefusedError,
    Entity,
    Standing,
    corrected_game,
    operators_revision,
    passage,
)
from elowire.ingest.corrections_store import corrections, held, hold, put_in_force, standing
from elowire.ingest.corrections_work import Desk, Word, put, release_entity
from elowire.runtime.settings import load_settings
from tests.services.ingest_http.door import GAME, event, open_door

GAME_1 = Entity("club-open", "game", "1.1")
ALICE = Word("alice", "both score sheets say so")


def copy(revision, result="1-0", event_id=None):
    data = GameResult.model_validate_json(json.dumps(GAME | {"revision": revision, "result": result}))
    return Decoded(event_id or f"e-{revision}", "elowire.game-result.v1", "club", None, data)


def test_what_a_correction_is_about_is_held_and_the_rest_is_sent():
    other = copy(3)._replace(data=copy(3).data.model_copy(update={"game_id": "1.2"}))
    passed = passage([copy(2), other], {GAME_1: Standing(in_force=True)})

    assert (passed.sent, passed.held) == ((other,), (copy(2),))


@pytest.mark.parametrize(
    ("revision", "sent"), [(6, 6), (7, 7), (8, 1001), (9, 1002), (2**63 - 1, 2**63 - 1)], ids=str
)
def test_after_a_release_the_source_goes_on_above_it_in_its_own_order(revision, sent):
    passed = passage([copy(revision)], {GAME_1: Standing(in_force=False, lifted_from=7, lifted_to=1000)})

    assert passed.sent[0].data.revision == sent


def test_an_operators_revision_is_above_every_time_and_exact_everywhere():
    assert operators_revision(5, 1_760_000_000_000) == OPERATORS_REVISION + 1_760_000_000_000 < 2**53
    assert operators_revision(2**52 + 2_000_000_000_000, 1) == 2**52 + 2_000_000_000_001


SAID = [
    (Result.DRAW, None, "1/2-1/2", "played"),
    (Result.UNKNOWN, None, "*", "ongoing"),
    (None, GameStatus.ANNULLED, "1-0", "annulled"),
    (Result.BLACK_WINS, GameStatus.FORFEIT, "0-1", "forfeit"),
    (None, GameStatus.ONGOING, "*", "ongoing"),
]


@pytest.mark.parametrize(("result", "status", "written", "became"), SAID)
def test_what_an_operator_may_say(result, status, written, became):
    game = corrected_game(copy(1).data, result=result, status=status, revision=9)

    assert (str(game.result), str(game.status), game.revision, game.white) == (
        written,
        became,
        9,
        copy(1).data.white,
    )


@pytest.mark.parametrize(
    ("result", "status", "word"),
    [(None, None, "neither"), (Result.UNKNOWN, GameStatus.PLAYED, "result")],
    ids=["nothing", "contradiction"],
)
def test_what_makes_no_sense_is_refused(result, status, word):
    with pytest.raises(CorrectionRefusedError, match=word):
        corrected_game(copy(1).data, result=result, status=status, revision=9)


@pytest.fixture
async def desk(door):
    """The desk behind the door; Kafka is the door's list."""
    return Desk(load_settings(), door.store, door.kafka.send, lambda: door.now)


async def corrected(desk, result=Result.DRAW, now=None):
    before = now or copy(1)
    game = corrected_game(
        before.data,
        result=result,
        status=None,
        revision=operators_revision(before.data.revision, desk.now_ms()),
    )
    await put(desk, GAME_1, before, game, ALICE)
    return game


def results(door):
    return [(one.data.revision, str(one.data.result)) for one in door.kafka.events()]


async def test_later_copies_change_nothing_until_the_release_and_then_the_newest_counts(door, desk):
    await door.send(event(1), "m-1")
    await corrected(desk)
    for revision, result in ((2, "0-1"), (4, "1-0"), (3, "0-1")):
        answer = await door.send(event(revision, {"revision": revision, "result": result}), f"m-{revision}")
        assert answer.json()["held_by_corrections"] == 1
    door.later(minutes=1)
    await release_entity(desk, GAME_1, Word("bob", "the arbiter has confirmed it"))
    door.later(minutes=1)
    await door.send(event(5, {"revision": 5, "result": "0-1"}), "m-5")
    sent = results(door)
    revisions = [revision for revision, _ in sent]
    (kept,) = corrections(door.store)

    assert [result for _, result in sent] == ["1-0", "1/2-1/2", "1-0", "0-1"]
    assert revisions == sorted(set(revisions))
    assert (kept.who, kept.why, kept.ended_by, kept.ended_why) == (
        "alice",
        "both score sheets say so",
        "bob",
        "the arbiter has confirmed it",
    )
    assert kept.ended > kept.at
    assert corrections(door.store, in_force=True) == []


async def test_the_record_itself_says_who_and_why(door, desk):
    await corrected(desk)
    headers = dict(door.kafka.records[0].headers)

    assert headers["ce_source"] == b"operator:alice"
    assert headers["elowire-why"] == b"both score sheets say so"


async def test_a_release_without_any_later_copy_gives_the_source_its_word_back(door, desk):
    await corrected(desk)
    await release_entity(desk, GAME_1, ALICE)

    assert [result for _, result in results(door)] == ["1/2-1/2", "1-0"]


async def test_a_correction_of_a_correction_replaces_it_and_both_are_kept(door, desk):
    first = await corrected(desk)
    door.later(seconds=1)
    await corrected(desk, Result.BLACK_WINS, copy(first.revision, "1/2-1/2"))
    old, new = corrections(door.store)

    assert (old.ended_why, new.ended) == ("replaced", None)
    assert held(door.store, GAME_1) == copy(1)


async def test_a_copy_that_comes_while_it_is_released_is_not_lost(door, desk):
    await corrected(desk)
    send, late = desk.send, [copy(8, "0-1")]

    async def with_a_late_copy(records):
        await send(records)
        if late:
            hold(door.store, [late.pop()])

    await release_entity(
        desk.__class__(desk.cluster, desk.store, with_a_late_copy, desk.clock), GAME_1, ALICE
    )

    assert results(door)[-1][1] == "0-1"
    assert standing(door.store, [GAME_1])[GAME_1].lifted_from == 8


async def test_what_is_not_in_force_cannot_be_released(desk):
    with pytest.raises(CorrectionRefusedError, match="in force"):
        await release_entity(desk, GAME_1, ALICE)


async def test_the_history_survives_a_restart(tmp_path):
    async with open_door(tmp_path) as door:
        put_in_force(door.store, GAME_1, copy(9).data, who="alice", why="so", at_ms=1)
    async with open_door(tmp_path, sources=()) as again:
        again.secrets["club"] = "unused"
        assert [one.who for one in corrections(again.store, in_force=True)] == ["alice"]


async def post(door, body, name, webhook_id="c-1"):
    content = json.dumps(body).encode()
    headers = {"content-type": "application/json", **door.signed(content, webhook_id, door.secrets[name])}
    return await door.client.post("/v1/corrections", content=content, headers=headers)


ASKED = {"tournament_id": "club-open", "game_id": "1.1", "result": "1/2-1/2", "by": "alice", "why": "so"}


async def test_by_http_an_operator_alone_may_correct(door):
    door.add("desk", operator=True)
    stranger = await post(door, ASKED, "club")
    nothing = await post(door, ASKED | {"release": True}, "desk")
    wrong = await post(door, ASKED | {"result": "2-0"}, "desk", "c-2")
    nobody = await post(door, {name: ASKED[name] for name in ("tournament_id", "game_id")}, "desk", "c-3")

    assert stranger.status_code == 403
    assert "--operator" in stranger.json()["detail"]
    assert (nothing.status_code, "in force" in nothing.json()["detail"]) == (422, True)
    assert (wrong.status_code, wrong.json()["field"]) == (400, "result")
    assert (nobody.status_code, nobody.json()["field"]) == (400, "by")


async def test_by_http_without_kafka_it_is_503(door):
    door.add("desk", operator=True)
    answer = await post(door, ASKED, "desk")

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
