"""PGN by its tag pairs: who played, when, with which ratings, and how it ended. Moves are not read.

The last copy of a game counts, because broadcasts send the whole game again at every move. A game is known
by its address (GameURL) where it has one, else by its round and players.
Source: PGN standard of 1994, sections 8.1 and 9; tags of broadcasts as they occur.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.domain import System, TimeControl, time_control_of
from elowire.ingest.readers.assembly import Assembly, Place, id_of_file, slug, time_control_in
from elowire.ingest.readers.fields import (
    date_of,
    player_id_of,
    rating_of,
    result_of,
    title_of,
    words_of,
)
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

_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_ROUND = re.compile(r"(\d{1,3})(?:\.(\d{1,4}))?(?:\.\d{1,4})?")
"""round, or round.board as broadcasts write it"""

_CLOCK = re.compile(r"(\d+)(?:\+(\d+))?")
_MINUTE = 60
"""Seconds; TimeControl tags count the base time in them."""


@dataclass(slots=True)
class _Tags:
    """The tag pairs of one game and the line of the first."""

    line: int
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def get(self, name: str) -> str:
        value = self.values.get(name, "").strip()
        return "" if value in {"?", "-"} else value


class _RefusedTag(Exception):  # noqa: N818 - leaves a game, never the module
    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name
        self.text = text


def tag_sections(lines: list[tuple[int, str]], findings: Findings) -> Iterator[_Tags]:
    """Give the tag pairs game by game; a line that begins like a tag but is none is refused."""
    tags: _Tags | None = None
    in_moves = False
    for number, raw in lines:
        line = raw.strip()
        if not line.startswith("["):
            in_moves = in_moves or bool(line and not line.startswith("%"))
            continue
        found = _TAG.fullmatch(line)
        if found is None:
            # A comment inside the moves may begin a line with [%clk ...].
            if not line.startswith("[%"):
                findings.refuse('is no tag; [Name "value"] was expected', line=number, column=1)
            continue
        if tags is None or in_moves or found[1] in tags.values:
            if tags is not None:
                yield tags
            tags, in_moves = _Tags(number), False
        tags.values[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        tags.lines[found[1]] = number
    if tags is not None:
        yield tags


def read_pgn(raw: bytes, source: str) -> EventReport:
    """Read the games of one event; games that cannot be used are refused one by one.

    Raises `UnreadableFile` when no game is found or none can be used.
    """
    findings = Findings()
    assembly = Assembly(id_of_file(source), findings)
    names: Counter[str] = Counter()
    controls: Counter[TimeControl] = Counter()
    latest: dict[str, tuple[_Tags, GameFacts, EntrantFacts, EntrantFacts]] = {}
    sections = 0
    for tags in tag_sections(lines_of(decode(raw, findings), findings), findings):
        sections += 1
        names[tags.get("BroadcastName") or tags.get("Event")] += 1
        try:
            game, white, black = _game(tags)
        except _RefusedTag as refused:
            findings.refuse(refused.text, line=tags.lines.get(refused.name, tags.line), field=refused.name)
            continue
        control = _time_control(tags, game)
        if control is not None:
            controls[control] += 1
        latest[game.game_id] = (tags, game, white, black)
    if not sections:
        raise UnreadableFile(Notice("refused", 'no game was found; tags such as [White "..."] were expected'))
    for tags, game, white, black in latest.values():
        place = Place(tags.line)
        if assembly.game(game, place):
            assembly.entrant(white, place)
            assembly.entrant(black, place)
    return assembly.report(source, "pgn", _tournament(assembly, names, controls, findings))


def _tournament(
    assembly: Assembly, names: Counter[str], controls: Counter[TimeControl], findings: Findings
) -> TournamentFacts:
    common = [name for name, _ in names.most_common() if name]
    if len(controls) > 1:
        found = ", ".join(f"{count} {control}" for control, count in controls.most_common())
        findings.adjust(f"the games have different time controls ({found}); the most frequent is used")
    name = words_of(common[0]) if common else None
    if len(common) > 1:
        findings.adjust(f"the games name {len(common)} different events; all are read as one, {name}")
    return TournamentFacts(
        tournament_id=assembly.tournament_id,
        name=name or assembly.tournament_id,
        time_control=controls.most_common(1)[0][0] if controls else time_control_in(*common[:1]),
        system=System.MATCH if name and "match" in slug(name).split("-") else None,
    )


def _game(tags: _Tags) -> tuple[GameFacts, EntrantFacts, EntrantFacts]:
    white, black = _entrant(tags, "White"), _entrant(tags, "Black")
    if "Result" not in tags.values:
        raise _RefusedTag("Result", "is missing; a result such as 1-0 was expected")
    try:
        result, status = result_of(tags.values["Result"])
        played_on = date_of(tags.get("Date") or tags.get("UTCDate"))
    except ValueError as problem:
        raise _RefusedTag("Result" if "date" not in str(problem) else "Date", str(problem)) from None
    if status is GameStatus.PLAYED and tags.get("Termination").lower() in {
        "unplayed",
        "forfeit",
        "unterminated",
    }:
        status = GameStatus.FORFEIT
    round_, board = _round(tags)
    url = tags.get("GameURL")
    game = GameFacts(
        game_id=_game_id(tags, white.entrant_id, black.entrant_id),
        white=white.entrant_id,
        black=black.entrant_id,
        result=result,
        status=status,
        rated=result is Result.UNKNOWN or _is_standard_chess(tags),
        round=round_,
        board=board,
        played_on=played_on,
        url=url if re.fullmatch(r"https?://[!-~]{1,2000}", url) else None,
        line=tags.line,
    )
    return game, white, black


def _game_id(tags: _Tags, white: str, black: str) -> str:
    """Name a game by the last part of its address, else by the whole round tag and the players."""
    for name in ("GameURL", "Site"):
        address = tags.get(name)
        last = address.rstrip("/").rsplit("/", 1)[-1]
        if address.startswith("http") and re.fullmatch(r"[!-~]{6,64}", last):
            return last
    prefix = slug(tags.get("Round"))
    return "-".join([f"r{prefix}" if prefix else "game", *sorted((white, black))])[:128]


def _is_standard_chess(tags: _Tags) -> bool:
    return tags.get("Variant").lower() in {"", "standard", "chess", "from position"}


def _entrant(tags: _Tags, colour: str) -> EntrantFacts:
    name = words_of(tags.get(colour))
    try:
        player_id = player_id_of(tags.get(f"{colour}FideId"))
    except ValueError as problem:
        raise _RefusedTag(f"{colour}FideId", str(problem)) from None
    if player_id is None and name is None:
        raise _RefusedTag(colour, f"neither {colour} nor {colour}FideId names the player")
    try:
        rating = rating_of(tags.get(f"{colour}Elo"))
    except ValueError as problem:
        raise _RefusedTag(f"{colour}Elo", str(problem)) from None
    return EntrantFacts(
        entrant_id=player_id or f"name:{slug(name or '') or 'unknown'}"[:100],
        player_id=player_id,
        name=name,
        title=title_of(tags.get(f"{colour}Title")),
        rating=rating.value,
        unrated=rating.unrated,
    )


def _round(tags: _Tags) -> tuple[int | None, int | None]:
    """Read `4` or `4.1` (round and board); other words leave the round open."""
    found = _ROUND.fullmatch(tags.get("Round"))
    if found is None or not int(found[1]):
        return None, None
    board = re.fullmatch(r"[0-9]{1,5}", found[2] or tags.get("Board"))
    return int(found[1]), (int(board[0]) or None) if board else None


def _time_control(tags: _Tags, game: GameFacts) -> TimeControl | None:
    """Read the TimeControl tag in seconds (`5400+30`, several phases with colons), else a plain word."""
    text = tags.get("TimeControl")
    phases = [_CLOCK.fullmatch(part.rsplit("/", 1)[-1]) for part in text.split(":")] if text else []
    if phases and all(phases) and game.played_on is not None:
        seconds = sum(int(phase[1]) for phase in phases if phase)
        increment = max(int(phase[2] or 0) for phase in phases if phase)
        return time_control_of(minutes=seconds // _MINUTE, increment=increment, day=game.played_on)
    return time_control_in(text)
