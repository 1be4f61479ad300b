"""Who had White: said with every game, put right with it, and unknown where a record does not say it."""

from __future__ import annotations

import orjson
import pytest

from elowire.processor.player import PlayerStage
from elowire.processor.replay import Output, is_told
from elowire.processor.replay_compare import OF_THE_ORDER, Newest
from elowire.processor.stage import Record
from tests.oracle.events import entrant, game, tournament
from tests.stages.scene import Scene

TWO = (entrant("1", 2000, 20), entrant("2", 2000, 20))


def begun():
    return Scene().say(tournament(), *TWO)


def colours(scene, *players):
    return [scene.rated_game(player, "g").get("colour") for player in players]


@pytest.mark.parametrize("status", ["played", "forfeit", "annulled", "ongoing"])
def test_each_side_says_its_colour(status):
    result = "*" if status == "ongoing" else "0-1"
    scene = begun().say(game("g", "2", "1", result, status=status))

    assert colours(scene, "1", "2") == ["black", "white"]
    scene.holds()


def test_who_had_nobody_opposite_had_no_colour():
    scene = begun().say(game("g", "1", None, "1-0", status="bye"))

    assert "colour" not in scene.rated_game("1", "g")
    scene.holds()


def test_colours_that_are_put_right_are_said_and_move_no_figure():
    scene = begun().say(game("g", "1", "2", "1-0"))
    scene.say(game("g", "2", "1", "0-1", revision=2))

    assert colours(scene, "1", "2") == ["black", "white"]
    assert (scene.change("1"), scene.version("1"), scene.version("2")) == ("10.00", 1, 1)
    scene.holds()


def test_a_repeated_result_says_no_colour_again():
    scene = begun().say(game("g", "1", "2", "1-0"))
    before = len(scene.lane.read()["rated-games"])
    scene.say(game("g", "1", "2", "1-0", revision=2))

    assert len(scene.lane.read()["rated-games"]) == before


# Records and states from before there were colours.


def sent():
    scene = begun().say(game("g", "1", "2", "1-0"))
    return [record for record in scene.lane.read()["player-events"] if b'"t":"side"' in record.value]


def without_colour(value):
    event = orjson.loads(value)
    del event["cl"]
    return orjson.dumps(event)


def taken(value, key, table):
    stage = PlayerStage(partitions=1)
    effects = stage.apply([Record("player-events", 0, 0, 0, key, value, ())], table, stage.new_index(), 0)
    table.update(effects.puts)
    return [orjson.loads(emit.value) for emit in effects.emits]


def test_an_old_record_is_read_and_its_colour_is_left_out():
    record = sent()[0]
    table = {}

    *_, said = taken(without_colour(record.value), record.key, table)
    assert "colour" not in said
    assert said["points"] == "1"
    newer = orjson.loads(record.value)
    newer["r"][1] += 1
    [said] = taken(orjson.dumps(newer), record.key, table)
    assert (said["colour"], said["version"]) == ("white", 1)


def test_an_old_log_says_what_the_inputs_say():
    for record in sent():
        assert is_told(record.value, record.value)
        assert is_told(record.value, without_colour(record.value))
        assert not is_told(without_colour(record.value), record.value)
        assert not is_told(record.value, without_colour(record.value)[:-1])
    assert not is_told(b"{}", b"{}}")


@pytest.mark.parametrize(
    ("published", "differing"),
    [({"points": "1"}, []), ({"points": "1", "colour": "white"}, []), ({"points": "0"}, ['points "1"'])],
    ids=["without", "with", "another-figure"],
)
def test_what_was_published_without_a_colour_is_compared_without_it(published, differing):
    newest = Newest("rated-games", OF_THE_ORDER)
    newest.expect(Output("rated-games", b"1/t:g", 1, orjson.dumps({"points": "1", "colour": "white"})))
    newest.meet(Output("rated-games", b"1/t:g", 1, orjson.dumps(published)))

    assert [found.expected for found in newest.differences({})] == differing


def test_another_colour_differs():
    newest = Newest("rated-games", OF_THE_ORDER)
    newest.expect(Output("rated-games", b"1/t:g", 1, b'{"colour":"white"}'))
    newest.meet(Output("rated-games", b"1/t:g", 1, b'{"colour":"black"}'))

    assert [found.found for found in newest.differences({})] == ['colour "black"']
