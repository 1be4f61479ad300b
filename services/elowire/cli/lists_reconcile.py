"""What a list says of the predictions for it, from the topic `reconciliations`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from elowire.cli.output import Format, chosen, console, print_json, table_of
from elowire.contracts.outputs import Comparison, Reconciliation
from elowire.contracts.topics import RECONCILIATIONS
from elowire.contracts.vocabulary import ReconciliationVerdict
from elowire.domain import TimeControl
from elowire.ingest.book import players_of
from elowire.runtime.kafka import read_all
from elowire.runtime.security import Cluster

_COLUMNS = {
    "player_id": "Player",
    "name": "Name",
    "time_control": "Time control",
    "predicted": "Predicted",
    "published": "Published",
    "difference": "Difference",
    "verdict": "Cause",
    "sides": "Games here",
}


@dataclass(slots=True)
class Found:
    """The newest comparison of each player for one list."""

    rating_list: str
    players: dict[str, Reconciliation] = field(default_factory=dict)
    unreadable: int = 0

    def differing(self) -> Iterator[int]:
        """Give the FIDE ids of the players with a difference."""
        return players_of({row["player_id"] for row in self.rows()})

    def rows(self) -> list[dict[str, Any]]:
        """Give a row for each comparison that is not equal, the greatest difference first."""
        rows = [
            {
                "player_id": player_id,
                "time_control": time_control.value,
                "predicted": said.predicted,
                "published": said.published,
                "difference": said.difference,
                "verdict": said.verdict.value,
                "sides": said.sides,
            }
            for player_id, time_control, said in self._comparisons()
            if said.verdict is not ReconciliationVerdict.EQUAL
        ]
        return sorted(rows, key=lambda row: (-abs(row["difference"]), row["player_id"], row["time_control"]))

    def verdicts(self) -> dict[str, dict[str, int]]:
        """Count the verdicts: time control -> verdict -> players."""
        counts: dict[str, Counter[str]] = {}
        for _, time_control, said in self._comparisons():
            counts.setdefault(time_control.value, Counter())[said.verdict.value] += 1
        return {time_control: dict(count.most_common()) for time_control, count in counts.items()}

    def _comparisons(self) -> Iterator[tuple[str, TimeControl, Comparison]]:
        for player_id, found in self.players.items():
            for time_control in TimeControl:
                said: Comparison | None = getattr(found, time_control.value)
                if said is not None:
                    yield player_id, time_control, said


async def reconciliation(cluster: Cluster, rating_list: str) -> Found:
    """Read the comparisons with one list; a repeated one counts once, a later one replaces it."""
    found = Found(rating_list)
    async for records in read_all(cluster, [RECONCILIATIONS.name]):
        for record in records:
            try:
                event = Reconciliation.model_validate_json(record.value or b"")
            except ValidationError:
                found.unreadable += 1
                continue
            if event.list == rating_list:
                found.players[event.player_id] = event
    return found


def print_reconciliation(found: Found, names: Mapping[str, str | None], form: Format | None) -> None:
    """Print the counts and everybody who differs."""
    rows = [{**row, "name": names.get(row["player_id"])} for row in found.rows()]
    verdicts = found.verdicts()
    if chosen(form) is Format.JSON:
        print_json(
            {
                "list": found.rating_list,
                "players": len(found.players),
                "verdicts": verdicts,
                "differences": rows,
                "unreadable": found.unreadable,
            }
        )
        return
    screen = console()
    for time_control, counts in verdicts.items():
        said = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items())
        screen.print(f"{found.rating_list} {time_control}: {said}", markup=False)
    if rows:
        screen.print(table_of(rows, _COLUMNS))
    if found.unreadable:
        screen.print(f"{found.unreadable} records of {RECONCILIATIONS.name} could not be read", markup=False)
