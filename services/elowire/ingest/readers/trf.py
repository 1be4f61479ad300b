"""Tournament report files (TRF16, TRF26; TRF06 as far as its columns agree), read with tolerance.

Every line is one record: a code in columns 1-3, data from column 5. Points and ranks of the standings are
never figures here: games are read from the rounds of the player lines.
Source: FIDE Tournament Report File, editions of 2016 and 2026.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from elowire.domain import System, TimeControl, time_control_of
from elowire.ingest.readers.assembly import Assembly, Place, id_of_file, slug, time_control_in
from elowire.ingest.readers.fields import date_of, shown, words_of
from elowire.ingest.readers.report import (
    EntrantFacts,
    EventReport,
    Findings,
    GameFacts,
    Notice,
    TournamentFacts,
    UnreadableFile,
)
from elowire.ingest.readers.text import decode, lines_of
from elowire.ingest.readers.trf_games import check_points, pairings
from elowire.ingest.readers.trf_line import FIRST_ROUND, ROUND_WIDTH, TrfPlayer, read_player

if TYPE_CHECKING:
    from collections.abc import Callable

_OF_2026 = {"###", "142", "152", "162", "172", "182", "192", "202", "212", "222", "352", "362"}
_UNUSED = {
    *("022", "032", "072", "082", "102", "112", "152", "162", "172", "182", "202", "212", "352", "362"),
    *("013", "310", "240", "250", "260", "299", "300", "320", "330", "801", "802", "DAT", "###"),
    *("XXC", "XXZ", "XXS", "XXA", "XXP", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU"),
}
_SYSTEM_WORDS = (
    (re.compile(r"round.?robin|berger|all.?play.?all"), System.ROUND_ROBIN),
    (re.compile(r"\bteam"), System.TEAM),
    (re.compile(r"swiss|dutch|dubov|burstein|lim\b"), System.SWISS),
    (re.compile(r"\bmatch"), System.MATCH),
)
_PHASE = re.compile(r"(?:\d+/)?(\d+)(?:\+(\d+))?")
_MINUTE = 60


@dataclass(slots=True)
class _Header:
    """What the records before the player lines say."""

    facts: TournamentFacts
    findings: Findings
    players: dict[int, TrfPlayer] = field(default_factory=dict)
    fide_ids: dict[str, int] = field(default_factory=dict)
    round_days: dict[int, date] = field(default_factory=dict)
    entered: int | None = None
    unequal_times: bool = False
    own_scoring: bool = False
    codes: set[str] = field(default_factory=set)


def read_trf(raw: bytes, source: str) -> EventReport:
    """Read a tournament report file; lines and rounds that cannot be used are refused one by one.

    Raises `UnreadableFile` when there is no player line or no game at all.
    """
    findings = Findings()
    header = _Header(TournamentFacts(id_of_file(source), name=id_of_file(source)), findings)
    for number, line in lines_of(decode(raw, findings), findings):
        if line.strip():
            _read_line(line, number, header)
    if not header.players:
        found = "no player line was found; lines that begin with 001 were expected"
        first = findings.imported().refusals()
        raise UnreadableFile(Notice("refused", f"{found}; the first refusal: {first[0]}" if first else found))
    return _assembled(header, source)


def _read_line(line: str, number: int, header: _Header) -> None:
    code, value = line[:3], line[4:].strip()
    header.codes.add(code)
    if code == "001":
        player = read_player(line, number, header.findings)
        if player is not None:
            _add_player(player, header)
    elif code in _RECORDS:
        if value or code == "132":
            _RECORDS[code](line, number, header)
    elif code == "162":
        header.own_scoring = True
    elif code not in _UNUSED and not re.fullmatch("[A-Z]{3}", code):
        header.findings.adjust(
            f"begins with {shown(code)}, which is no record code; it is not read", line=number, column=1
        )


def _add_player(player: TrfPlayer, header: _Header) -> None:
    first = header.players.get(player.rank)
    if first is not None:
        found = f"has the starting rank {player.rank} of line {first.line}; each rank once was expected"
        header.findings.refuse(found, line=player.line, column=5)
        return
    if player.fide_id is not None:
        line = header.fide_ids.setdefault(player.fide_id, player.line)
        if line != player.line:
            found = f"has the FIDE number {player.fide_id} of line {line}; it is not used here"
            header.findings.adjust(found, line=player.line, column=58)
            player = replace(player, fide_id=None)
    header.players[player.rank] = player


def _name(line: str, number: int, header: _Header) -> None:
    del number
    header.facts = replace(header.facts, name=words_of(line[4:]) or header.facts.name)


def _day(which: str) -> Callable[[str, int, _Header], None]:
    def read(line: str, number: int, header: _Header) -> None:
        text = line[4:].strip()
        try:
            day = date_of(text)
        except ValueError as problem:
            header.findings.adjust(f"{problem}; the date is not used", line=number, column=5)
            return
        if day is None:
            return
        if re.fullmatch(r"\d{4}/\d{1,2}/\d{1,2}", text) is None:
            found = f"is {shown(text)}, read as {day}; the form 2025/10/31 was expected"
            header.findings.adjust(found, line=number, column=5)
        start = which == "starts_on"
        header.facts = replace(header.facts, starts_on=day) if start else replace(header.facts, ends_on=day)

    return read


def _entered(line: str, number: int, header: _Header) -> None:
    found = re.match(r"\s*(\d{1,5})", line[4:])
    if found is None:
        header.findings.adjust("is no number of players; it is not used", line=number, column=5)
    else:
        header.entered = int(found[1])


def _kind(line: str, number: int, header: _Header) -> None:
    """Read 092 or 192, the type of the tournament, and the time control where the words name it."""
    del number
    words = slug(line[4:]).replace("-", " ")
    system = next((system for pattern, system in _SYSTEM_WORDS if pattern.search(words)), None)
    facts = header.facts
    header.facts = replace(
        facts,
        system=facts.system or system,
        time_control=facts.time_control or time_control_in(line[4:]),
    )


def _time_words(line: str, number: int, header: _Header) -> None:
    """Read 122, free text: only a plain word is taken from it."""
    del number
    if header.facts.time_control is None:
        header.facts = replace(header.facts, time_control=time_control_in(line[4:]))


def _seconds(line: str, number: int, header: _Header) -> None:
    """Read 222, the time control in seconds: `5400+30`, `40/6000+30:900+30`; `W300-B240` is unequal."""
    text = line[4:].strip()
    if re.fullmatch(r"W.+-B.+", text, re.IGNORECASE):
        header.unequal_times = True
        found = "gives the players unequal times; such games are not rated as rapid or blitz"
        header.findings.adjust(found, line=number, column=5)
        return
    phases = [_PHASE.fullmatch(part.strip()) for part in text.split(":")]
    if not all(phases):
        found = f"is {shown(text)}; seconds such as 5400+30 were expected, it is not used"
        header.findings.adjust(found, line=number, column=5)
        return
    main = sum(int(phase[1]) for phase in phases if phase)
    increment = max(int(phase[2] or 0) for phase in phases if phase)
    day = header.facts.starts_on or date.max
    found_control = time_control_of(minutes=main // _MINUTE, increment=increment, day=day)
    if found_control is None:
        header.findings.adjust("is too fast for any rating; it is not used", line=number, column=5)
    else:
        header.facts = replace(header.facts, time_control=found_control)


def _round_days(line: str, number: int, header: _Header) -> None:
    """Read 132: the day of every round as YY/MM/DD, above the columns of the round."""
    for round_, start in enumerate(range(FIRST_ROUND - 1, len(line.rstrip()), ROUND_WIDTH), start=1):
        text = line[start : start + ROUND_WIDTH].strip()
        if not text:
            continue
        century = "" if re.match(r"\d{4}", text) else "20"
        try:
            day = date_of(century + text)
        except ValueError:
            found = f"round {round_} has the day {shown(text)}; YY/MM/DD was expected, it is not used"
            header.findings.adjust(found, line=number, column=start + 1)
            continue
        if day is not None:
            header.round_days[round_] = day


def _rounds(line: str, number: int, header: _Header) -> None:
    text = line[4:].strip()
    if not text.isdecimal() or not 0 < int(text) <= 1000:  # noqa: PLR2004 - the contract's greatest round
        found = f"is {shown(text)}; a number of rounds was expected, it is not used"
        header.findings.adjust(found, line=number, column=5)
        return
    header.facts = replace(header.facts, rounds=int(text))


_RECORDS: dict[str, Callable[[str, int, _Header], None]] = {
    "012": _name,
    "042": _day("starts_on"),
    "052": _day("ends_on"),
    "062": _entered,
    "092": _kind,
    "122": _time_words,
    "132": _round_days,
    "142": _rounds,
    "192": _kind,
    "222": _seconds,
    "XXR": _rounds,
}


def _assembled(header: _Header, source: str) -> EventReport:
    findings, players = header.findings, header.players
    if header.entered is not None and header.entered != len(players):
        found = f"record 062 counts {header.entered} players, but {len(players)} player lines were read"
        findings.adjust(found)
    if not header.own_scoring:
        check_points(players.values(), findings)
    assembly = Assembly(header.facts.tournament_id, findings)
    names = {rank: player.fide_id or f"rank:{rank}" for rank, player in players.items()}
    for rank, player in players.items():
        assembly.entrant(_entrant(names[rank], player), Place(player.line))
    rateable = not (header.unequal_times and header.facts.time_control is not TimeControl.STANDARD)
    for pairing in pairings(players, findings):
        game = GameFacts(
            game_id="",
            white=names[pairing.white],
            black=None if pairing.black is None else names[pairing.black],
            result=pairing.result,
            status=pairing.status,
            rated=pairing.rated and rateable,
            round=pairing.round,
            played_on=header.round_days.get(pairing.round),
            line=pairing.line,
        )
        assembly.game(game, Place(pairing.line))
    form = "trf26" if header.codes & _OF_2026 else "trf16"
    return assembly.report(source, form, header.facts)


def _entrant(entrant_id: str, player: TrfPlayer) -> EntrantFacts:
    return EntrantFacts(
        entrant_id=entrant_id,
        player_id=player.fide_id,
        name=player.name,
        federation=player.federation,
        title=player.title,
        birth_year=player.birth_year,
        rating=player.rating.value,
        unrated=player.rating.unrated,
    )
