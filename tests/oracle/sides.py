"""Every game's two sides, from the entities in force."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from elowire.contracts.vocabulary import GameStatus, Result, TournamentStatus
from elowire.domain import (
    FirstEvent,
    Refusal,
    RoundRobinGame,
    RoundRobinPlayer,
    System,
    counts_unrated_opponents,
    crosstable_of_games,
    disregarded,
    initial_rating,
    is_rating_gap,
    resolve_round_robin,
    system_as_rated,
)

if TYPE_CHECKING:
    from datetime import date

    from elowire.domain import Edition, TimeControl

NOT_PLAYED = {
    GameStatus.ANNULLED: Refusal.ANNULLED,
    GameStatus.FORFEIT: Refusal.FORFEIT,
    GameStatus.UNPLAYED: Refusal.UNPLAYED,
    GameStatus.BYE: Refusal.BYE,
    GameStatus.ONGOING: Refusal.ONGOING,
}
USUAL = {Result.WHITE_WINS, Result.BLACK_WINS, Result.DRAW}
# A bye is no game: an odd number of players makes no Swiss of a round robin.
COMPLETE = {GameStatus.PLAYED, GameStatus.ANNULLED, GameStatus.BYE}
COUNTS_WHEN_RESOLVED = {None, Refusal.UNRATED_OPPONENT}


class Facts(NamedTuple):
    """One colour of a game; `rating` is 0 for a player known to be unrated, None while not known."""

    entry: str | None = None
    player_id: str | None = None
    rating: int | None = None
    k: int | None = None
    rating_list: str | None = None
    from_list: bool = False
    birth_year: int | None = None
    games_played: int | None = None


@dataclass(frozen=True)
class Side:
    """One player's side of one game. `game` is tournament:game."""

    player_id: str
    game: str
    tournament_id: str
    round: int | None
    own: Facts
    opponent_id: str | None
    opponent: int | None
    points: int | None
    refusal: Refusal | None
    time_control: TimeControl | None = None
    period: str | None = None
    edition: Edition | None = None
    starts_on: date | None = None
    colour: str | None = None

    @property
    def rated(self):
        return self.refusal is None and bool(self.own.rating)


class First(NamedTuple):
    """What one tournament adds to a first rating."""

    tournament_id: str
    time_control: TimeControl
    edition: Edition
    event: FirstEvent
    final: bool


class Outcome(NamedTuple):
    """An unrated entrant after a tournament; `ru` is what opponents met, None where it is disregarded."""

    event: FirstEvent
    ru: int | None
    line: object = None


def facts_of(known, reference, printed):
    """Facts in force: the entrant's (override, list or own), then what stands beside the game."""
    of_event = None if known.tournament is None else known.tournament.list_in_force()
    entry = None if reference is None else known.entry(reference)
    if entry is None:
        if printed is None:
            return Facts()
        return Facts(reference, printed.player_id, printed.rating, printed.k, of_event)
    entrant = known.entrants[entry]
    rating, k, source = entrant.rating, entrant.k, entrant.source
    if entrant.unrated:
        rating = 0
    if entrant.override:
        source = "override"
    if printed is not None:
        if rating is None:
            rating, source = printed.rating, "game"
        k = k or printed.k

    return Facts(
        entry,
        entrant.player_id,
        rating,
        k,
        entrant.rating_list or of_event,
        source == "list",
        entrant.birth_year,
        entrant.games_played,
    )


def colours_of(known, game):
    """Facts of White and of Black."""
    return tuple(
        facts_of(known, None if colour is None else colour.identity, colour)
        for colour in (game.white, game.black)
    )


def refusal_of(known, game, own, opponent):
    """Why the side does not count, in the order of the contract."""
    return next((reason for reason, holds in _reasons(known, game, own, opponent) if holds), None)


def _reasons(known, game, own, opponent):
    tournament = known.tournament
    yield NOT_PLAYED.get(game.status), game.status in NOT_PLAYED
    yield Refusal.UNKNOWN_TOURNAMENT, tournament is None
    yield Refusal.CANCELLED_TOURNAMENT, tournament.status is TournamentStatus.CANCELLED
    yield Refusal.NOT_RATED_TOURNAMENT, not tournament.rated
    yield Refusal.NOT_RATED_GAME, not game.rated
    edition = tournament.edition_in_force()
    yield Refusal.UNUSUAL_RESULT, game.result not in USUAL and not edition.rates_unusual_results
    in_match = refusal_in_match(known, game)
    yield in_match, in_match is not None
    yield Refusal.UNRESOLVED_ENTRANT, None in {own.player_id, opponent.player_id}
    yield Refusal.UNRESOLVED_ENTRANT, own.player_id == opponent.player_id
    yield Refusal.UNRESOLVED_RATING, own.rating is None or opponent.rating is None
    yield Refusal.UNRATED_OPPONENT, opponent.rating == 0
    rules = {"time_control": tournament.time_control, "starts_on": tournament.starts_on}
    far = is_rating_gap(own.rating, opponent.rating, edition=edition, **rules)
    yield Refusal.RATING_GAP, own.rating and far


def refusal_in_match(known, game):
    """B.02 6: no game of a match with an unrated player counts, and none after the match was decided."""
    tournament = known.tournament
    if tournament.system is not System.MATCH or not _scores_in_match(game):
        return None
    pair = {colour.entry for colour in colours_of(known, game)}
    match = sorted(
        (
            (other.round or 0, str(other.played_on or ""), game_id, other)
            for game_id, other in known.games.items()
            if _scores_in_match(other) and {colour.entry for colour in colours_of(known, other)} == pair
        ),
        key=lambda entry: entry[:3],
    )
    games = [other for *_, other in match]
    if 0 in {colour.rating for colour in colours_of(known, games[0])}:
        return Refusal.UNRATED_OPPONENT
    if len(known.entrants) != 2 or tournament.rounds is None:
        return None
    before = games[: games.index(game)]
    own = dict.fromkeys(pair, 0)
    for other in before:
        for colour, points in zip(colours_of(known, other), other.result.points or (0, 0), strict=True):
            own[colour.entry] += points

    return Refusal.DECIDED_MATCH if max(own.values()) > tournament.rounds * 50 else None


def _scores_in_match(game):
    seated = game.white is not None and game.black is not None
    return seated and game.rated and game.status in {GameStatus.PLAYED, GameStatus.FORFEIT}


def outcomes_of(known):
    """Resolve a tournament in which one game can depend on others: {entry: Outcome}, None elsewhere."""
    tournament = known.tournament
    if tournament is None:
        return None
    if tournament.system is System.MATCH:
        unrated = [name for name in known.entrants if facts_of(known, name, None).rating == 0]
        return dict.fromkeys(unrated, Outcome(FirstEvent(0, 0, Fraction(0), 0), None))
    edition = tournament.edition_in_force()
    if not counts_unrated_opponents(edition, tournament.system):
        return None
    ratings = {name: facts_of(known, name, None).rating for name in known.entrants}
    games, complete = [], True
    for game in known.games.values():
        complete = complete and game.status in COMPLETE
        own, opponent = colours_of(known, game)
        if game.white is None or game.black is None or game.result.points is None:
            continue
        if refusal_of(known, game, own, opponent) in COUNTS_WHEN_RESOLVED:
            ratings.setdefault(own.entry, own.rating)
            ratings.setdefault(opponent.entry, opponent.rating)
            games.append((own.entry, opponent.entry, *game.result.points))
    games = [g for g in games if ratings[g[0]] is not None and ratings[g[1]] is not None]
    system = system_as_rated(tournament.system, complete=complete)
    if system is System.ROUND_ROBIN and edition.round_robin is not None:
        resolved = _round_robin(edition, ratings, games)
        if resolved is not None:
            return resolved

    return _one_by_one(edition, system, ratings, games)


def _round_robin(edition, ratings, games):
    players = [
        RoundRobinPlayer(name, rating or None, 0) for name, rating in ratings.items() if rating is not None
    ]
    table = crosstable_of_games(players, [RoundRobinGame(*game) for game in games], edition)
    if not any(player.rating and table.met[player.player] for player in table.players):
        return None
    nothing = FirstEvent(0, 0, Fraction(0), 0)

    return {
        line.player: Outcome(line.first_event() or nothing, line.ru_new, line)
        for line in resolve_round_robin(table, edition).lines
        if line.rating is None
    }


def _one_by_one(edition, system, ratings, games):
    found = {}
    for name, rating in ratings.items():
        if rating == 0:
            met = [(ratings[b], p) for w, b, p, _ in games if w == name and ratings[b]]
            met += [(ratings[w], p) for w, b, _, p in games if b == name and ratings[w]]
            event = FirstEvent.of_games(met, system=system)
            ru = None if disregarded(event, edition) else initial_rating([event], edition).ru
            found[name] = Outcome(event, ru)

    return found


def system_of(known):
    """The system by which a tournament is rated."""
    tournament = known.tournament
    if not counts_unrated_opponents(tournament.edition_in_force(), tournament.system):
        return tournament.system
    complete = all(game.status in COMPLETE for game in known.games.values())

    return system_as_rated(tournament.system, complete=complete)


def counts_resolved(known):
    """Whether the rated players' games against the resolved count."""
    if known.tournament.system is System.MATCH:
        return False

    return counts_unrated_opponents(known.tournament.edition_in_force(), system_of(known))


def sides_of(tournament_id, known):
    """Yield both sides of every game of a tournament; nobody has a side while nobody knows who he is."""
    tournament = known.tournament
    outcomes = outcomes_of(known)
    final = tournament is not None and tournament.status is TournamentStatus.FINISHED
    for game_id, game in known.games.items():
        white, black = colours_of(known, game)
        points = game.result.points or (None, None)
        for colour, own, opponent, scored in (
            ("white", white, black, points[0]),
            ("black", black, white, points[1]),
        ):
            himself = own is black and black.player_id == white.player_id
            if own.player_id is None or himself:
                continue
            refusal, strength = refusal_of(known, game, own, opponent), opponent.rating
            if (
                refusal is Refusal.UNRATED_OPPONENT
                and own.rating
                and final
                and outcomes
                and counts_resolved(known)
            ):
                strength = outcomes[opponent.entry].ru or 0
                refusal = None if strength else Refusal.ZERO_SCORE_NEWCOMER
            rules = {}
            if tournament is not None:
                rules = {
                    "time_control": tournament.time_control,
                    "period": tournament.period(),
                    "edition": tournament.edition_in_force(),
                    "starts_on": tournament.starts_on,
                }
            yield Side(
                own.player_id,
                f"{tournament_id}:{game_id}",
                tournament_id,
                game.round,
                own,
                opponent.player_id,
                strength,
                scored,
                refusal,
                **rules,
                colour=None if game.white is None or game.black is None else colour,
            )


def firsts_of(tournament_id, known):
    """Yield (player id, First) of every unrated entrant whose player is known."""
    tournament = known.tournament
    if tournament is None:
        return
    outcomes = outcomes_of(known)
    for name, entrant in known.entrants.items():
        if not entrant.unrated or entrant.player_id is None:
            continue
        outcome = outcome_of(known, name) if outcomes is None else outcomes[name]
        event = outcome.event._replace(system=system_of(known), ends_on=tournament.ends_on)
        final = tournament.status is TournamentStatus.FINISHED
        first = First(tournament_id, tournament.time_control, tournament.edition_in_force(), event, final)
        yield entrant.player_id, first


def outcome_of(known, name):
    """What an unrated entrant has reached by his own games alone."""
    met = []
    for game in known.games.values():
        white, black = colours_of(known, game)
        for own, opponent, place in ((white, black, 0), (black, white, 1)):
            if own.entry == name and refusal_of(known, game, own, opponent) is None:
                met.append((opponent.rating, game.result.points[place]))

    return Outcome(FirstEvent.of_games(met, system=known.tournament.system), None)
