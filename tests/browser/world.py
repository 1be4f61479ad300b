"""A small world of chess for the pages: real games under made-up names, through the real stages.

The games and ratings are those of the US Championship 2025 (see tests/data/events); beside it runs a club's
open with two players without a rating.
"""

from __future__ import annotations

import json
from pathlib import Path

from elowire.runtime.kafka import Record
from tests.oracle.events import entrant, game, published, tournament
from tests.stages.driver import Lane

EVENT = Path(__file__).parents[1] / "data" / "events" / "us-championship-2025.json"
CHAMPIONSHIP = "us-championship-2025"
CLUB = "club-open"
LEADER = "2020009"
ROUND = 9
"""The round that is being played."""

_NAMES = (
    "Ashdown, Robin", "Berg, Linus", "Castellanos, Iván", "Dvořák, Matěj", "Eriksen, Jon", "Farkas, Bence",
    "Grünwald, Felix", "Hidalgo, Noé", "Ionescu, Radu", "Jansen, Tom", "Køhler, Mads", "Lindqvist, Axel",
)  # fmt: skip
_FEDERATIONS = ("USA", "IND", "NOR", "CHN", "GER", "ESP", "ROU", "UZB", "NED", "FRA", "AZE", "POL")
_FAMILY = ("Abel", "Brandt", "Costa", "Duda", "Esposito", "Ferrer", "Georgescu", "Horn", "Ilić", "Jurić")
_GIVEN = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gaia", "Hugo", "Ida")
_FACTS = json.loads(EVENT.read_text())
PLAYERS = [str(player["fide_id"]) for player in _FACTS["players"]]
NAME_OF = dict(zip(PLAYERS, _NAMES, strict=True))


def lists():
    """Everybody's line in the list of October: the championship's players, and sixty others."""
    lines = []
    for place, player in enumerate(_FACTS["players"]):
        rating = player["published_rating"]
        lines.append(
            _line(
                str(player["fide_id"]),
                rating,
                name=_NAMES[place],
                federation="USA",
                title="GM",
                birth_year=1982 + 2 * place,
                rapid=_of(rating - 20 - 3 * place),
                blitz=_of(rating + 8 - 2 * place),
            )
        )
    for number in range(60):
        woman = number % 4 == 3
        rating = 2830 - 6 * number
        lines.append(
            _line(
                str(4_000_000 + number),
                rating,
                name=f"{_FAMILY[number % 10]}, {_GIVEN[number % 9]}",
                federation=_FEDERATIONS[number % 12],
                title="WGM" if woman else "GM" if number < 40 else "IM",
                birth_year=1965 + number % 47,
                rapid=_of(rating - 35 + number % 7),
                blitz=_of(rating - 12 + number % 11),
            )
        )

    return lines


def opening():
    """The championship and the club's open are announced, with their players."""
    said = [
        tournament(
            CHAMPIONSHIP,
            name="US Championship 2025",
            system="round-robin",
            starts_on="2025-10-12",
            ends_on="2025-10-24",
            rounds=11,
        )
    ]
    said += [
        entrant(
            player, facts["published_rating"], facts["k"], tournament_id=CHAMPIONSHIP, name=NAME_OF[player]
        )
        for player, facts in zip(PLAYERS, _FACTS["players"], strict=True)
    ]

    return said


def rounds(first, last):
    """The championship's games of some rounds, as they were played."""
    played = []
    for number, facts in enumerate(_FACTS["games"]):
        if first <= facts["round"] <= last:
            played.append(championship_game(number, facts["result"]))

    return played


def championship_game(number, result, *, revision=1, **more):
    """A game of the championship by its place in the file."""
    facts = _FACTS["games"][number]
    return game(
        f"{facts['round']}.{number % 6 + 1}",
        str(facts["white"]),
        str(facts["black"]),
        result,
        tournament_id=CHAMPIONSHIP,
        round=facts["round"],
        revision=revision,
        **more,
    )


def running():
    """The round that is being played: every game, without a result yet."""
    return [
        championship_game(number, "*")
        for number, facts in enumerate(_FACTS["games"])
        if facts["round"] == ROUND
    ]


def annulled(player, round_number):
    """A player's game of a round, taken back by its source."""
    (number,) = numbers_of(player, round_number)

    return championship_game(number, _FACTS["games"][number]["result"], revision=5, status="annulled")


def result_of(player, round_number, result, revision=2, **more):
    """A player's game of a round, with this result."""
    (number,) = numbers_of(player, round_number)

    return championship_game(number, result, revision=revision, **more)


def numbers_of(player, round_number):
    """The places in the file of a player's game of a round."""
    return [
        number
        for number, facts in enumerate(_FACTS["games"])
        if facts["round"] == round_number and int(player) in (facts["white"], facts["black"])
    ]


def corrected():
    """A result of round 3 that was sent wrong, and put right afterwards."""
    (number,) = numbers_of(LEADER, 3)
    right = _FACTS["games"][number]["result"]
    wrong = "0-1" if right != "0-1" else "1-0"

    return championship_game(number, wrong, revision=2), championship_game(number, right, revision=3)


def club():
    """An open of six, two of them without a rating, one not identified yet."""
    said = [
        tournament(CLUB, name="Club Open", starts_on="2025-10-18", ends_on="2025-10-26", rounds=5),
        *[entrant(str(4_000_050 + n), 2530 - 6 * n, 10, tournament_id=CLUB) for n in range(3)],
        entrant("90000001", tournament_id=CLUB, name="Newell, Kit", federation="ENG", unrated=True),
        entrant("90000002", tournament_id=CLUB, name="Nowak, Ola", federation="POL", unrated=True),
        entrant(None, tournament_id=CLUB, entrant_id="name:abel-ada", name="Abel, Ada", birth_year=1965),
    ]
    pairs = (
        (1, "4000050", "90000001", "1/2-1/2"), (1, "4000051", "90000002", "1-0"),
        (2, "4000051", "90000001", "0-1"), (2, "90000002", "4000052", "1/2-1/2"),
        (3, "90000001", "4000052", "1-0"), (3, "4000050", "4000051", "1-0"),
    )  # fmt: skip
    said += [
        game(f"{number}.{place}", white, black, result, tournament_id=CLUB, round=number)
        for place, (number, white, black, result) in enumerate(pairs)
    ]
    said.append(game("3.9", "90000002", {"entrant_id": "name:abel-ada"}, "1-0", tournament_id=CLUB, round=3))

    return said


def told(lane, *events):
    """Tell the stages, and give the records that came of it, inputs too, as a reader gets them."""
    before = {topic: len(lane.all(topic)) for topic in list(lane.topics)}
    first = sum(before.values())
    lane.feed([(f"e{first + place:06d}", event) for place, event in enumerate(events)])

    return [
        Record(record.topic, record.partition, record.offset, record.timestamp, *record[4:7])
        for topic in list(lane.topics)
        for record in lane.all(topic)[before.get(topic, 0) :]
    ]


def spoiled(lane, value, headers=(("ce_type", b"elowire.game-result.v1"),)):
    """Put a record into `game-results` that nobody can read."""
    before = len(lane.all("dead-letters"))
    lane.append("game-results", 0, b"club-open", value, list(headers))
    lane.run()

    return [
        Record(record.topic, record.partition, record.offset, record.timestamp, *record[4:7])
        for record in lane.all("dead-letters")[before:]
    ]


def lane():
    """The stages, with one partition."""
    return Lane()


def evening():
    """Everything up to round 9, which is being played: (the stages, the records)."""
    stages = lane()
    wrong, right = corrected()
    records = told(stages, *lists())
    records += told(stages, *opening(), *rounds(1, ROUND - 1))
    records += told(stages, wrong)
    records += told(stages, right)
    records += told(stages, *club(), *running())
    records += spoiled(stages, b'{"game_id": "4.1", "result": "won"}')

    return stages, records


def _line(player, rating, **facts):
    return published(player, "2025-10", rating, 10, 0, **facts)


def _of(rating):
    return {"rating": rating, "k": 10, "games": 0}
