"""The ticker's figures for the admin port, taken once per heartbeat and never per event."""

from __future__ import annotations

from elowire.domain import TimeControl
from elowire.runtime.metrics import Registry, replace_all
from elowire.ticker.board import Board
from elowire.ticker.feed import Progress
from elowire.ticker.movers import SHOWN, movers
from elowire.ticker.stream import Stream


class TickerMetrics:
    """Reads what the board, the feed and the stream count in plain integers."""

    def __init__(self, registry: Registry, board: Board, progress: Progress, stream: Stream) -> None:
        self._board = board
        self._progress = progress
        self._stream = stream
        self._players = registry.gauge("players", "Players of whom something is known.")
        self._connected = registry.gauge("connected", "1 while Kafka answers, else 0.")
        self._lag = registry.gauge("lag_records", "Records not read yet.")
        self._changed = registry.gauge("newest_change_seconds", "Time of the newest change, since 1970.")
        self._watchers = registry.gauge("watchers", "Clients on the stream.")
        self._changes = registry.counter("changes", "Changes published on the stream.")
        self._slow = registry.counter("slow_watchers", "Clients let go because they could not keep up.")
        self._refused = registry.counter("refused_records", "Records that could not be read.")
        self._movers = registry.gauge(
            "mover_points",
            f"Rating points won since the list by the {SHOWN} who moved most of those who moved last.",
            ["time_control", "player", "name"],
        )
        self._told = (0, 0, 0)

    def take(self) -> None:
        """Bring the metrics up to date."""
        progress, stream = self._progress, self._stream
        self._players.set(len(self._board))
        self._connected.set(progress.fault is None)
        self._lag.set(progress.behind)
        self._changed.set((progress.changed_at or 0) / 1000)
        self._watchers.set(len(stream))
        board = self._board
        replace_all(
            self._movers,
            {
                (control.value, player_id, board.name(player_id) or player_id): hundredths / 100
                for control in TimeControl
                for player_id, hundredths in movers(board, progress.lately, control)
            },
        )
        counts = (stream.number, stream.slow, progress.refused)
        for counter, now, before in zip(
            (self._changes, self._slow, self._refused), counts, self._told, strict=True
        ):
            counter.inc(now - before)
        self._told = counts
