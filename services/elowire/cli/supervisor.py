"""Services as child processes: started in order, started again when they end, stopped in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import aiohttp

from elowire.runtime import clock
from elowire.runtime.embedded import watcher
from elowire.runtime.settings import child_environment

# A service that ends is started again after this long, doubled each time; a good run forgets the past.
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0
GOOD_RUN_S = 60.0
GRACE_S = 30.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Service:
    """One service: its name, the command's arguments, its environment, and where it says that it is ready."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    admin_port: int


@dataclass(slots=True)
class Supervisor:
    """Keeps services running; `say` is told what an operator should know."""

    services: Sequence[Service]
    say: Callable[[str], None]
    log: int | None = None
    """File descriptor for the services' own output; None shows it."""
    lifeline: int | None = None
    """File descriptor that every service keeps open: who reads its other end learns when the last is gone."""
    _children: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _ends: dict[str, list[int]] = field(default_factory=dict)
    """The codes with which each service has ended."""

    async def start(self) -> None:
        """Start every service; does not wait until they are ready."""
        for service in self.services:
            self._tasks.append(asyncio.create_task(self._keep(service), name=service.name))
            await asyncio.sleep(0)

    async def stop(self) -> None:
        """Stop the services one after the other, the last one started first."""
        for task in reversed(self._tasks):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()

    async def ready(self, *, host: str, within_s: float) -> None:
        """Return when every service says that it is ready; TimeoutError names what is waited for."""
        deadline = clock.monotonic() + within_s
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2)) as http:
            for service in self.services:
                answer = "no answer yet"
                while answer:
                    if clock.monotonic() > deadline:
                        why = self._said_above(service) or answer
                        raise TimeoutError(f"{service.name} is not ready after {within_s:g} s: {why}")
                    answer = await _asked(http, f"http://{host}:{service.admin_port}/readyz")
                    if answer:
                        await asyncio.sleep(_POLL_S)

    def pid_of(self, name: str) -> int | None:
        """Return the process id of a running service's watcher, for tests that hurt it."""
        child = self._children.get(name)

        return None if child is None else child.pid

    def _said_above(self, service: Service) -> str:
        """Return where the reason stands when the service ended by itself; what it last answered is none."""
        codes = self._ends.get(service.name)
        if not codes:
            return ""

        return (
            f"it has ended {len(codes)} times, at last with code {codes[-1]}; its last error above says why"
        )

    async def _keep(self, service: Service) -> None:
        pause = FIRST_PAUSE_S
        while True:
            started = clock.monotonic()
            child = await self._spawn(service)
            try:
                code = await child.wait()
            finally:
                await _end(child)
            if clock.monotonic() - started > GOOD_RUN_S:
                pause = FIRST_PAUSE_S
            self._ends.setdefault(service.name, []).append(code)
            self.say(f"{service.name} ended with code {code}; it starts again in {pause:g} s")
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _spawn(self, service: Service) -> asyncio.subprocess.Process:
        # The watcher stops the service when this process is gone, however it ended.
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            watcher.__file__,
            str(GRACE_S),
            sys.executable,
            "-m",
            "elowire",
            *service.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=self.log,
            stderr=self.log,
            env=child_environment(**service.environment),
            pass_fds=() if self.lifeline is None else (self.lifeline,),
            start_new_session=True,
        )
        self._children[service.name] = child

        return child


async def _end(child: asyncio.subprocess.Process) -> None:
    if child.returncode is None and child.stdin is not None:
        child.stdin.close()
        await child.wait()


async def _asked(http: aiohttp.ClientSession, url: str) -> str:
    """Return '' when the service is ready, else what it says."""
    try:
        async with http.get(url) as answer:
            if answer.ok:
                return ""
            return (await answer.text())[:300]
    except (aiohttp.ClientError, TimeoutError) as fault:
        return str(fault) or type(fault).__name__
