"""Round robins with unrated players, as the editions until 2021 compute them.

The average of the tournament Ra comes from the rated players' results; the unrated get Ru from it, once
corrected for opponents beyond the cap; the rated players' changes then use the corrected Ru.
Source: B.02 8.25, with the worked example of the draft of 2009.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from elowire.domain.coefficient import k_factor
from elowire.domain.initial import Estimate, FirstEvent, estimate
from elowire.domain.numbers import nearest, nearest_hundredth
from elowire.domain.tables import rating_difference, score_probability
from elowire.domain.time_controls import System

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from elowire.domain.crosstable import Crosstable, RoundRobinPlayer
    from elowire.domain.initial import InitialReason
    from elowire.domain.numbers import Hundredths
    from elowire.domain.rules import Edition, RoundRobinMethod


class RoundRobinLine(NamedTuple):
    """One player's figures; p, points, expected, delta and change in hundredths.

    `ru`, `rc_new` and `ru_new` belong to the unrated. A rated player has p, dp, expected, delta, k and
    change, and where the edition takes the average of the opponents also rc and rc_new. Games against the
    disregarded are in neither `games` nor `points`; who is disregarded has no games and no figures.
    """

    player: str
    rating: int | None
    games: int
    points: Hundredths
    rated_opponents: int
    disregarded: InitialReason | None
    p: Hundredths | None = None
    dp: int | None = None
    rc: int | None = None
    ru: int | None = None
    rc_new: int | None = None
    ru_new: int | None = None
    expected: Hundredths | None = None
    delta: Hundredths | None = None
    k: int | None = None
    change: Hundredths | None = None

    def first_event(self) -> FirstEvent | None:
        """Turn an unrated player's line into what it adds to the first rating; None when it adds nothing."""
        if self.rc_new is None or self.rating is not None:
            return None

        return FirstEvent.of_average(
            self.rc_new,
            games=self.games,
            points=self.points,
            rated_opponents=self.rated_opponents,
            system=System.ROUND_ROBIN,
        )


class RoundRobinReport(NamedTuple):
    """A resolved round robin: rar, dpa and ra_exact in hundredths, ra as it is used, lines as given."""

    rar: Hundredths
    dpa: Hundredths
    ra_exact: Hundredths
    ra: int
    lines: tuple[RoundRobinLine, ...]


class _Resolution(NamedTuple):
    """What every line needs: ratings of the rated, then of all, and the average of the tournament."""

    edition: Edition
    method: RoundRobinMethod
    met: Mapping[str, Sequence[str]]
    ra: int
    first: Mapping[str, int]
    """Ratings, with the first Ru of the unrated."""
    averages: Mapping[str, int]
    """Rc(new) of the unrated."""
    final: Mapping[str, int]
    """Ratings, with the corrected Ru of the unrated."""


def resolve_round_robin(table: Crosstable, edition: Edition) -> RoundRobinReport:
    """Resolve the unrated of a round robin and compute what the rated gain and lose.

    Raises ValueError when the edition has no round-robin method or when no player with a game is rated.
    Source: B.02 8.25 and 8.5.
    """
    method = edition.round_robin
    if method is None:
        raise ValueError(f"edition {edition.id} has no round-robin method: expected one until 2017-07")
    ratings = {
        player.player: player.rating
        for player in table.players
        if player.rating is not None and table.met[player.player]
    }
    if not ratings:
        raise ValueError("nobody with a game is rated: expected at least one rated player")
    scores = [_rated_dp(table, player) for player in table.players if player.player in ratings]
    n = max(len(others) for others in table.met.values())
    rar = Fraction(sum(ratings.values()), len(ratings))
    dpa = Fraction(sum(scores), len(scores))
    exact = rar - dpa * Fraction(n, n + 1)
    # 2348.45 becomes 2348 before it is used: the printed Ru 2032 of the example follows from nothing else.
    ra = nearest(exact)
    resolution = _resolve(table, edition, method, ratings, ra)

    return RoundRobinReport(
        nearest_hundredth(rar),
        nearest_hundredth(dpa),
        nearest_hundredth(exact),
        ra,
        tuple(_line(player, table, resolution) for player in table.players),
    )


def _resolve(
    table: Crosstable, edition: Edition, method: RoundRobinMethod, ratings: Mapping[str, int], ra: int
) -> _Resolution:
    newcomers = [player for player in table.players if player.rating is None and table.met[player.player]]
    first = {**ratings, **_initials(newcomers, dict.fromkeys(table.met, ra), table, edition)}
    averages = dict.fromkeys((player.player for player in newcomers), ra)
    if method.correction:
        for name in averages:
            averages[name] = nearest(ra + _beyond_cap(first[name], _others(name, table, first), edition))
    final = {**ratings, **_initials(newcomers, averages, table, edition)}

    return _Resolution(edition, method, table.met, ra, first, averages, final)


def _line(player: RoundRobinPlayer, table: Crosstable, resolution: _Resolution) -> RoundRobinLine:
    name = player.player
    opponents = table.met[name]
    line = RoundRobinLine(
        name,
        player.rating,
        len(opponents),
        player.points,
        rated_opponents=sum(other not in resolution.averages for other in opponents),
        disregarded=table.disregarded.get(name),
    )
    if not opponents:
        return line
    if player.rating is not None:
        return _rated_line(line, player.rating, player.k, resolution)
    made = _estimate(player, resolution.averages[name], table, resolution.edition)

    return line._replace(
        p=made.p,
        dp=made.dp,
        rc=resolution.ra,
        ru=resolution.first[name],
        rc_new=resolution.averages[name],
        ru_new=resolution.final[name],
    )


def _rated_line(line: RoundRobinLine, rating: int, k: int | None, resolution: _Resolution) -> RoundRobinLine:
    edition = resolution.edition
    opponents = [resolution.final[other] for other in resolution.met[line.player]]
    rc = rc_new = None
    if resolution.method.average_expectancy:
        rc = nearest(Fraction((line.games + 1) * resolution.ra - rating, line.games))
        rc_new = nearest(rc + _beyond_cap(rating, opponents, edition))
        expected = line.games * score_probability(rating - rc_new)
    else:
        limit = edition.cap.limit
        expected = sum(score_probability(_limited(rating - opponent, limit)) for opponent in opponents)
    p = nearest(Fraction(line.points, line.games))
    delta = line.points - expected
    k_used = k or k_factor(edition=edition, rating=rating, list_year=edition.effective.year).k

    return line._replace(
        p=p,
        dp=rating_difference(p),
        rc=rc,
        rc_new=rc_new,
        expected=expected,
        delta=delta,
        k=k_used,
        change=k_used * delta,
    )


def _rated_dp(table: Crosstable, player: RoundRobinPlayer) -> int:
    return rating_difference(nearest(Fraction(player.points, len(table.met[player.player]))))


def _estimate(player: RoundRobinPlayer, average: int, table: Crosstable, edition: Edition) -> Estimate:
    games = len(table.met[player.player])

    return estimate(Fraction(average), games, player.points, edition, round_robin=True)


def _initials(
    newcomers: Iterable[RoundRobinPlayer], averages: Mapping[str, int], table: Crosstable, edition: Edition
) -> dict[str, int]:
    return {
        player.player: nearest(_estimate(player, averages[player.player], table, edition).exact)
        for player in newcomers
    }


def _others(name: str, table: Crosstable, ratings: Mapping[str, int]) -> list[int]:
    return [ratings[other] for other in table.met[name]]


def _beyond_cap(own: int, opponents: Sequence[int], edition: Edition) -> Fraction:
    """Find by how much the average moves when opponents beyond the cap count at the cap."""
    moved = sum(_limited(opponent - own, edition.cap.limit) - (opponent - own) for opponent in opponents)

    return Fraction(moved, len(opponents))


def _limited(difference: int, limit: int) -> int:
    return max(-limit, min(limit, difference))
