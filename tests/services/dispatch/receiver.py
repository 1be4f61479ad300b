"""A receiver of webhooks in a process of its own: verifies, writes down, and answers as its path asks.

`python receiver.py PORT LOG SECRET_FILE [CERTIFICATE]`; every request is one JSON line in LOG before it is
answered. What a path does: see `ANSWERS`.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import time
from pathlib import Path

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

STARTED = {}


async def ok(*_):
    return web.Response()


async def hang(*_):
    await asyncio.sleep(3600)


async def slow(seconds, _):
    await asyncio.sleep(float(seconds))
    return web.Response()


async def status(number, _):
    return web.Response(status=int(number), text=f"this receiver always says {number}\n\x1b[31m")


async def retry_after(seconds, _):
    """Refuse with 429 for a while, beginning with the first request."""
    until = STARTED.setdefault("retry-after", time.monotonic() + float(seconds))
    left = until - time.monotonic()
    return web.Response() if left <= 0 else web.Response(status=429, headers={"Retry-After": seconds})


async def redirect(_, request):
    return web.Response(status=302, headers={"Location": request.query["to"]})


async def fail_player(player, request):
    event = json.loads(await request.read())
    return web.Response(status=500 if event["subject"] == player else 200)


async def fail_first(number, request):
    """Refuse each delivery so many times before it is taken."""
    webhook_id = request.headers["webhook-id"]
    STARTED[webhook_id] = STARTED.get(webhook_id, 0) + 1
    return web.Response(status=503 if STARTED[webhook_id] <= int(number) else 204)


async def flood(_, request):
    answer = web.StreamResponse(status=500)
    await answer.prepare(request)
    while True:
        await answer.write(b"x" * 65_536)


ANSWERS = {
    "ok": ok,
    "hang": hang,
    "slow": slow,
    "status": status,
    "retry-after": retry_after,
    "redirect": redirect,
    "fail-player": fail_player,
    "fail-first": fail_first,
    "flood": flood,
}


def app_of(log, secrets):
    async def take(request):
        body = await request.read()
        verified = []
        for secret in secrets:
            try:
                verified.append(bool(Webhook(secret).verify(body, dict(request.headers))))
            except WebhookVerificationError:
                verified.append(False)
        event = json.loads(body)
        line = {
            "path": request.path,
            "at": time.time(),
            "verified": any(verified),
            "webhook_id": request.headers.get("webhook-id"),
            "timestamp": int(request.headers.get("webhook-timestamp", 0)),
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "event": event,
        }
        with log.open("a") as file:
            file.write(json.dumps(line) + "\n")
        name, _, rest = request.path.strip("/").partition("/")
        return await ANSWERS[name](rest, request)

    app = web.Application()
    app.router.add_post("/{path:.*}", take)
    return app


def main(port, log, secret_file, certificate=None):
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
    web.run_app(
        app_of(Path(log), Path(secret_file).read_text().split()),
        host="127.0.0.1",
        port=int(port),
        ssl_context=context,
        print=None,
        access_log=None,
        handler_cancellation=True,
        shutdown_timeout=0.1,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
