"""The admin port of a service: is it alive, is it ready, what are its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from elowire.runtime.metrics import CONTENT_TYPE, Registry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from aiohttp.typedefs import Handler

_SHUTDOWN_S = 2.0
_UNAVAILABLE = 503
# A page is a document of ours: nothing from elsewhere, no script, no frame.
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class PortTakenError(RuntimeError):
    """Another program listens on the port; the message names it and what to do."""


class AdminServer:
    """``/livez``, ``/readyz`` and ``/metrics`` over HTTP on one port.

    `live` says why the process should be restarted, or None while it is well; it must never ask Kafka, or an
    outage there would restart everything here. `ready` says what the service waits for: name -> reason; it is
    ready when nothing is named. Both are called on the event loop and must not block. Without a `registry`
    the figures are those of the process alone.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        live: Callable[[], str | None],
        ready: Callable[[], Mapping[str, str]],
        registry: Registry | None = None,
        pages: Mapping[str, Callable[[], Awaitable[str]]] | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self._live = live
        self._ready = ready
        self._registry = registry or Registry("process")
        self._pages = dict(pages or {})
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen. Raises `PortTakenError`."""
        app = web.Application(client_max_size=1024)
        app.add_routes(
            [
                web.get("/livez", self._get_live),
                web.get("/readyz", self._get_ready),
                web.get("/metrics", self._get_metrics),
                *(web.get(path, _shown(page)) for path, page in self._pages.items()),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, self.host, self.port).start()
        except OSError as fault:
            await runner.cleanup()
            raise PortTakenError(
                f"admin port {self.port} on {self.host} cannot be used: {fault.strerror}. Stop the program "
                "that has it, or choose another port (ELOWIRE_<SERVICE>_ADMIN_PORT)"
            ) from fault
        self._runner = runner

    async def stop(self) -> None:
        """Stop listening; requests under way get their answers."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _get_live(self, _request: web.Request) -> web.Response:
        fault = self._live()
        if fault is None:
            return web.json_response({"status": "ok"})
        return web.json_response({"status": "failed", "reason": fault}, status=_UNAVAILABLE)

    async def _get_ready(self, _request: web.Request) -> web.Response:
        waits = dict(self._ready())
        if not waits:
            return web.json_response({"status": "ok"})
        return web.json_response({"status": "waiting", "waits_for": waits}, status=_UNAVAILABLE)

    async def _get_metrics(self, _request: web.Request) -> web.Response:
        return web.Response(body=self._registry.exposition(), headers={"Content-Type": CONTENT_TYPE})


def _shown(page: Callable[[], Awaitable[str]]) -> Handler:
    async def get_page(_request: web.Request) -> web.Response:
        return web.Response(text=await page(), content_type="text/html", headers=_PAGE_HEADERS)

    return get_page
