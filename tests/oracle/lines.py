"""Every entrant's line in its tournament, from the entities in force."""

from __future__ import annotations

from elowire.contracts.vocabulary import GameStatus, TournamentStatus
from elowire.domain import (
    decimal_text,
    has_one_upgrade,
    initial_rating,
    k_factor,
    performance_of,
    points_text,
    rate_game,
    upgraded,
)
from tests.oracle.sides import colours_of, counts_resolved, facts_of, outcome_of, outcomes_of, refusal_of

SCORELESS = {GameStatus.ANNULLED, GameStatus.UNPLAYED, GameStatus.ONGOING}


def lines_of(tournament_id, known):
    """{(tournament, entrant): the data of `elowire.tournament-rating.v1` without its revision}."""
    outcomes = outcomes_of(known)
    final = known.tournament.status is TournamentStatus.FINISHED
    named = {colour.entry for game in known.games.values() for colour in colours_of(known, game)}
    lines = {}
    for name in known.entrants.keys() | named - {None}:
        plays = _plays(known, name)
        points, rated = 0, []
        for game, own, opponent, scored in plays:
            if scored is None or game.status in SCORELESS:
                continue
            points += scored
            strength = opponent.rating
            if strength == 0 and own.rating and outcomes and final and counts_resolved(known):
                strength = outcomes[opponent.entry].ru or 0
            if refusal_of(known, game, own, opponent._replace(rating=strength)) is None:
                rated.append((own.rating, strength, scored))
        own = facts_of(known, name, None) if name in known.entrants else plays[0][1]
        outcome = None
        if own.rating == 0:
            outcome = outcome_of(known, name) if outcomes is None else outcomes.get(name)
        lines[tournament_id, name] = _line(tournament_id, name, known.tournament, own, points, rated, outcome)

    return lines


def _plays(known, name):
    found = []
    for game_id, game in known.games.items():
        white, black = colours_of(known, game)
        points = game.result.points or (None, None)
        for own, opponent, scored in ((white, black, points[0]), (black, white, points[1])):
            if own.entry == name:
                found.append(((game.round or 0, game_id), (game, own, opponent, scored)))

    return [play for _, play in sorted(found, key=lambda entry: entry[0])]


def _line(tournament_id, name, tournament, own, points, rated, outcome):
    edition = tournament.edition_in_force()
    rules = {
        "edition": edition,
        "time_control": tournament.time_control,
        "starts_on": tournament.starts_on,
    }
    won = sum(scored for _, _, scored in rated)
    k = expected = total = None
    if own.rating:
        chosen = None
        once = has_one_upgrade(*rules.values())
        if once:
            chosen = upgraded([mine - theirs for mine, theirs, _ in rated])
        changes = [
            rate_game(
                own=mine, opponent=theirs, points=scored, capped=number == chosen if once else None, **rules
            )
            for number, (mine, theirs, scored) in enumerate(rated)
        ]
        expected = sum(change.expectancy for change in changes)
        total = sum(change.delta for change in changes)
        k = (
            own.k
            or k_factor(
                rating=own.rating,
                list_year=tournament.starts_on.year,
                games=own.games_played,
                birth_year=own.birth_year,
                **rules,
            ).k
        )
    performance = performance_of([theirs for _, theirs, _ in rated], won)

    return {
        "tournament_id": tournament_id,
        "entrant_id": name,
        "player_id": own.player_id,
        "rating": own.rating or None,
        "k": k,
        "points": points_text(points),
        "rated_games": len(rated),
        "rated_points": points_text(won),
        "expected": None if expected is None else decimal_text(expected),
        "sum_change": None if total is None else decimal_text(total),
        "change": None if total is None else decimal_text(k * total),
        "performance": None if performance is None else performance._asdict(),
        "initial": None if outcome is None else _initial(edition, tournament, outcome),
    }


def _initial(edition, tournament, outcome):
    final = tournament.status is TournamentStatus.FINISHED
    line = outcome.line
    if line is not None:
        return {
            "rc": None if line.rc is None else decimal_text(line.rc * 100),
            "dp": line.dp,
            "ru": line.ru,
            "ru_new": line.ru_new,
            "qualifies": line.disregarded is None and line.games > 0,
            "final": final,
        }
    rating = initial_rating([outcome.event], edition)

    return {
        "rc": None if rating.ra is None else decimal_text(rating.ra),
        "dp": rating.dp,
        "ru": rating.ru,
        "ru_new": None,
        "qualifies": rating.games > 0,
        "final": final,
    }
