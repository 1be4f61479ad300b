"""Facts of entrants from the rating book: rating and K of the list in force on the first day.

Precedence: an entry that overrides, then the list, then the entry's own figure. A player who is on the list
without a rating is known to be unrated; who is not on it, or whose list is not in the book, stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from elowire.domain import (
    Edition,
    KReason,
    TimeControl,
    first_day,
    k_factor,
    month_number,
    playing_rating,
    previous_period,
)
from elowire.ingest.book import Book, BookLine, KeptList, players_of
from elowire.ingest.conditions import Conditions, NotRatable, conditions_of
from elowire.ingest.readers.report import LIST, EntrantFacts, EventReport, Findings, joined

_MONTHLY_FROM = "2012-07"
_TWO_MONTHLY_FROM = "2009-07"


@dataclass(frozen=True, slots=True)
class BookFacts:
    """What the book knows of a player for one time control, on one list."""

    player_id: str
    rating_list: str
    name: str | None
    federation: str | None
    title: str | None
    sex: str | None
    birth_year: int | None
    rating: int | None
    """The rating that the player plays with; None is unrated."""
    rating_from: TimeControl | None
    """The list that it is taken from: without a rapid or blitz rating the standard one may play."""
    k: int | None
    k_reason: KReason | None
    games: int | None
    """Games played by that list; None where the book does not reach back far enough to know."""
    highest: int | None
    """Highest rating of the time control in any list of the book up to that one."""

    @property
    def unrated(self) -> bool:
        """Whether the player is known to have no rating to play with."""
        return self.rating is None

    @property
    def source(self) -> str:
        """Where the figures come from, for the explanation."""
        if self.k is None or self.k_reason is KReason.LIST:
            return LIST
        return f"{LIST} {self.rating_list}, K {self.k_reason}"


def printed_list(period: str) -> str:
    """Name the list in force in a month: from July 2012 there is one each month, before it they stood longer.

    From July 2009 every second month had one, before that every quarter.
    """
    if period >= _MONTHLY_FROM:
        return period
    step = 2 if period >= _TWO_MONTHLY_FROM else 3
    number = month_number(period)
    number -= number % 12 % step

    return f"{number // 12:04}-{number % 12 + 1:02}"


def book_facts(
    book: Book,
    players: Iterable[str],
    *,
    time_control: TimeControl,
    rating_list: str,
    edition: Edition,
) -> dict[str, BookFacts]:
    """Give the facts of players on a list ("2025-10"), by player id.

    Left out are ids that are no FIDE ids, players who are not on the list, and everybody when the list is not
    in the book or does not cover the time control: an older rating would be a guess.
    """
    kept = book.kept(printed_list(rating_list))
    if kept is None or time_control not in kept.classes:
        return {}
    lines = book.lines(kept.rating_list, players_of(players))
    started = book.lists()[0].rating_list
    return {
        str(player): _facts(book, line, kept, time_control, edition, started)
        for player, line in lines.items()
        # The standard rating may play for them, and this list does not say whether they have one.
        if line.figures(time_control).rating is not None or TimeControl.STANDARD in kept.classes
    }


def with_book_facts(report: EventReport, path: Path) -> EventReport:
    """Give an event whose entrants have the facts of the book at `path`, as far as there is a book.

    Who is not in it keeps the file's facts; where the list contradicts them, the report says so. Raises
    `BookError` for a book that cannot be read.
    """
    if not path.exists():
        return report
    try:
        conditions, _ = conditions_of(report.tournament)
    except NotRatable:
        # Whoever rates or feeds the event says the same with what to do about it.
        return report
    if conditions.rating_list is None:
        return report
    players = [entrant.player_id for entrant in report.entrants if entrant.player_id is not None]
    look_up = partial(book_facts, time_control=conditions.time_control, edition=conditions.edition)
    with Book(path) as book:
        found = look_up(book, players, rating_list=conditions.rating_list)
        latest = _last_list_before(conditions)
        later = {} if latest is None else look_up(book, players, rating_list=latest)
    findings = Findings()
    for entrant in report.entrants:
        if entrant.player_id in found:
            _said(entrant, found[entrant.player_id], findings)
    entrants = tuple(_with_entry(completed(entrant, found), later) for entrant in report.entrants)
    return replace(report, entrants=entrants, imported=joined(report.imported, findings.imported()))


def _last_list_before(conditions: Conditions) -> str | None:
    """Name the last list before the one that rates the event, if the event did not begin under it."""
    if conditions.rating_period is None or conditions.rating_list is None:
        return None
    latest = printed_list(previous_period(conditions.rating_period))
    return latest if latest > conditions.rating_list else None


def _with_entry(entrant: EntrantFacts, later: Mapping[str, BookFacts]) -> EntrantFacts:
    """Note the rating that an unrated entrant has got before the event is rated (B.02 8.4)."""
    facts = later.get(entrant.player_id or "")
    if facts is None or facts.rating is None or not entrant.unrated or entrant.entered_list is not None:
        return entrant
    return replace(entrant, entered_list=facts.rating_list, entered_rating=facts.rating, entered_k=facts.k)


def completed(entrant: EntrantFacts, found: Mapping[str, BookFacts]) -> EntrantFacts:
    """Give an entrant the list's rating and K, and what else the file does not say."""
    facts = found.get(entrant.player_id or "")
    if facts is None:
        return entrant
    assumed = facts.k_reason is KReason.ASSUMED
    return replace(
        entrant,
        name=entrant.name or facts.name,
        federation=entrant.federation or facts.federation,
        title=entrant.title or facts.title,
        birth_year=entrant.birth_year or facts.birth_year,
        rating=facts.rating,
        unrated=facts.unrated,
        # An assumed K would outrank what the entry itself knows.
        k=entrant.k if assumed else facts.k,
        games_played=facts.games if facts.games is not None else entrant.games_played,
        rating_list=facts.rating_list,
        source=facts.source,
    )


def _said(entrant: EntrantFacts, facts: BookFacts, findings: Findings) -> None:
    """Note where the list contradicts the file."""
    who = entrant.name or facts.name or facts.player_id
    listed = "unrated" if facts.rating is None else str(facts.rating)
    filed = "unrated" if entrant.unrated else str(entrant.rating)
    if (entrant.rating is not None or entrant.unrated) and filed != listed:
        findings.adjust(
            f"{who} is {filed} in the file and {listed} on list {facts.rating_list}, which counts"
        )
    if entrant.k is not None and facts.k_reason is KReason.LIST and facts.k != entrant.k:
        findings.adjust(
            f"{who} has K {entrant.k} in the file and {facts.k} on list {facts.rating_list}, which counts"
        )


def _facts(
    book: Book,
    line: BookLine,
    kept: KeptList,
    time_control: TimeControl,
    edition: Edition,
    started: str,
) -> BookFacts:
    day = first_day(kept.rating_list)
    own = line.figures(time_control)
    playing = playing_rating(
        time_control=time_control,
        rating=own.rating,
        standard=line.standard.rating,
        edition=edition,
        starts_on=day,
    )
    record = book.record(line.player, time_control, kept.rating_list)
    # Of whom the book has known from the first rating on, it knows all games; of others their least number.
    known = record.first is not None and record.first > started
    games = record.games if known or record.games >= edition.k_bands.experienced_from else None
    k = None
    if playing.rating is not None:
        k = k_factor(
            edition=edition,
            rating=playing.rating,
            list_year=day.year,
            time_control=time_control,
            highest=record.highest,
            games=games,
            birth_year=line.birth_year,
            printed=line.figures(playing.source or time_control).k,
            starts_on=day,
        )
    return BookFacts(
        player_id=str(line.player),
        rating_list=kept.rating_list,
        name=line.name,
        federation=line.federation,
        title=line.title,
        sex=line.sex,
        birth_year=line.birth_year,
        rating=playing.rating,
        rating_from=playing.source,
        k=k.k if k else None,
        k_reason=k.reason if k else None,
        games=games,
        highest=record.highest,
    )
