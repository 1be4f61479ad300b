"""Follows broadcasts: streams are read for ever, addresses and files looked at again and again.

Nothing here decides what games mean: bytes become games (`broadcast_frames`), games become events
(`broadcast`, `sources_changes`), and the intake sends them. One follower's fault never stops another.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import aiohttp

from elowire.ingest.broadcast import Alarm, alarm_of, manner_of, pause_s, snapshot_of
from elowire.ingest.broadcast_frames import Frames
from elowire.ingest.feed import NotFeedable
from elowire.ingest.readers.report import EventReport
from elowire.ingest.readers.text import LARGEST_FILE
from elowire.ingest.service_intake import Intake
from elowire.ingest.service_outbox import KafkaAwayError
from elowire.ingest.service_store import Known
from elowire.ingest.sources import BroadcastSource, Mode
from elowire.ingest.sources_changes import Changes, changes_of
from elowire.runtime import clock
from elowire.runtime.logs import get_logger
from elowire.runtime.tasks import end

ACCEPT = "application/x-chess-pgn, text/plain;q=0.5"
AGENT = "elowire"
_CONNECT_S = 15.0
_KAFKA_PAUSE_S = 2.0

log = get_logger(__name__)


class RefusedError(RuntimeError):
    """The server answered, but not with games."""

    def __init__(self, status: int, retry_after: str | None) -> None:
        super().__init__(f"status {status}")
        self.status, self.retry_after = status, retry_after


class Follower:
    """Follows one broadcast for as long as `run` runs."""

    def __init__(self, source: BroadcastSource, intake: Intake) -> None:
        self.source, self._intake = source, intake
        self.alarm: str | None = "not read yet"
        """What is wrong, None while all is well."""
        self.copies = 0
        self.newest: float | None = None
        """When its newest event was sent, in seconds since 1970."""
        self._conditions: dict[str, str] = {}
        self._seen_file: tuple[int, int] | None = None

    async def run(self) -> None:
        """Follow until cancelled; every failure is waited out."""
        failures = 0
        while True:
            retry_after, throttled, before = None, False, self.copies
            try:
                async with self._session() as session:
                    if self.source.mode is Mode.STREAM:
                        await self._stream(session)
                        failures += 1
                    else:
                        await self._look(session)
                        failures = 0
            except RefusedError as refused:
                failures += 1
                retry_after = refused.retry_after
                throttled = refused.status == HTTPStatus.TOO_MANY_REQUESTS
                self._raise_alarm(Alarm.REFUSED, str(refused))
            except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as fault:
                failures += 1
                # A stream that breaks off is everyday life; one that cannot be reached again is not.
                if self.source.mode is Mode.POLL or (failures > 1 and self.copies == before):
                    self._raise_alarm(Alarm.UNREACHABLE, str(fault) or type(fault).__name__)
            if self.copies > before:
                # Games came: however the connection ended, the server is well.
                failures = min(failures, 1)
            if not failures and self.source.mode is Mode.POLL:
                await asyncio.sleep(self.source.every_s)
            else:
                chance = secrets.randbelow(1000) / 1000
                await asyncio.sleep(
                    pause_s(max(failures, 1), retry_after=retry_after, throttled=throttled, chance=chance)
                )

    async def _stream(self, session: aiohttp.ClientSession) -> None:
        """Read one connection to its end."""
        frames, before = Frames(), self.copies
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=self.source.silence_s)
        async with session.get(self.source.address, headers={"accept": ACCEPT}, timeout=timeout) as answer:
            _require_games(answer)
            opened, judged = clock.monotonic(), False
            try:
                async for data in answer.content.iter_any():
                    if games := frames.feed(data):
                        await self._take(games)
                    late = clock.monotonic() - opened > self.source.silence_s
                    if late and self.copies == before and not judged:
                        # Kept alive without a game, which may last for ever.
                        judged = True
                        await self._judge([])
            except aiohttp.SocketTimeoutError:
                log.info("a silent stream is opened again", source=self.source.name)
        if self.copies == before and not judged:
            await self._judge([])

    async def _look(self, session: aiohttp.ClientSession) -> None:
        raw = await self._fetched(session)
        if raw is None:
            return
        frames = Frames()
        games = [*frames.feed(raw), *frames.end()]
        if await self._judge(games):
            await self._take(games)

    async def _fetched(self, session: aiohttp.ClientSession) -> bytes | None:
        """Give the present copy, None when it is the one that was read last."""
        if not self.source.address.startswith(("https://", "http://")):
            return await asyncio.to_thread(self._read_file)
        timeout = aiohttp.ClientTimeout(total=120, sock_connect=_CONNECT_S, sock_read=self.source.silence_s)
        headers = {"accept": ACCEPT, **self._conditions}
        async with session.get(self.source.address, headers=headers, timeout=timeout) as answer:
            if answer.status == HTTPStatus.NOT_MODIFIED:
                self.alarm = None
                return None
            _require_games(answer)
            raw = await answer.content.read(LARGEST_FILE + 1)
            while len(raw) <= LARGEST_FILE and (more := await answer.content.read(LARGEST_FILE)):
                raw += more
            if len(raw) > LARGEST_FILE:
                raise ValueError(f"the answer is longer than {LARGEST_FILE} bytes")
            self._conditions = {
                asked: answer.headers[said]
                for said, asked in (("etag", "if-none-match"), ("last-modified", "if-modified-since"))
                if said in answer.headers
            }
        return raw

    def _read_file(self) -> bytes | None:
        path = Path(self.source.address)
        found = path.stat()
        seen = (found.st_mtime_ns, found.st_size)
        if seen == self._seen_file:
            return None
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise ValueError(f"the file is longer than {LARGEST_FILE} bytes")
        self._seen_file = seen
        return raw

    async def _judge(self, games: list[str]) -> bool:
        """Look at a whole copy as such; says whether it is worth taking."""
        known = await asyncio.to_thread(self._intake.store.known, self.source.tournament_id)
        known_games = sum(kind == "game" for kind, _ in known.sent)
        alarm = alarm_of(snapshot_of(games, self.source), known_games=known_games)
        if alarm is None:
            self.alarm = None
            return bool(games)
        self._raise_alarm(alarm, f"{len(games)} games read, {known_games} known")
        # The same copy again would be taken for unchanged and the alarm for settled.
        self._conditions, self._seen_file = {}, None
        return False

    async def _take(self, games: list[str]) -> None:
        """Send what changed; Kafka is waited for, because a final result may not be shown again."""
        snapshot = await asyncio.to_thread(snapshot_of, games, self.source)
        self.copies += snapshot.games
        for refusal in snapshot.refusals[:5]:
            log.warning("a broadcast's game was refused", source=self.source.name, fault=refusal)
        report = snapshot.report
        if report is None:
            self._raise_alarm(Alarm.NOTHING_READ, f"{snapshot.games} games")
            return
        while True:
            now_ms = int(self._intake.clock().timestamp() * 1000)
            known = await asyncio.to_thread(self._intake.store.known, self.source.tournament_id)
            changes, undescribed = await asyncio.to_thread(self._changes, report, known, now_ms)
            for notice in changes.imported.refusals()[:5]:
                log.warning("a broadcast's event was refused", source=self.source.name, fault=str(notice))
            if not changes.events:
                break
            try:
                await self._intake.take(changes.events)
            except KafkaAwayError:
                await asyncio.sleep(_KAFKA_PAUSE_S)
                continue
            self.newest = self._intake.clock().timestamp()
            await asyncio.to_thread(self._intake.store.learn, self.source.tournament_id, changes.news)
            break
        if undescribed is None:
            self.alarm = None
        else:
            self._raise_alarm(Alarm.UNDESCRIBED, undescribed)

    def _changes(self, report: EventReport, known: Known, now_ms: int) -> tuple[Changes, str | None]:
        """Give what changed, and why the tournament could not be described; its games go out all the same."""
        manner = manner_of(self.source, report)
        try:
            return changes_of(report, known, manner, now_ms=now_ms), None
        except NotFeedable as problem:
            return changes_of(report, known, replace(manner, described=False), now_ms=now_ms), str(problem)

    def _raise_alarm(self, alarm: Alarm, detail: str) -> None:
        text = f"{alarm.value} ({detail})"
        if self.alarm != text:
            log.warning("broadcast alarm", source=self.source.name, fault=text)
        self.alarm = text

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[aiohttp.ClientSession]:
        async with aiohttp.ClientSession(headers={"user-agent": AGENT}, auto_decompress=True) as session:
            yield session


class Followers:
    """A follower for every broadcast of the installation, as the sources change."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._running: dict[BroadcastSource, tuple[Follower, asyncio.Task[None]]] = {}

    async def follow(self, sources: tuple[BroadcastSource, ...]) -> None:
        """Follow exactly these from now on."""
        for gone in self._running.keys() - set(sources):
            follower, task = self._running.pop(gone)
            await end(task)
            log.info("broadcast let go", source=follower.source.name)
        for source in sources:
            running = self._running.get(source)
            if running is not None and running[1].done():
                # A fault of our own; its trace is in the log, and the next one may be better off.
                log.error("a follower ended", source=source.name, exc_info=running[1].exception())
                running = None
            if running is None:
                follower = Follower(source, self._intake)
                self._running[source] = (follower, asyncio.create_task(follower.run(), name=source.name))

    def alarms(self) -> Mapping[str, str | None]:
        """Say of every broadcast what is wrong with it, or None."""
        return {source.name: follower.alarm for source, (follower, _) in self._running.items()}

    def newest(self) -> Mapping[str, float]:
        """Say of every broadcast that has sent something when it last did, in seconds since 1970."""
        return {
            source.name: follower.newest
            for source, (follower, _) in self._running.items()
            if follower.newest is not None
        }

    async def stop(self) -> None:
        """Follow nothing any more."""
        await self.follow(())


def _require_games(answer: aiohttp.ClientResponse) -> None:
    if answer.status != HTTPStatus.OK:
        raise RefusedError(answer.status, answer.headers.get("retry-after"))
