"""What stands in the output topics, and how it differs from what it must come to.

`topics` is {name without prefix: records, partition by partition in the order of offsets} throughout.
"""

from __future__ import annotations

from collections import defaultdict

import orjson

# Members of a rated game that follow from the order of arrival, or are explained from the others.
ORDERED = frozenset({"version", "article"})


def data_of(topics, topic):
    """Every event of a topic as plain data."""
    return [orjson.loads(record.value) for record in topics[topic]]


def live_ratings(topics):
    """{player: the data of his highest version}."""
    found = {}
    for data in data_of(topics, "live-ratings"):
        if data["version"] >= found.get(data["player_id"], data)["version"]:
            found[data["player_id"]] = data
    return found


def figures(topics):
    """{player: {time control: figures without what was before}}, of the highest versions."""
    return {
        player: {
            control: {name: value for name, value in data[control].items() if name != "previous"}
            for control in ("standard", "rapid", "blitz")
            if data.get(control) is not None
        }
        for player, data in live_ratings(topics).items()
    }


def rated_games(topics):
    """{player: {tournament:game: the newest rated game}}; its id ends in the account's counter."""
    found = defaultdict(dict)
    for record in topics["rated-games"]:
        data = orjson.loads(record.value)
        counter = int(dict(record.headers)["ce_id"].rpartition(b":")[2])
        game = f"{data['tournament_id']}:{data['game_id']}"
        newest, _ = found[data["player_id"]].get(game, (0, None))
        if counter >= newest:
            kept = {name: value for name, value in data.items() if name not in ORDERED}
            found[data["player_id"]][game] = (counter, kept)
    return {player: {game: data for game, (_, data) in games.items()} for player, games in found.items()}


def lines(topics):
    """{(tournament, entrant): the line of the highest revision}."""
    found = {}
    for data in data_of(topics, "tournament-ratings"):
        name = data["tournament_id"], data["entrant_id"]
        if data["revision"] >= found.get(name, data)["revision"]:
            found[name] = data
    return {name: {k: v for k, v in data.items() if k != "revision"} for name, data in found.items()}


def dead_letters(topics):
    """{topic/partition/offset of the refused record: reason}."""
    found = {}
    for record in topics["dead-letters"]:
        said = {name.removeprefix("elowire-"): value.decode() for name, value in record.headers}
        found[f"{said['topic']}/{said['partition']}/{said['offset']}"] = said["reason"]
    return found


def differences(topics, expected):
    """Everything in which the outputs differ from the one-pass calculation, as (key, sentence)."""
    return [
        *_figures(figures(topics), expected),
        *_sides(rated_games(topics), expected),
        *_lines(lines(topics), expected),
    ]


def _figures(found, expected):
    for player in sorted(expected.figures.keys() | found.keys()):
        want, got = expected.figures.get(player, {}), found.get(player)
        if got is None and (player not in expected.asked or not want):
            continue
        if got != want:
            yield player.encode(), f"figures of {player}: expected {want}, published {got}"


def _sides(found, expected):
    for player in sorted(expected.sides.keys() | found.keys()):
        want, got = expected.sides.get(player, {}), found.get(player, {})
        for game in sorted(want.keys() | got.keys()):
            mine, theirs = want.get(game), got.get(game)
            if mine is None:
                if theirs["refusal"] != "withdrawn":
                    yield player.encode(), f"side {player} {game}: nobody's, published {theirs}"
            elif theirs != mine and not _forgotten(mine, theirs):
                yield player.encode(), f"side {player} {game}: expected {mine}, published {theirs}"


def _forgotten(mine, theirs):
    """A settled game of a cap-once tournament is explained as it was when it was settled."""
    drop = {"delta", "expectancy", "counted_difference"}
    return (
        mine["status"] == "settled"
        and theirs is not None
        and all(mine[name] == theirs[name] for name in mine if name not in drop)
    )


def _lines(found, expected):
    for name in sorted(expected.lines.keys()):
        if expected.lines[name] != found.get(name):
            told = f"line {name}: expected {expected.lines[name]}, published {found.get(name)}"
            yield name[0].encode(), told
