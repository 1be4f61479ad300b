"""The entrants without an identity as a page for the operator, with the command that says who they are."""

from __future__ import annotations

import shlex
from html import escape
from pathlib import Path

from elowire.ingest.book import Book, BookError
from elowire.ingest.entrants_store import Nobody, count_nobodies, nobodies
from elowire.ingest.identities_work import proposed
from elowire.ingest.service_store import Store

SHOWN = 500
"""Entrants on the page; the others are counted."""

_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;"
    "padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;"
    "padding:.35rem .75rem .35rem 0;border-bottom:1px solid #8886}code{font-size:.9em;overflow-wrap:anywhere}"
)
_COLUMNS = ("Tournament", "Entrant", "Name", "Federation", "Born", "Counts as", "Say who it is")


def page_of(store: Store, book: Path) -> str:
    """Write the page; what comes from sources is text in it and never markup."""
    found = nobodies(store, most=SHOWN)
    total = sum(count_nobodies(store))
    head = "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
    rows = "".join(_row(one, ids) for one, ids in _with_proposals(found, book))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if found else ""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Entrants without an identity ({total})</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>Entrants without an identity</h1><p>{_summary(total, len(found))}</p>{table}"
        "<p>These came through ingest. <code>elowire entrants unresolved</code> reads the topics and lists "
        "also those that a source wrote into Kafka by itself.</p></main></body></html>\n"
    )


def _summary(total: int, shown: int) -> str:
    if not total:
        return "Every entrant is somebody."
    more = f" The first {shown} are shown." if shown < total else ""
    whose = "entrant has" if total == 1 else "entrants have"
    return f"{total} {whose} no FIDE id. Games of those who are nobody wait.{more}"


def _row(one: Nobody, ids: tuple[str, ...]) -> str:
    born = "" if one.birth_year is None else str(one.birth_year)
    # A proposal has the exact name, federation and year of birth, and still somebody must say it.
    commands = "<br>".join(f"<code>{escape(_command(one, player))}</code>" for player in ids or ("ID",))
    cells = (one.tournament_id, one.entrant_id, one.name, one.federation, born, one.player_id)
    return "<tr>" + "".join(f"<td>{escape(cell or '')}</td>" for cell in cells) + f"<td>{commands}</td></tr>"


def _command(one: Nobody, player_id: str) -> str:
    words = ("elowire", "entrants", "identify", one.entrant_id, "--tournament", one.tournament_id)
    return f"{shlex.join(words)} --player {player_id} --why '...'"


def _with_proposals(found: list[Nobody], book: Path) -> list[tuple[Nobody, tuple[str, ...]]]:
    if not found or not book.exists():
        return [(one, ()) for one in found]
    try:
        with Book(book) as opened:
            return [(one, tuple(proposed(opened, one))) for one in found]
    except BookError:
        return [(one, ()) for one in found]
