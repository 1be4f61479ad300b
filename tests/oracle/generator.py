"""Seeded streams of input events: tournaments of several kinds, and everything that goes wrong on the way.

The same seed and sizes give the same events. They come in a plausible order of arrival that is only nearly
that of the facts; `shuffled` gives any other order.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import NamedTuple

from elowire.contracts.events import (
    Entrant,
    GameResult,
    PublishedRating,
    ReportedChange,
    Tournament,
)
from tests.oracle.events import parsed
from tests.oracle.winners import Given

PLAYED = ("1-0", "0-1", "1/2-1/2")
UNUSUAL = ("0-0", "1/2-0", "0-1/2")


class Sizes(NamedTuple):
    """How much of everything; `trouble` scales every kind of disturbance (0: a stream without any)."""

    tournaments: int = 12
    entrants: int = 10
    rounds: int = 6
    players: int = 60
    lists: bool = True
    trouble: float = 1.0


class Kind(NamedTuple):
    """One kind of tournament. `facts` says whether entrants are sent or figures stand beside the games."""

    name: str
    time_control: str = "standard"
    system: str = "swiss"
    edition: str | None = None
    starts_on: date = date(2025, 10, 6)
    facts: bool = True
    unrated: float = 0.1
    rated: bool = True


KINDS = (
    Kind("open-2025"),
    Kind("newcomers-2024", edition="2024-03", unrated=0.4, starts_on=date(2025, 9, 3)),
    Kind("rapid-2025", "rapid", starts_on=date(2025, 10, 20)),
    Kind("cap-once-2022", edition="2022-01", unrated=0.0, starts_on=date(2025, 11, 4)),
    Kind("draft-2009", system="round-robin", edition="2009-draft", unrated=0.3, starts_on=date(2025, 11, 10)),
    Kind("printed", facts=False, starts_on=date(2025, 10, 28)),
    Kind("round-robin-2009", system="round-robin", edition="2009-07", unrated=0.3),
    Kind("blitz-2025", "blitz", starts_on=date(2025, 11, 1)),
    Kind("settled", starts_on=date(2025, 8, 2), unrated=0.0),
    Kind("friendly", rated=False),
    Kind("match", system="match", starts_on=date(2025, 10, 15)),
    Kind("cap-once-rapid", "rapid", edition="2022-01", starts_on=date(2023, 2, 1), unrated=0.0),
)


class Made(NamedTuple):
    """An event and when it arrives."""

    at: float
    given: Given


DEFAULT = Sizes()


def generate(seed, sizes=DEFAULT):
    """Return the events, pairs of (event id, event), in their order of arrival."""
    return [made.given for made in sorted(_Stream(seed, sizes).make(), key=lambda made: made.at)]


def shuffled(events, seed):
    """Return the same events in another order."""
    events = list(events)
    random.Random(seed).shuffle(events)
    return events


class _Stream:
    def __init__(self, seed, sizes):
        self.random, self.sizes, self.seed = random.Random(seed), sizes, seed
        self.made, self.count = [], 0
        self.ratings = {}
        for number in range(sizes.players):
            strong = self.random.random() < 0.15
            rating = self.random.randint(2590, 2800) if strong else self.random.randint(1400, 2500)
            self.ratings[str(1000 + number)] = rating

    def make(self):
        for number in range(self.sizes.tournaments):
            self._tournament(number, KINDS[number % len(KINDS)])
        if self.sizes.lists:
            self._lists()
        for player in self._some(0.2):
            self._reported(player)
        return self.made

    # -- arrival -------------------------------------------------------------------------------------------

    def _chance(self, share):
        return self.random.random() < share * self.sizes.trouble

    def _some(self, share):
        return [player for player in self.ratings if self.random.random() < share]

    def _give(self, at, model, facts, **more):
        self.count += 1
        event = parsed(model, facts | more)
        given = Given(f"e{self.seed}-{self.count:06d}", event)
        self.made.append(Made(at, given))
        if self._chance(0.03):
            self.made.append(Made(at + self.random.random() * 3, given))
        if self._chance(0.01):  # the same content under another event id
            self.made.append(Made(at + self.random.random(), Given(f"{given.event_id}-again", event)))

    # -- tournaments ---------------------------------------------------------------------------------------

    def _tournament(self, number, kind):
        at = number * 0.5
        tid = f"t{self.seed}-{number}-{kind.name}"
        facts = {
            "tournament_id": tid,
            "name": f"Event {number}",
            "time_control": kind.time_control,
            "system": kind.system,
            "starts_on": kind.starts_on,
            "ends_on": kind.starts_on + timedelta(days=8),
            "rated": kind.rated,
            "edition": kind.edition,
        }
        if kind.starts_on.year < 2025:
            facts["rated_in"] = "2025-11"
        announced = at + (9 if self._chance(0.15) else 0)  # unknown for long
        self._give(announced, Tournament, facts, revision=1, status="running")
        if self._chance(0.3):
            periods = ["2025-10", "2025-11", "2025-12", facts.get("rated_in")]
            facts["rated_in"] = self.random.choice(periods)
            self._give(at + self.random.random() * 12, Tournament, facts, revision=2, status="running")
        if self._chance(0.1):
            facts["ends_on"] += timedelta(days=30)
        status = "cancelled" if self._chance(0.06) else "finished"
        self._give(at + 8 + self.random.random(), Tournament, facts, revision=3, status=status)
        if status == "finished" and self._chance(0.2):
            self._give(at + 9 + self.random.random(), Tournament, facts, revision=4, status="running")
            if self._chance(0.6):
                self._give(at + 10 + self.random.random(), Tournament, facts, revision=5, status="finished")
        entries = self._entries(tid, kind, at)
        if self._chance(0.3):
            self._swap(tid, at, entries)
        self._games(tid, kind, at, entries)

    def _swap(self, tid, at, entries):
        """Two entrants turn out to be each other."""
        named = [entry for entry in entries if entry[0] is not None]
        if len(named) < 2:
            return
        one, other = self.random.sample(named, 2)
        for (entrant, *_), (_, player, rating, k) in ((one, other), (other, one)):
            facts = {
                "tournament_id": tid,
                "entrant_id": entrant,
                "player_id": player,
                "rating": rating,
                "unrated": rating is None,
                "k": k,
            }
            self._give(at + self.random.random() * 8, Entrant, facts, revision=6)

    def _entries(self, tid, kind, at):
        """Return [(entrant id or None, player id, rating, K)]; the last two are kept for corrections."""
        size = min(self.sizes.entrants + 2, len(self.ratings))
        players = self.random.sample(sorted(self.ratings), size)
        entries = []
        for place, player in enumerate(players):
            unrated = self.random.random() < kind.unrated
            rating = None if unrated else self._rating(player)
            k = self.random.choice([10, 20, 40, None])
            entrant = f"n{place}" if self.random.random() < 0.5 else None
            entries.append((entrant, player, rating, k))
            if kind.facts:
                self._entrant(tid, at, entries[-1], unrated)
        return entries

    def _rating(self, player):
        return max(1000, min(2900, self.ratings[player] + self.random.randint(-30, 30)))

    def _entrant(self, tid, at, entry, unrated):
        entrant, player, rating, k = entry
        late = at + (self.random.random() * 7 if self._chance(0.15) else -0.1)
        facts = {
            "tournament_id": tid,
            "entrant_id": entrant,
            "player_id": player,
            "rating": rating,
            "unrated": unrated,
            "k": k,
            "name": f"Player {player}",
            "birth_year": self.random.choice([None, 1980, 2010]),
            "games_played": self.random.choice([None, 12, 300]),
            "rating_list": self.random.choice([None, "2025-09", "2025-10"]),
            "source": self.random.choice([None, "list", "arbiter"]),
            "override": self.random.random() < 0.1,
        }
        if entrant is not None and self._chance(0.15):
            unknown = {**facts, "player_id": None}
            self._give(late, Entrant, unknown, revision=1)
            late += self.random.random() * 6
        if self._chance(0.1):
            vague = {**facts, "rating": None, "unrated": False}
            self._give(late - 0.05, Entrant, vague, revision=1)
        self._give(late, Entrant, facts, revision=2)
        if self._chance(0.1):  # corrected facts, maybe before the original
            better = {**facts, "rating": self._rating(player), "unrated": False}
            if self._chance(0.2):
                better |= {"rating": None, "unrated": True}
            self._give(late + self.random.uniform(-0.3, 8), Entrant, better, revision=3)
            facts = better
        self._identities(tid, late, facts)

    def _identities(self, tid, late, facts):
        entrant = facts["entrant_id"]
        if entrant is not None and self._chance(0.06):  # it was somebody else
            other = f"x:{tid}-{entrant}"
            self._give(late + self.random.random() * 8, Entrant, {**facts, "player_id": other}, revision=4)
            if self._chance(0.3):
                self._give(late + self.random.random() * 9, Entrant, facts, revision=5)

    def _games(self, tid, kind, at, entries):
        playing, reserve = entries[:-2], entries[-2:]
        for number in range(1, self.sizes.rounds + 1):
            order = playing[:]
            self.random.shuffle(order)
            free = reserve[:]
            for board, (white, black) in enumerate(zip(order[::2], order[1::2], strict=False), 1):
                self._game(tid, kind, at + number, (number, board), white, black, free)

    def _game(self, tid, kind, at, place, white, black, free):
        number, board = place
        game = {
            "tournament_id": tid,
            "game_id": f"{number}.{board}",
            "round": None if self.random.random() < 0.1 else number,
            "board": board,
            "white": self._side(kind, white),
            "black": self._side(kind, black),
            "status": "played",
            "result": self.random.choice(PLAYED),
        }
        turn = self.random.random()
        if turn < 0.03:
            game |= {"status": "forfeit", "result": self.random.choice(["1-0", "0-1"])}
        elif turn < 0.05:
            game |= {"status": "bye", "result": "1/2-0", "black": None}
        elif turn < 0.06:
            game |= {"status": "unplayed", "result": "*"}
        elif turn < 0.08:
            game |= {"result": self.random.choice(UNUSUAL)}
        elif turn < 0.09:
            game |= {"rated": False}
        if self._chance(0.2) and game["status"] == "played":
            self._give(at - 0.2, GameResult, {**game, "status": "ongoing", "result": "*"}, revision=1)
        self._give(at + self.random.random() * 0.3, GameResult, game, revision=2)
        self._corrections(kind, at, game, free)

    def _corrections(self, kind, at, game, free):
        later = at + self.random.uniform(-0.2, 2)
        paired = game["black"] is not None
        if self._chance(0.05) and paired and game["status"] == "played":
            other = self.random.choice(PLAYED)  # a second content at one revision
            self._give(later, GameResult, {**game, "result": other}, revision=2)
        if not self._chance(0.2):
            return
        turn = self.random.random()
        if turn < 0.4:
            change = {"status": "played", "result": self.random.choice(PLAYED)}
            if not paired and free:
                change["black"] = self._side(kind, free.pop())
        elif turn < 0.6:
            change = {"status": "annulled"}
        elif turn < 0.75:
            change = {"status": "forfeit", "result": "0-1"}
        else:
            change = {self.random.choice(["white", "black"]): self._side(kind, free.pop())} if free else {}
        game = {**game, **change}
        if game["white"] is None or game["black"] is None:
            return
        self._give(later, GameResult, game, revision=3)
        if self._chance(0.3):
            later += self.random.uniform(-0.5, 2)
            self._give(later, GameResult, game, board=99, revision=4)

    def _side(self, kind, entry):
        entrant, player, rating, k = entry
        if not kind.facts:
            return {"player_id": player, "rating": rating, "k": k}
        if entrant is None or self.random.random() < 0.2:
            return {"player_id": player}
        side = {"entrant_id": entrant}
        if self.random.random() < 0.2:
            side["player_id"] = player
        return side

    # -- lists and sums ------------------------------------------------------------------------------------

    def _lists(self):
        for name, at in (("2025-10", 1.0), ("2025-11", 9.0)):
            for player in self._some(0.75):
                when = at + (self.random.random() * 6 if self._chance(0.3) else 0)
                rating = self.ratings[player] + self.random.randint(-15, 15)
                line = {
                    "player_id": player,
                    "list": name,
                    "birth_year": self.random.choice([None, 1990, 2012]),
                    "standard": {"rating": rating, "k": self.random.choice([10, 20, None]), "games": 5},
                }
                if self.random.random() < 0.4:
                    line["rapid"] = {"rating": self.random.choice([0, rating - 40]), "k": 20, "games": None}
                self._give(when, PublishedRating, line, revision=1)
                if self._chance(0.1):
                    line["standard"] = {"rating": rating - 3, "k": 20, "games": 5}
                    self._give(
                        when + self.random.uniform(-0.5, 4),
                        PublishedRating,
                        line,
                        revision=2,
                        kind="correction",
                    )

    def _reported(self, player):
        line = {
            "tournament_id": f"far{self.seed}-{player}",
            "player_id": player,
            "time_control": "standard",
            "games": self.random.choice([None, 5, 9]),
            "own_rating": self.ratings[player],
            "starts_on": date(2025, 10, 1),
            "ends_on": date(2025, 10, self.random.randint(5, 30)),
        }
        at = self.random.random() * 10
        self._give(
            at, ReportedChange, line, revision=1, sum_change=f"{self.random.randint(-200, 200) / 100:.2f}"
        )
        if self._chance(0.3):
            sum_change = f"{self.random.randint(-200, 200) / 100:.2f}"
            self._give(
                at + self.random.uniform(-1, 3), ReportedChange, line, revision=2, sum_change=sum_change
            )
        if self._chance(0.2):
            line |= {"status": "annulled", "sum_change": "0"}
            self._give(at + self.random.uniform(0, 4), ReportedChange, line, revision=3)
