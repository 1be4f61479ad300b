"""What one player event does to an account: the decision of the player stage.

Everything here is a function of the account and the event; what is to be published goes to a `Voice`.
"""

from __future__ import annotations

from typing import Any, Protocol

from elowire.domain import Refusal
from elowire.processor import state as states
from elowire.processor.causes import PUBLISHED_RATING, REPORTED_CHANGE, TOURNAMENT, Cause, cause, cause_of
from elowire.processor.entries import (
    FACTS,
    LISTS_KEPT,
    ROWS,
    Account,
    Entry,
    Known,
    Reported,
    Side,
    drop,
    find,
    keep,
    name_of,
    new_account,
    side_from,
    side_in,
    side_of,
    sides_of,
)
from elowire.processor.figures import PREVIOUS, cap_once, figures_of, listed_until, printed_until
from elowire.processor.first import First
from elowire.processor.reconcile import reconciliation_of

Event = dict[str, Any]
SILENT = frozenset({Refusal.WITHDRAWN.value})


class Voice(Protocol):
    """Where an account's output events go."""

    def live_rating(
        self, account: Account, cause: Cause, changed: list[str], game: tuple[str, Side, bool] | None
    ) -> None:
        """Publish the account's figures under its version; `game` is what `rated_game` takes."""

    def rated_game(self, account: Account, game: str, side: Side, *, settled: bool) -> None:
        """Publish one side of one game; `settled` says whether its period is in a list."""

    def reconciliation(self, rating_list: str, verdicts: dict[str, Any]) -> None:
        """Publish how predictions compare with a list."""


class Ledger:
    """One player's account during a batch."""

    def __init__(self, raw: bytes | None, decoded: Account | None = None) -> None:
        if decoded is None:
            decoded = new_account() if raw is None else states.decode(raw)
        self.account: Account = decoded
        self.changed = False

    def take(self, event: Event, voice: Voice) -> None:
        """Take one player event; an older or a known one changes nothing."""
        match event["t"]:
            case "side":
                self._take_side(event, voice)
            case "reported":
                self._take_reported(event, voice)
            case "first":
                self._take_first(event, voice)
            case "list":
                self._take_list(event, voice)
            case _:
                raise AssertionError("the door lets no other record in")

    # -- games --------------------------------------------------------------------------------------------

    def _take_side(self, event: Event, voice: Voice) -> None:
        account, name, tournament_id = self.account, event["g"], event["T"]
        game_id = name[len(tournament_id) + 1 :]
        stored = find(account, tournament_id, game_id)
        old = None if stored is None else side_in(stored, game_id)
        settled = self._settled(name) if old is None else None
        known: Known | Side | None = settled if old is None else old
        if known is not None and known.revision >= event["r"]:
            return
        side = side_from(event)
        if stored is not None:
            drop(account, stored, game_id)
        if late := self._is_late(side):
            self._remember(name, side)
            moved = [] if old is None else cap_once(account, old.entry)
            same = settled is not None and settled.digest == Known.of(side).digest
        else:
            self._forget(name)
            keep(account, game_id, side)
            if moved := cap_once(account, side.entry):
                side = self._pending(side, game_id)
            same = old is not None and old[2:] == side[2:] and old.entry == side.entry

        if side.refusal in SILENT and known is None:
            self._bump()
            return  # he never had the game
        time_control = side.entry.time_control
        affected = {time_control} if old is None else {time_control, old.entry.time_control}
        affected.discard(None)
        changed = self._refigure(affected)
        self._bump()
        if same and not changed:
            return
        if changed:
            account["v"] += 1
            voice.live_rating(account, cause_of(event, known, side), changed, (name, side, late))
        voice.rated_game(account, name, side, settled=late)
        for other in moved:
            if other != game_id:
                beside = self._pending(side, other)
                voice.rated_game(account, name_of(tournament_id, other), beside, settled=False)

    def _is_late(self, side: Side) -> bool:
        """Whether a side belongs to a period that is in a list already."""
        period = side.entry.period

        return period is not None and period <= listed_until(self.account, side.entry)

    def _pending(self, beside: Side, game_id: str) -> Side:
        """Return a pending game of the same tournament."""
        stored = find(self.account, beside.entry.tournament_id, game_id)
        if stored is None:
            raise LookupError(game_id)

        return side_in(stored, game_id)

    def _settled(self, game: str) -> Known | None:
        """Return what remains of a game whose period is in a list already."""
        for games in self.account["S"].values():
            if game in games:
                return Known(*games[game])

        return None

    def _remember(self, game: str, side: Side) -> None:
        """Keep that a game is settled, for as many lists as reports may come late."""
        self._forget(game)
        periods = self.account["S"]
        periods.setdefault(side.entry.period, {})[game] = list(Known.of(side))
        for period in sorted(periods)[:-LISTS_KEPT]:
            if period != side.entry.period:  # the one just written must be known when its record comes again
                del periods[period]

    def _forget(self, game: str) -> None:
        for games in self.account["S"].values():
            games.pop(game, None)

    # -- reported sums and lists --------------------------------------------------------------------------

    def _take_reported(self, event: Event, voice: Voice) -> None:
        name = f"{event['T']}/{event['tc']}"
        old = self.account["R"].get(name)
        if old is not None and old[0] >= event["r"]:
            return
        if old is None and event["p"] < self._oldest_list():
            return  # every list that could stand on it is past
        line = Reported(
            event["r"], event["tc"], event["e"], event["p"], event["d"], event["n"], event["w"], event["st"]
        )
        self.account["R"][name] = list(line)
        affected = {line.time_control, old[1] if old else None} - {None}
        changed = self._refigure(affected)
        self._bump()
        if changed:
            self.account["v"] += 1
            kind = "annulment" if line.status == "annulled" else "game" if old is None else "correction"
            why = cause(event["r"][1], REPORTED_CHANGE, kind, tournament_id=event["T"])
            voice.live_rating(self.account, why, changed, None)

    def _take_first(self, event: Event, voice: Voice) -> None:
        """Take what an event adds to a first rating; the highest revision of a tournament wins."""
        first = First(*event["f"])
        name = f"{event['T']}/{event['E']}"
        old = self.account["P"].get(name)
        if old is not None and old[0] >= first.revision:
            return
        if first.period <= printed_until(self.account, first.time_control):
            return  # a list has printed a rating since: the pool is closed
        self.account["P"][name] = list(first)
        changed = self._refigure({first.time_control, old[1] if old else first.time_control})
        self._bump()
        if changed:
            self.account["v"] += 1
            why = cause(event["c"], TOURNAMENT, "resolution", tournament_id=event["T"])
            voice.live_rating(self.account, why, changed, None)

    def _take_list(self, event: Event, voice: Voice) -> None:
        lists, name = self.account["L"], event["l"]
        old = lists.get(name)
        if old is not None and old[:2] >= event["r"]:
            return
        newest = max(lists, default="")
        if len(lists) >= LISTS_KEPT and name < min(lists):
            return
        verdicts = {}
        if name > newest:
            verdicts = reconciliation_of(self.account, name, event["tc"])
        lists[name] = [*event["r"], event["kd"], event["tc"], event["y"]]
        while len(lists) > LISTS_KEPT:
            del lists[min(lists)]
        settled = self._settle()
        if not self._is_asked_for(settled):
            self._bump()
            return  # the list is kept, nothing is said
        changed = self._refigure({*event["tc"], *self.account["F"]})
        self._bump()
        if changed:
            self.account["v"] += 1
            kind = "base-correction" if event["kd"] == "correction" else "list"
            voice.live_rating(self.account, cause(event["r"][1], PUBLISHED_RATING, kind), changed, None)
        if verdicts:
            voice.reconciliation(name, verdicts)
        for game, side in settled:
            voice.rated_game(self.account, game, side, settled=True)

    def _oldest_list(self) -> str:
        return min(self.account["L"], default="")

    def _is_asked_for(self, settled: list[tuple[str, Side]]) -> bool:
        """Whether anything but lists is known of the player."""
        account = self.account
        if account["v"] or account["R"] or account["P"] or settled:
            return True

        return any(side.refusal not in SILENT for _, side in sides_of(account))

    def _settle(self) -> list[tuple[str, Side]]:
        """Move every side whose period is in a list now out of the account; returns them."""
        settled = []
        for stored in list(self.account["E"]):
            entry = Entry(*stored[FACTS])
            if entry.period is not None and entry.period <= listed_until(self.account, entry):
                for game_id, row in stored[ROWS].items():
                    name, side = name_of(entry.tournament_id, game_id), side_of(entry, row)
                    self._remember(name, side)
                    settled.append((name, side))
                self.account["E"].remove(stored)
        oldest = self._oldest_list()
        for name, line in list(self.account["R"].items()):
            if Reported(*line).period < oldest:
                del self.account["R"][name]
        for name, line in list(self.account["P"].items()):
            if First(*line).period <= printed_until(self.account, First(*line).time_control):
                del self.account["P"][name]

        return settled

    # -- figures ------------------------------------------------------------------------------------------

    def _refigure(self, time_controls: set[Any]) -> list[str]:
        """Compute figures again; returns the time controls where they changed."""
        account, lines = self.account, self.account["F"]
        if not account["v"]:
            # Lists that came before anybody asked were kept in silence.
            time_controls = time_controls.union(*(entry[3] for entry in account["L"].values()))
        changed = []
        for time_control in sorted(time_controls):
            before = lines.get(time_control)
            figures = figures_of(account, time_control)
            if figures is None:
                if before is not None:
                    del lines[time_control]
                    changed.append(time_control)
                continue
            after = list(figures)
            if before is None or after[:PREVIOUS] != before[:PREVIOUS]:
                lines[time_control] = after
                changed.append(time_control)

        return changed

    def _bump(self) -> None:
        self.account["s"] += 1
        self.changed = True
