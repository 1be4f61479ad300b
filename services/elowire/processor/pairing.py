"""A game with the facts of both players: what counts in it, for whom, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from elowire.contracts.vocabulary import Result
from elowire.domain import Refusal, System, TimeControl, edition_by_id, is_rating_gap
from elowire.processor.facts import NOBODY, Facts, completed, day_of, printed_facts

if TYPE_CHECKING:
    from elowire.processor.behind import Behind
    from elowire.processor.entered import Meaning
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


def refusal_of_game(  # noqa: PLR0911  # a list of reasons, read from the top
    tournament: State | None, game: State
) -> Refusal | None:
    """Return why a game does not count, whoever plays it; the first reason in the regulations' order."""
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

    return None


def refusal_between(own: Facts, opponent: Facts, content: State) -> Refusal | None:
    """Return why a game that counts does not do so for `own`; `content` is the tournament's."""
    player_id, rating, other_id, strength = own.player_id, own.rating, opponent.player_id, opponent.rating
    if other_id is None or player_id is None or player_id == other_id:
        return Refusal.UNRESOLVED_ENTRANT
    if strength is None or rating is None:
        return Refusal.UNRESOLVED_RATING
    if strength == 0:
        return Refusal.UNRATED_OPPONENT
    if rating and content["tc"] != TimeControl.STANDARD and _too_far_apart(rating, strength, content):
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


class Colour(NamedTuple):
    """One player's part in a game: the opponent's rating that counts, and the refusal if nothing does.

    `event_id` is that of the entrant's record; None while the game alone names the player.
    """

    own: Facts
    opponent: Facts
    strength: int | None
    points: int | None
    refusal: Refusal | None
    event_id: str | None
    counter: int

    @property
    def rated(self) -> tuple[int, int, int] | None:
        """Return (own rating or 0, opponent's rating, points) of a game that counts."""
        own, _, strength, points, refusal, _, _ = self
        if refusal is not None or points is None:
            return None

        return own.rating or 0, strength or 0, points


class Pairing(NamedTuple):
    """A game, its tournament, whom its names mean or ever meant, and both players' parts.

    The counters of the parts grow with everything that can change whose they are or put other facts in their
    place; so does `behind`, for all players that the game ever named.
    """

    tournament: State | None
    game: State
    meant: dict[str, Meaning]
    behind: Behind
    resolution: int
    white: Colour
    black: Colour


def pairing_of(
    tournament: State | None,
    game: State,
    meant: dict[str, Meaning],
    behind: Behind,
    resolution: Resolution | None,
    key: bytes,
) -> Pairing:
    """Look at a game with everything that is known of its players; `meant` is whom its references mean."""
    d = game["d"]
    of_white = None if d["w"] is None else meant[d["w"][0]]
    of_black = None if d["b"] is None else meant[d["b"][0]]
    white, black = _facts(of_white, d["w"], tournament), _facts(of_black, d["b"], tournament)
    number = 0
    refusal = refusal_of_game(tournament, game)
    if resolution is not None and resolution.system is System.MATCH:
        # Each game of a match can refuse the ones after it.
        number = resolution.behind.number()
        refusal = refusal or resolution.refused.get(key)
    elif resolution is not None and resolution.final and (white.rating == 0 or black.rating == 0):
        number = resolution.behind.number()
    else:
        resolution = None

    of_both = tournament, refusal, resolution

    return Pairing(
        tournament,
        game,
        meant,
        behind,
        number,
        _colour(white, black, POINTS_OF_WHITE.get(d["x"]), of_white, *of_both),
        _colour(black, white, POINTS_OF_BLACK.get(d["x"]), of_black, *of_both),
    )


def _facts(meaning: Meaning | None, printed: list[Any] | None, tournament: State | None) -> Facts:
    if meaning is None:
        return NOBODY
    if meaning.entered is None:
        return printed_facts(printed, tournament, meaning.key)

    return completed(meaning.entered.facts, printed, tournament)


def _colour(  # what one part in a game follows from
    own: Facts,
    opponent: Facts,
    points: int | None,
    meaning: Meaning | None,
    tournament: State | None,
    refusal: Refusal | None,
    resolution: Resolution | None,
) -> Colour:
    strength = opponent.rating
    if refusal is None and tournament is not None:
        refusal = refusal_between(own, opponent, tournament["d"])
    if resolution is not None and resolution.counts and refusal is Refusal.UNRATED_OPPONENT and own.rating:
        # B.02 8.25 and 8.52 until 2021: who came unrated and was resolved counts with the Ru reached here.
        outcome = resolution.outcomes.get(opponent.key)
        if outcome is not None:
            strength = outcome.ru or 0
            refusal = Refusal.ZERO_SCORE_NEWCOMER if outcome.ru is None else None
    entered = None if meaning is None else meaning.entered

    return Colour(
        own,
        opponent,
        strength,
        points,
        refusal,
        None if entered is None else entered.event_id,
        0 if meaning is None else meaning.counter,
    )
