"""Made-up lists in FIDE's shapes: the same players in each of them, written as FIDE writes them."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FIXED = f"{'ID Number':<15}{'Name':<61}Fed Sex Tit  WTit {'OTit':<15}"
_RATINGS = "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
HEADERS = {
    "combined": f"{_FIXED}FOA {_RATINGS}",
    "legacy": f"{_FIXED}{_RATINGS}",
    "standard": f"{_FIXED}FOA OCT26 Gms K  B-day Flag",
    "old": "ID number Name                              TitlFed  Mar11 GamesBorn  Flag",
}
TEXT = tuple(HEADERS)
MARKUP = ("combined-xml", "standard-xml")
FORMATS = (*TEXT, *MARKUP)
FEDERATIONS = ("NOR", "IND", "GER", "USA", "ESP", "CHN", "POL", "")
OLD_TITLES = {"GM": "g", "IM": "m", "FM": "f", "WGM": "wg"}


@dataclass(frozen=True)
class Player:
    """One made-up player; a rating is (rating, games, K)."""

    player: int
    name: str
    federation: str = "NOR"
    sex: str = "M"
    title: str = ""
    woman_title: str = ""
    other_titles: str = ""
    standard: tuple[int, int, int] = (0, 0, 0)
    rapid: tuple[int, int, int] = (0, 0, 0)
    blitz: tuple[int, int, int] = (0, 0, 0)
    birth_year: int = 0
    flag: str = ""


def text_line(player: Player, shape: str) -> str:
    """Write one line; other titles that are too long push the rest to the right, as they do at FIDE's."""
    if shape == "old":
        title = OLD_TITLES.get(player.title or player.woman_title, "")
        rating, games, _ = player.standard
        return (
            f"{player.player:>8}  {player.name:<34}{title:<4}{player.federation:<5}{rating:<6}{games:>3}  "
            f"{player.birth_year:<6}{player.flag:<4}"
        )
    arena = "" if shape == "legacy" else f"{'':<4}"
    ratings = (player.standard,) if shape == "standard" else (player.standard, player.rapid, player.blitz)
    figures = "".join(f"{rating:<6}{games:<4}{k:<3}" for rating, games, k in ratings)
    return (
        f"{player.player:<15}{player.name:<61}{player.federation:<4}{player.sex:<4}{player.title:<5}"
        f"{player.woman_title:<5}{player.other_titles:<15}{arena}{figures}{player.birth_year:<6}{player.flag:<4}"
    )


def markup(player: Player, shape: str) -> str:
    """Write one player as XML."""
    fields: list[tuple[str, object]] = [
        ("fideid", player.player),
        ("name", player.name.replace("&", "&amp;")),
        ("country", player.federation),
        ("sex", player.sex),
        ("title", player.title),
        ("w_title", player.woman_title),
        ("o_title", player.other_titles),
        ("foa_title", ""),
    ]
    kinds = ("",) if shape == "standard-xml" else ("", "rapid_", "blitz_")
    for kind, figures in zip(kinds, (player.standard, player.rapid, player.blitz), strict=False):
        fields += zip((f"{kind}rating", f"{kind}games", f"{kind}k"), figures, strict=True)
    fields += [("birthday", player.birth_year), ("flag", player.flag)]
    return "<player>\n" + "".join(f"<{tag}>{value}</{tag}>\n" for tag, value in fields) + "</player>\n"


def written(players: Iterable[Player], shape: str) -> Iterator[str]:
    """Write a whole list, piece by piece."""
    if shape in MARKUP:
        yield "<playerslist>\n"
        yield from (markup(player, shape) for player in players)
        yield "</playerslist>\n"
        return
    yield HEADERS[shape] + "\r\n"
    yield from (text_line(player, shape) + "\r\n" for player in players)


def players(count: int, *, seed: int = 1, moved: float = 0.0, month: int = 0) -> Iterator[Player]:
    """Make up players in no order of their ids; two in five are rated, and `moved` of them change a month."""
    chance = random.Random(seed)
    numbers = list(range(count))
    chance.shuffle(numbers)
    change = random.Random(f"{seed}/{month}")
    for number in numbers:
        made = _player(100_000 + number * 7, number)
        if month and made.standard[0] and change.random() < moved:
            rating, _, k = made.standard
            made = replace(made, standard=(rating + month, 9, k))
        yield made


def _player(player: int, number: int) -> Player:
    woman = number % 11 == 0
    rated = number % 5 < 2
    k = 10 if number % 97 == 0 else 20
    return Player(
        player=player,
        name=f"Surname{number % 99_991}, Given{number % 7_919}",
        federation=FEDERATIONS[number % len(FEDERATIONS)],
        sex="F" if woman else "M",
        title="GM" if rated and number % 97 == 0 else "",
        standard=(1400 + number * 37 % 1300, number % 13 if number % 4 == 0 else 0, k)
        if rated
        else (0, 0, 0),
        rapid=(1400 + number * 31 % 1300, 0, 20) if rated and number % 3 else (0, 0, 0),
        blitz=(1400 + number * 29 % 1300, 0, 20) if rated and number % 7 == 0 else (0, 0, 0),
        birth_year=1950 + number % 65,
        flag=("w" if woman else "") + ("i" if number % 6 == 0 else ""),
    )
