"""A story told to the stages event by event, and what they say of it."""

from __future__ import annotations

import orjson

from tests.oracle import readings
from tests.oracle.oracle import expect
from tests.oracle.promises import broken_promises
from tests.oracle.winners import Given
from tests.stages.driver import Lane


class Scene:
    """Every event gets the next id; `say` works until everything is said."""

    def __init__(self, **options):
        self.lane = Lane(**options)
        self.given = []

    def say(self, *events):
        told = [Given(f"e{len(self.given) + n:05d}", event) for n, event in enumerate(events)]
        self.given += told
        self.lane.feed(told)
        return self

    def repeat(self, *numbers):
        """Send events again under their ids."""
        self.lane.feed([self.given[number] for number in numbers])
        return self

    def rating(self, player, control="standard"):
        """The figures of the highest version, or None when nothing was published."""
        data = readings.live_ratings(self.lane.read()).get(player)
        return None if data is None else data.get(control)

    def live(self, player, control="standard"):
        return self.rating(player, control)["live"]

    def change(self, player, control="standard"):
        """The pending change, or None where nothing is known of the player."""
        rating = self.rating(player, control)
        return None if rating is None else rating["change"]

    def version(self, player):
        return readings.live_ratings(self.lane.read())[player]["version"]

    def cause(self, player):
        return readings.live_ratings(self.lane.read())[player]["cause"]["kind"]

    def rated_games(self, player, game, tournament="t"):
        """Every record about one side, oldest first."""
        key = f"{player}/{tournament}:{game}".encode()
        return [orjson.loads(r.value) for r in self.lane.all("rated-games") if r.key == key]

    def rated_game(self, player, game, tournament="t"):
        return self.rated_games(player, game, tournament)[-1]

    def line(self, entrant, tournament="t"):
        return readings.lines(self.lane.read())[tournament, entrant]

    def reconciliations(self, player):
        return [orjson.loads(r.value) for r in self.lane.all("reconciliations") if r.key == player.encode()]

    def dead(self):
        """Reasons of the dead letters, in the order of their records."""
        return list(readings.dead_letters(self.lane.read()).values())

    def dead_letter(self):
        """What the last dead letter says: {name without prefix: text}."""
        last = self.lane.all("dead-letters")[-1]
        return {n.removeprefix("elowire-"): v.decode() for n, v in last.headers if n.startswith("elowire-")}

    def holds(self):
        """Nothing differs from the one-pass calculation, and every promise is kept."""
        topics = self.lane.read()
        found = (
            *readings.differences(topics, expect(self.given)),
            *broken_promises(topics, self.lane.partitions),
        )
        assert [sentence for _, sentence in found] == []
        return self
