"""What one player event does to an account: the decision of the player stage.

Everything here is a function of the account and the event; what is to be published goes to a `Voice`.
"""

from __future__ import annotations

from typing import Any, Protocol

from elowire.domain import Refusal
from elowire.processor import state as states
from elowire.processor.entries import AT_REFUSAL, LISTS_KEPT, Account, Reported, Side, new_account, side_from
from elowire.processor.figures import Figures, cap_once, figures_of, listed_until, printed_until
from elowire.processor.first import First
from elowire.processor.reconcile import reconciliation_of

Event = dict[str, Any]
Cause = dict[str, Any]

GAME_RESULT = "elowire.game-result.v1"
ENTRANT = "elowire.entrant.v1"
TOURNAMENT = "elowire.tournament.v1"
PUBLISHED_RATING = "elowire.published-rating.v1"
REPORTED_CHANGE = "elowire.reported-change.v1"

SILENT = frozenset({Refusal.WITHDRAWN.value})


class Voice(Protocol):
    """Where an account's output events go."""

    def live_rating(
        self, account: Account, cause: Cause, changed: list[str], game: tuple[str, Side] | None
    ) -> None:
        """Publish the account's figures under its version."""

    def rated_game(self, account: Account, game: str, side: Side, status: str) -> None:
        """Publish one side of one game."""

    def reconciliation(self, rating_list: str, verdicts: dict[str, Any]) -> None:
        """Publish how predictions compare with a list."""


class Ledger:
    """One player's account and settled games during a batch."""

    def __init__(self, raw: bytes | None, settled: bytes | None) -> None:
        self.account: Account = new_account() if raw is None else states.decode(raw)
        self.settled: Account = {"s": 0, "P": {}} if settled is None else states.decode(settled)
        self.changed = self.settled_changed = False

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
        game = event["g"]
        old = self._known(game)
        if old is not None and old.revision >= event["r"]:
            return
        side = side_from(event)
        pending = self.account["G"].get(game)
        moved: list[str] = []
        if side.period is not None and side.period <= listed_until(self.account, side):
            self._remember(game, side)
            self.account["G"].pop(game, None)
        else:
            self._forget(game, side)
            self.account["G"][game] = list(side)
            moved = cap_once(self.account, side)
            side = Side(*self.account["G"][game])
        late = game not in self.account["G"]
        if pending is not None and late:
            moved = cap_once(self.account, Side(*pending))

        if side.refusal in SILENT and old is None:
            self._bump()
            return  # he never had the game
        affected = {side.time_control, old.time_control if old else None} - {None}
        same = old is not None and old[1:] == side[1:] and (pending is not None) == (not late)
        changed = self._refigure(affected)
        self._bump()
        if same and not changed:
            return
        if changed:
            self.account["v"] += 1
            voice.live_rating(self.account, _cause_of(event, old, side), changed, (game, side))
        voice.rated_game(self.account, game, side, self._status(side, late=late))
        for other in moved:
            if other != game:
                entry = Side(*self.account["G"][other])
                voice.rated_game(self.account, other, entry, self._status(entry, late=False))

    @staticmethod
    def _status(side: Side, *, late: bool) -> str:
        if side.refusal in {Refusal.ANNULLED, Refusal.WITHDRAWN}:
            return "annulled"

        return "settled" if late else "pending"

    def _known(self, game: str) -> Side | None:
        entry = self.account["G"].get(game)
        if entry is None:
            for games in self.settled["P"].values():
                if game in games:
                    entry = games[game]
                    break

        return None if entry is None else Side(*entry)

    def _remember(self, game: str, side: Side) -> None:
        """Keep a side whose period is in a list already, for as many lists as reports may come late."""
        self._forget(game, side)
        periods = self.settled["P"]
        periods.setdefault(side.period, {})[game] = list(side)
        while len(periods) > LISTS_KEPT:
            del periods[min(periods)]
        self.settled["s"] = self.account["s"] + 1
        self.settled_changed = True

    def _forget(self, game: str, side: Side) -> None:
        for period, games in self.settled["P"].items():
            if game in games and period != side.period:
                del games[game]
                self.settled["s"] = self.account["s"] + 1
                self.settled_changed = True

    # -- reported sums and lists --------------------------------------------------------------------------

    def _take_reported(self, event: Event, voice: Voice) -> None:
        name = f"{event['T']}/{event['tc']}"
        old = self.account["R"].get(name)
        if old is not None and old[0] >= event["r"]:
            return
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
            cause = _cause(event["r"][1], REPORTED_CHANGE, kind, tournament_id=event["T"])
            voice.live_rating(self.account, cause, changed, None)

    def _take_first(self, event: Event, voice: Voice) -> None:
        """Take what an event adds to a first rating; the highest revision of a tournament wins."""
        first = First(*event["f"])
        old = self.account["P"].get(event["T"])
        if old is not None and old[0] >= first.revision:
            return
        if first.period <= printed_until(self.account, first.time_control):
            return  # a list has printed a rating since: the pool is closed
        self.account["P"][event["T"]] = list(first)
        changed = self._refigure({first.time_control, old[1] if old else first.time_control})
        self._bump()
        if changed:
            self.account["v"] += 1
            cause = _cause(event["c"], TOURNAMENT, "resolution", tournament_id=event["T"])
            voice.live_rating(self.account, cause, changed, None)

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
            voice.live_rating(self.account, _cause(event["r"][1], PUBLISHED_RATING, kind), changed, None)
        if verdicts:
            voice.reconciliation(name, verdicts)
        for game, side in settled:
            voice.rated_game(self.account, game, side, self._status(side, late=True))

    def _is_asked_for(self, settled: list[tuple[str, Side]]) -> bool:
        """Whether anything but lists is known of the player."""
        account = self.account
        if account["v"] or account["R"] or account["P"] or settled:
            return True

        return any(row[AT_REFUSAL] not in SILENT for row in account["G"].values())

    def _settle(self) -> list[tuple[str, Side]]:
        """Move every side whose period is in a list now out of the account; returns them."""
        settled = []
        for game, entry in list(self.account["G"].items()):
            side = Side(*entry)
            if side.period is not None and side.period <= listed_until(self.account, side):
                self._remember(game, side)
                del self.account["G"][game]
                settled.append((game, side))
        oldest = min(self.account["L"], default="")
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
        if not self.account["v"]:
            # Lists that came before anybody asked were kept in silence.
            time_controls = time_controls.union(*(entry[3] for entry in self.account["L"].values()))
        changed = []
        for time_control in sorted(time_controls):
            before = self.account["F"].get(time_control)
            after = figures_of(self.account, time_control)
            if after is None:
                if before is not None:
                    del self.account["F"][time_control]
                    changed.append(time_control)
            elif before is None or list(after[:11]) != before[:11]:
                self.account["F"][time_control] = list(after)
                changed.append(time_control)

        return changed

    def _bump(self) -> None:
        self.account["s"] += 1
        self.changed = True


def _cause(
    event_id: str | None,
    event_type: str,
    kind: str,
    *,
    tournament_id: str | None = None,
    game_id: str | None = None,
) -> Cause:
    return {
        "event_id": event_id,
        "type": event_type,
        "game_id": game_id,
        "tournament_id": tournament_id,
        "kind": kind,
    }


def _cause_of(event: Event, old: Side | None, side: Side) -> Cause:
    """Say which of the facts behind a side moved, by comparing the revisions it was made from."""
    tournament, game, white, black = event["c"]
    names = {"tournament_id": event["T"], "game_id": event["g"][len(event["T"]) + 1 :]}
    if old is None or old.revision[1] != side.revision[1]:
        kind = "annulment" if side.refusal == Refusal.ANNULLED else "correction"
        if old is None or old.refusal == Refusal.ONGOING:
            kind = "game"
        return _cause(game, GAME_RESULT, kind, **names)
    if old.revision[2] != side.revision[2]:
        return _cause(white, ENTRANT, "facts", **names)
    if old.revision[3] != side.revision[3]:
        return _cause(black, ENTRANT, "facts", **names)
    if old.revision[0] != side.revision[0]:
        return _cause(tournament, TOURNAMENT, "facts", **names)

    return _cause(game, GAME_RESULT, "resolution", **names)


__all__ = ["Figures", "Ledger", "Voice"]
