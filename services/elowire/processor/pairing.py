"""A game with the facts of both players: what counts in it, for whom, and why not."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from elowire.contracts.vocabulary import Result
from elowire.domain import Refusal, TimeControl, edition_by_id, is_rating_gap

if TYPE_CHECKING:
    from elowire.processor.behind import Behind
    from elowire.processor.resolution import Resolution

State = dict[str, Any]

POINTS_OF_WHITE = {str(result): result.points[0] for result in Result if result.points is not None}
POINTS_OF_BLACK = {str(result): result.points[1] for result in Result if result.points is not None}
USUAL = frozenset({"1-0", "0-1", "1/2-1/2"})
NOT_PLAYED = {
    "annulled": Refusal.ANNULLED,
    "forfeit": Refusal.FORFEIT,
    "unplayed": Refusal.UNPLAYED,
    "bye": Refusal.BYE,
    "ongoing": Refusal.ONGOING,
}


class Facts(NamedTuple):
    """A player as the regulations see them in one game. `rating` is None while unknown and 0 for unrated."""

    player_id: str | None
    rating: int | None
    k: int | None
    rating_list: str | None
    source: str
    birth_year: int | None = None
    games_played: int | None = None
    key: bytes = b""
    """The entrant's key in the tournament's table, also where the game alone names the player so far."""


NOBODY = Facts(None, None, None, None, "game")


def facts_of(
    entrant: State | None, printed: list[Any] | None, tournament: State | None, key: bytes = b""
) -> Facts:
    """Return the facts in force for one colour: override, list, entrant, then what stands beside the game.

    `printed` is [entrant, player id, rating, K, name] as the game event gave it.
    """
    of_event = None if tournament is None else tournament["d"]["l"]
    if entrant is None:
        if printed is None:
            return NOBODY
        return Facts(printed[1], printed[2], printed[3], of_event, "game", key=key)

    d = entrant["d"]
    rating, k, source = 0 if d["u"] else d["ra"], d["k"], d["so"]
    if d["ov"] and rating is not None:
        source = "entrant-override"
    if printed is not None:
        if rating is None:
            rating, source = printed[2], "game"
        k = printed[3] if k is None else k

    return Facts(d["p"], rating, k, d["l"] or of_event, source, d["y"], d["gp"], key)


def refusal_of(  # noqa: C901, PLR0911  # a list of reasons, read from the top
    tournament: State | None, game: State, own: Facts, opponent: Facts
) -> Refusal | None:
    """Return why a side does not count, or None; the first reason in the order of the regulations."""
    d = game["d"]
    if (reason := NOT_PLAYED.get(d["st"])) is not None:
        return reason
    if tournament is None:
        return Refusal.UNKNOWN_TOURNAMENT
    t = tournament["d"]
    if t["st"] == "cancelled":
        return Refusal.CANCELLED_TOURNAMENT
    if not t["ra"]:
        return Refusal.NOT_RATED_TOURNAMENT
    if not d["ra"]:
        return Refusal.NOT_RATED_GAME
    if d["x"] not in USUAL and not edition_by_id(t["e"]).rates_unusual_results:
        return Refusal.UNUSUAL_RESULT
    if opponent.player_id is None or own.player_id in {None, opponent.player_id}:
        return Refusal.UNRESOLVED_ENTRANT
    if opponent.rating is None or own.rating is None:
        return Refusal.UNRESOLVED_RATING
    if opponent.rating == 0:
        return Refusal.UNRATED_OPPONENT
    if own.rating and t["tc"] != TimeControl.STANDARD and _too_far_apart(own.rating, opponent.rating, t):
        return Refusal.RATING_GAP

    return None


def _too_far_apart(own: int, opponent: int, content: dict[str, Any]) -> bool:
    return is_rating_gap(
        own,
        opponent,
        edition=edition_by_id(content["e"]),
        time_control=TimeControl(content["tc"]),
        starts_on=day_of(content["a"]),
    )


@lru_cache(4096)
def day_of(text: str) -> date:
    """Return a day from its ISO form; the same few days come with every game."""
    return date.fromisoformat(text)


class Colour(NamedTuple):
    """One player's part in a game: the opponent's rating that counts, and the refusal if nothing does."""

    own: Facts
    opponent: Facts
    strength: int | None
    points: int | None
    refusal: Refusal | None

    @property
    def rated(self) -> tuple[int, int, int] | None:
        """Return (own rating or 0, opponent's rating, points) of a game that counts."""
        if self.refusal is not None or self.points is None:
            return None

        return self.own.rating or 0, self.strength or 0, self.points


class Pairing(NamedTuple):
    """A game, the states it rests on (tournament, game, White, Black), and both players' parts.

    `counters` grow with everything that can change these states or put others in their place; so does
    `behind`, for all players that the game ever named.
    """

    tournament: State | None
    game: State
    sources: tuple[State | None, State | None, State | None, State | None]
    counters: tuple[int, int]
    behind: Behind
    resolution: int
    white: Colour
    black: Colour


def pairing_of(
    tournament: State | None,
    game: State,
    white: tuple[bytes, State | None],
    black: tuple[bytes, State | None],
    counters: tuple[int, int],
    behind: Behind,
    resolution: Resolution | None,
) -> Pairing:
    """Look at a game with everything that is known of its players; a colour is (entrant's key, entrant)."""
    d = game["d"]
    facts = (
        facts_of(white[1], d["w"], tournament, white[0]),
        facts_of(black[1], d["b"], tournament, black[0]),
    )
    number = 0
    if resolution is not None and resolution.final and 0 in {facts[0].rating, facts[1].rating}:
        number = resolution.behind.number()
    else:
        resolution = None

    return Pairing(
        tournament,
        game,
        (tournament, game, white[1], black[1]),
        counters,
        behind,
        number,
        _colour(tournament, game, facts[0], facts[1], POINTS_OF_WHITE, resolution),
        _colour(tournament, game, facts[1], facts[0], POINTS_OF_BLACK, resolution),
    )


def _colour(  # what one part in a game follows from
    tournament: State | None,
    game: State,
    own: Facts,
    opponent: Facts,
    points: dict[str, int],
    resolution: Resolution | None,
) -> Colour:
    strength, refusal = opponent.rating, refusal_of(tournament, game, own, opponent)
    if resolution is not None and resolution.counts and refusal is Refusal.UNRATED_OPPONENT and own.rating:
        # B.02 8.25 and 8.52 until 2021: who came unrated and was resolved counts with the Ru reached here.
        outcome = resolution.outcomes.get(opponent.key)
        if outcome is not None:
            strength = outcome.ru or 0
            refusal = Refusal.ZERO_SCORE_NEWCOMER if outcome.ru is None else None

    return Colour(own, opponent, strength, points.get(game["d"]["x"]), refusal)
