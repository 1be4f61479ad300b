"""Players and their live figures as lines: the same ones in `elowire live` and `elowire watch`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from elowire.cli.plain import plain
from elowire.cli.ticker_client import Figures, Person
from elowire.domain import hundredths

UP, DOWN, CORRECTED = "green", "red", "dark_orange"
NAME_WIDTH = 25


class Line(NamedTuple):
    """One player in one time control."""

    person: Person
    figures: Figures
    place: int | None = None

    @property
    def name(self) -> str:
        """Who it is, as far as a list or an entry said."""
        name = self.person.name or self.person.player_id
        return plain(f"{self.person.title} {name}" if self.person.title else name)

    @property
    def score(self) -> tuple[int, int, str]:
        """What to sort by, the highest live rating first; the unrated come last."""
        published = self.figures.published
        rating = (published.rating if published else None) or 0
        if not rating:
            return 0, 0, self.name
        return -(rating * 100 + hundredths(self.figures.change or "0")), -rating, self.name


def places(lines: Iterable[Line]) -> list[Line]:
    """Sort lines and number them as a top list does: equal figures share a place (1, 2, 2, 4)."""
    placed: list[Line] = []
    for number, line in enumerate(sorted(lines, key=lambda line: line.score), 1):
        same = bool(placed) and placed[-1].score[0] == line.score[0]
        place = placed[-1].place if same else number
        placed.append(line._replace(place=place if line.score[0] else None))
    return placed


def signed(change: str | None) -> str:
    """Write a change with its sign: "+8.30", "-1.20", "0.00"."""
    if change is None or change.startswith("-") or not hundredths(change):
        return change or ""
    return f"+{change}"


def live_text(figures: Figures) -> str:
    """Write the live rating; a first rating in the making has a sign of its own, `≈`."""
    if figures.live is not None:
        return figures.live
    if figures.initial is not None and figures.initial.ru is not None:
        return f"≈{figures.initial.ru}"
    return "-"


def standings_table(
    lines: Iterable[Line], *, title: str | None = None, lit: frozenset[str] = frozenset()
) -> Table:
    """Build the table of lines, at most 80 columns wide; the players in `lit` have just changed."""
    table = Table(
        title=None if title is None else Text(title),
        title_justify="left",
        header_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for heading in ("#", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Player", no_wrap=True, overflow="ellipsis", max_width=NAME_WIDTH)
    table.add_column("Fed", no_wrap=True)
    for heading in ("List", "Live", "Change", "Next", "Games"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in lines:
        style = "reverse" if line.person.player_id in lit else ""
        table.add_row(*_cells(line), style=style)
    return table


def _cells(line: Line) -> list[Text]:
    figures = line.figures
    published = figures.published.rating if figures.published else None
    moved = figures.rank_change or 0
    change = signed(figures.change if published else None)
    colour = DOWN if change.startswith("-") else UP if change.startswith("+") else ""
    next_list = figures.predicted

    return [
        Text("" if line.place is None else str(line.place)),
        Text(f"▲{moved}" if moved > 0 else f"▼{-moved}" if moved else "", UP if moved > 0 else DOWN),
        Text(line.name),
        Text(plain(line.person.federation or "")),
        Text(str(published or "")),
        Text(live_text(figures), "bold" if figures.live is not None else "italic"),
        Text(change, colour),
        Text("" if next_list is None else str(next_list)),
        Text(str(figures.pending_games or "")),
    ]
