"""The crosstable of a round robin: who met whom, what was scored, and whose games are left out."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from elowire.domain.initial import FirstEvent, InitialReason, disregarded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from elowire.domain.numbers import Hundredths
    from elowire.domain.rules import Edition

_WIN = 100


class RoundRobinPlayer(NamedTuple):
    """A player of a round robin: rating None is unrated, points in hundredths, k None follows the edition."""

    player: str
    rating: int | None
    points: Hundredths
    k: int | None = None


class RoundRobinGame(NamedTuple):
    """A game of a round robin; points in hundredths."""

    white: str
    black: str
    white_points: Hundredths
    black_points: Hundredths


class Crosstable(NamedTuple):
    """Players as given with the points that count, whom each met (once per game), and who is disregarded.

    Games of the disregarded are left out for their opponents too.
    """

    players: tuple[RoundRobinPlayer, ...]
    met: Mapping[str, Sequence[str]]
    disregarded: Mapping[str, InitialReason]


def crosstable_of_totals(
    players: Sequence[RoundRobinPlayer], edition: Edition, *, cycles: int = 1, begun: Collection[str] = ()
) -> Crosstable:
    """Make the crosstable of a complete round robin in which all have met `cycles` times.

    Raises ValueError when two players share a name, or when a newcomer with some points is disregarded: from
    totals alone these points cannot be taken from the opponents.
    """
    names = [player.player for player in players]
    if len(set(names)) != len(names):
        raise ValueError(f"a player stands in the table twice: expected different names, got {names}")
    met = {name: [other for other in names if other != name] * cycles for name in names}
    out = _disregarded({player.player: player for player in players}, met, edition, begun)
    for player in players:
        if player.player in out and player.points:
            raise ValueError(
                f"{player.player} does not qualify under {edition.id} with {player.points} hundredths of a "
                "point: expected the games instead of the table, so that they can be left out"
            )
    won = len(out) * cycles * _WIN
    counted = tuple(
        player if player.player in out else player._replace(points=player.points - won) for player in players
    )

    return Crosstable(counted, _without(met, out), out)


def crosstable_of_games(
    players: Sequence[RoundRobinPlayer],
    games: Iterable[RoundRobinGame],
    edition: Edition,
    *,
    begun: Collection[str] = (),
) -> Crosstable:
    """Make the crosstable of the games played so far; the players' own points are not read.

    Raises ValueError for a game of somebody who is not among the players.
    """
    played = list(games)
    entered = {player.player: player for player in players}
    for game in played:
        if game.white not in entered or game.black not in entered:
            raise ValueError(f"{game.white} against {game.black}: expected both among the players")
    scored, met = _scores(entered, played)
    out = _disregarded(scored, met, edition, begun)
    counted, _ = _scores(
        entered, [game for game in played if game.white not in out and game.black not in out]
    )
    final = tuple((scored if name in out else counted)[name] for name in entered)

    return Crosstable(final, _without(met, out), out)


def _scores(
    players: Mapping[str, RoundRobinPlayer], games: Sequence[RoundRobinGame]
) -> tuple[dict[str, RoundRobinPlayer], dict[str, list[str]]]:
    points = dict.fromkeys(players, 0)
    met: dict[str, list[str]] = {name: [] for name in players}
    for game in games:
        points[game.white] += game.white_points
        points[game.black] += game.black_points
        met[game.white].append(game.black)
        met[game.black].append(game.white)

    return {name: player._replace(points=points[name]) for name, player in players.items()}, met


def _disregarded(
    players: Mapping[str, RoundRobinPlayer],
    met: Mapping[str, Sequence[str]],
    edition: Edition,
    begun: Collection[str],
) -> dict[str, InitialReason]:
    reasons: dict[str, InitialReason] = {}
    for name, player in players.items():
        if player.rating is None and name not in begun and met[name]:
            rated = sum(players[other].rating is not None for other in met[name])
            event = FirstEvent(len(met[name]), player.points, Fraction(0), rated)
            reason = disregarded(event, edition)
            if reason is not None:
                reasons[name] = reason

    return reasons


def _without(met: Mapping[str, Sequence[str]], out: Collection[str]) -> dict[str, list[str]]:
    return {
        name: [] if name in out else [other for other in others if other not in out]
        for name, others in met.items()
    }
