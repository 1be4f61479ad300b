"""An event as one JSON document: tournament, `players` with their published ratings, `games`.

The outcome fields of published example events (points, sums, changes, next list) are no input and never read.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from elowire.contracts.vocabulary import GameStatus
from elowire.domain import System, TimeControl
from elowire.ingest.readers.assembly import Assembly, Place, id_of_file, slug
from elowire.ingest.readers.document import first_problem, parse_document, path_of
from elowire.ingest.readers.fields import date_of, player_id_of, result_of, shown, title_of, words_of
from elowire.ingest.readers.report import (
    EntrantFacts,
    EventReport,
    Findings,
    GameFacts,
    Notice,
    TournamentFacts,
    UnreadableFile,
)

_OUTCOME_OF_EVENT = {"next_list"}
_OUTCOME_OF_PLAYER = {
    "points",
    "sum_change",
    "k_times_sum",
    "other_events",
    "period_total",
    "next_list_rating",
}
_OUTCOME_OF_GAME = {"white_change", "black_change"}
_SYSTEM_WORDS = {
    "round-robin": System.ROUND_ROBIN,
    "swiss": System.SWISS,
    "team": System.TEAM,
    "match": System.MATCH,
}


def _id(value: Any) -> Any:  # noqa: ANN401 - any JSON value may stand there
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("the digits of a FIDE id, or namespace:id, were expected")  # noqa: TRY004 - pydantic's way
    known = player_id_of(str(value))
    if known is None:
        raise ValueError("the digits of a FIDE id, or namespace:id, were expected")
    return known


def _day(value: Any) -> Any:  # noqa: ANN401 - any JSON value may stand there
    if not isinstance(value, str):
        return value
    known = date_of(value)
    if known is None:
        raise ValueError("a whole date such as 2025-10-31 was expected")
    return known


def _word(value: Any) -> Any:  # noqa: ANN401 - any JSON value may stand there
    if not isinstance(value, str):
        raise ValueError("a word in quotes was expected")  # noqa: TRY004 - pydantic's way
    return value.strip().lower()


PlayerId = Annotated[str, BeforeValidator(_id)]
Day = Annotated[date, BeforeValidator(_day)]
Rating = Annotated[int, Field(ge=0, le=4000)]
YearMonth = Annotated[str, Field(pattern=r"^(?:19|20|21)[0-9]{2}-(?:0[1-9]|1[0-2])$")]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Event(_Model):
    name: Annotated[str, Field(min_length=1, max_length=256)]
    tournament_id: Annotated[str, Field(pattern=r"^[!-.0-~]{1,128}$")] | None = None
    edition: str | None = None
    time_control: Annotated[TimeControl, Field(strict=False), BeforeValidator(_word)]
    start: Day
    end: Day
    rating_list: YearMonth | None = None
    rated_in: YearMonth | None = None
    system: str | None = None
    rounds: Annotated[int, Field(ge=1, le=1000)] | None = None
    expected_games: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    match_games: Annotated[int, Field(ge=1, le=1000)] | None = None
    match_waived: bool = False
    revision: Annotated[int, Field(ge=0, lt=2**63)] = 0
    players: list[Any]
    games: list[Any]


class _Player(_Model):
    fide_id: PlayerId
    published_rating: Rating | None
    k: Annotated[int, Field(ge=1, le=80)] | None = None
    name: Annotated[str, Field(max_length=256)] | None = None
    federation: Annotated[str, Field(pattern="^[A-Z]{3}$")] | None = None
    title: Annotated[str, Field(max_length=8)] | None = None
    birth_year: Annotated[int, Field(ge=1850, le=2199)] | None = None
    games_played: Annotated[int, Field(ge=0, le=100_000)] | None = None
    entered_list: YearMonth | None = None
    entered_rating: Annotated[int, Field(ge=1, le=4000)] | None = None


class _Game(_Model):
    round: Annotated[int, Field(ge=1, le=1000)] | None = None
    board: Annotated[int, Field(ge=1, le=100_000)] | None = None
    game_id: Annotated[str, Field(pattern=r"^[!-~]{1,128}$")] | None = None
    white: PlayerId
    black: PlayerId
    result: str
    status: Annotated[GameStatus, Field(strict=False), BeforeValidator(_word)] | None = None
    rated: bool = True
    date: Day | None = None
    url: Annotated[str, Field(max_length=2048)] | None = None


def is_event(document: object) -> bool:
    """Say whether a parsed document has the shape of an event."""
    return isinstance(document, dict) and "games" in document and "players" in document


def read_event_json(raw: bytes, source: str) -> EventReport:
    """Read an event document; raises `UnreadableFile` when it is no event or no game can be used."""
    findings = Findings()
    return event_of(parse_document(raw, findings), source, findings)


def event_of(document: Any, source: str, findings: Findings) -> EventReport:  # noqa: ANN401 - parsed JSON
    """Turn a parsed event document into a report; players and games are refused one by one."""
    try:
        event = _Event.model_validate(document)
    except ValidationError as problem:
        field, found = first_problem(problem)
        raise UnreadableFile(Notice("refused", found, field=field or "document")) from None
    _note_unknown(document, set(_Event.model_fields) | _OUTCOME_OF_EVENT, (), findings)
    assembly = Assembly(event.tournament_id or id_of_file(source), findings)
    for number, item in enumerate(event.players):
        _read_player(item, number, assembly)
    for number, item in enumerate(event.games):
        _read_game(item, number, assembly)
    tournament = TournamentFacts(
        tournament_id=assembly.tournament_id,
        name=event.name,
        time_control=event.time_control,
        system=_system(event.system, findings),
        starts_on=event.start,
        ends_on=event.end,
        rating_list=event.rating_list,
        edition=event.edition,
        rated_in=event.rated_in,
        rounds=event.rounds,
        expected_games=event.expected_games,
        match_games=event.match_games,
        match_waived=event.match_waived,
        revision=event.revision,
    )
    return assembly.report(source, "event-json", tournament)


def _read_player(item: Any, number: int, assembly: Assembly) -> None:  # noqa: ANN401 - parsed JSON
    try:
        player = _Player.model_validate(item)
    except ValidationError as problem:
        field, found = first_problem(problem, ("players", number))
        assembly.findings.refuse(found, field=field)
        return
    _note_unknown(
        item, set(_Player.model_fields) | _OUTCOME_OF_PLAYER, ("players", number), assembly.findings
    )
    place = Place(field=path_of(("players", number)))
    if assembly.knows(player.fide_id):
        assembly.findings.adjust(f"lists player {player.fide_id} again", field=place.field)
    facts = EntrantFacts(
        entrant_id=player.fide_id,
        player_id=player.fide_id,
        name=words_of(player.name or ""),
        federation=player.federation,
        title=title_of(player.title or ""),
        birth_year=player.birth_year,
        rating=player.published_rating or None,
        unrated=player.published_rating == 0,
        k=player.k,
        games_played=player.games_played,
        entered_list=player.entered_list,
        entered_rating=player.entered_rating,
    )
    assembly.entrant(facts, place)


def _read_game(item: Any, number: int, assembly: Assembly) -> None:  # noqa: ANN401 - parsed JSON
    place = Place(field=path_of(("games", number)))
    try:
        game = _Game.model_validate(item)
        result, status = result_of(game.result)
    except ValidationError as problem:
        field, found = first_problem(problem, ("games", number))
        assembly.findings.refuse(found, field=field)
        return
    except ValueError as problem:
        assembly.findings.refuse(str(problem), field=f"{place.field}.result")
        return
    _note_unknown(item, set(_Game.model_fields) | _OUTCOME_OF_GAME, ("games", number), assembly.findings)
    for colour, player_id in (("white", game.white), ("black", game.black)):
        if not assembly.knows(player_id):
            found = f"player {player_id} is not in players; add the player with a rating, or correct the id"
            assembly.findings.refuse(found, field=f"{place.field}.{colour}")
            return
    facts = GameFacts(
        game_id=game.game_id or "",
        white=game.white,
        black=game.black,
        result=result,
        status=game.status or status,
        rated=game.rated,
        round=game.round,
        board=game.board,
        played_on=game.date,
        url=game.url,
    )
    assembly.game(facts, place)


def _system(text: str | None, findings: Findings) -> System | None:
    """Find the system in free text such as `single round robin, 12 players`."""
    if text is None:
        return None
    words = slug(text)
    for word, system in _SYSTEM_WORDS.items():
        if word in words:
            return system
    findings.adjust(
        f"is {shown(text)}; one of {', '.join(System)} was expected, it is not used", field="system"
    )
    return None


def _note_unknown(
    names: Iterable[str], known: set[str], place: tuple[int | str, ...], findings: Findings
) -> None:
    for name in names:
        if name not in known:
            findings.adjust("a field that is not known here; it is not read", field=path_of((*place, name)))
