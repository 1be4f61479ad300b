"""One request to a receiver: its name resolved once, every address judged, the judged one connected to.

Nothing is followed, reused or remembered: no redirect, no proxy, no cookie, no open connection, no DNS cache.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from elowire.dispatch.egress import (
    AddressRefusedError,
    Egress,
    UrlRefusedError,
    check_addresses,
    check_url,
    refusal_of,
)
from elowire.dispatch.schedule import Outcome, Reply, outcome_of

Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""From a host name to its IP addresses; raises `OSError`."""

MOST_REPLY_BYTES = 16_384
"""How much of an answer is read at most; the rest is cut off with the connection."""

_SHOWN = 200
_LOOKUPS = 512
_AGENT = f"elowire/{version('elowire')}"


class SystemLookup:
    """The system's resolver, in threads of its own: a name that takes long keeps nothing else waiting."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="lookup")

    async def __call__(self, host: str) -> Sequence[str]:
        """Return the addresses of a name. Raises `OSError`."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _looked_up, host)
        return list(dict.fromkeys(found))

    def close(self) -> None:
        """Take no more names."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Resolver(AbstractResolver):
    """Gives addresses only when all of them may be connected to."""

    def __init__(self, lookup: Lookup, egress: Egress) -> None:
        self._lookup, self._egress = lookup, egress

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - aiohttp's signature
    ) -> list[ResolveResult]:
        addresses = await self._lookup(host)
        check_addresses(addresses, self._egress)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET if ip_address(address).version == 4 else socket.AF_INET6,  # noqa: PLR2004 - IP's
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass


class Transport:
    """Posts to receivers; use it as an asynchronous context. `trust` says which certificates are good."""

    def __init__(self, egress: Egress, *, lookup: Lookup, trust: ssl.SSLContext, timeout_s: float) -> None:
        self._egress, self._lookup, self._trust, self._timeout_s = egress, lookup, trust, timeout_s
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(
            resolver=_Resolver(self._lookup, self._egress),
            socket_factory=self._judged_socket,
            ssl=self._trust,
            use_dns_cache=False,
            force_close=True,
            limit=0,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=self._timeout_s),
            auto_decompress=False,
            trust_env=False,
            headers={"user-agent": _AGENT, "content-type": "application/json"},
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Send one attempt; whatever goes wrong is a `Reply` too."""
        if self._session is None:
            raise RuntimeError("use `async with Transport(...)`")
        try:
            # What was allowed when it was subscribed need not be any more.
            check_url(url, self._egress)
            async with self._session.post(
                URL(url), data=body, headers=headers, allow_redirects=False
            ) as answer:
                return await _reply(answer)
        except UrlRefusedError as problem:
            return Reply(Outcome.REFUSED_ADDRESS, f"not sent: {problem}. {problem.advice}")
        except TimeoutError:
            return Reply(Outcome.TIMEOUT, f"no complete answer within {self._timeout_s:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as fault:
            return _fault(fault)

    def _judged_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Make the socket for an address: the last place to refuse it, also when the URL named it."""
        family, kind, protocol, _, where = info
        refusal = refusal_of(str(where[0]), self._egress)
        if refusal is not None:
            raise AddressRefusedError(refusal)
        return socket.socket(family, kind, protocol)


def trust_of(ca_file: str | None) -> ssl.SSLContext:
    """Return what certificates are checked against: the system's authorities, and those of a PEM file.

    Raises `OSError` when the file cannot be read or holds no certificate.
    """
    context = ssl.create_default_context()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


async def _reply(answer: aiohttp.ClientResponse) -> Reply:
    outcome = outcome_of(answer.status)
    said = await _beginning(answer)
    if outcome is Outcome.DELIVERED:
        return Reply(outcome, f"status {answer.status}", answer.status)
    try:
        phrase = f"status {answer.status} {HTTPStatus(answer.status).phrase}"
    except ValueError:
        phrase = f"status {answer.status}"
    if outcome is Outcome.REDIRECT:
        where = _shown(answer.headers.get("location", "").encode("utf-8", "replace"))
        reason = f"{phrase}: redirects are not followed; subscribe with the address it leads to ({where})"
    else:
        shown = _shown(said)
        reason = f"{phrase}: {shown}" if shown else phrase
    return Reply(outcome, reason, answer.status, answer.headers.get("retry-after"))


async def _beginning(answer: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in answer.content.iter_any():
        parts.append(part)
        size += len(part)
        if size >= MOST_REPLY_BYTES:
            break
    return b"".join(parts)[:MOST_REPLY_BYTES]


def _shown(said: bytes) -> str:
    """Give the beginning of what a stranger said, fit for a log and a terminal."""
    text = " ".join(said[: 4 * _SHOWN].decode("utf-8", "replace").split())[:_SHOWN]
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _fault(fault: Exception) -> Reply:
    refused = _refused_in(fault)
    if refused is not None:
        return Reply(Outcome.REFUSED_ADDRESS, f"not sent: {refused}")
    match fault:
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError() | ssl.SSLError():
            cause = getattr(fault, "certificate_error", fault)
            return Reply(Outcome.TLS, f"no trusted TLS connection: {_words(cause)}")
        case aiohttp.ClientConnectorDNSError() | socket.gaierror():
            return Reply(
                Outcome.DNS, f"the name cannot be resolved: {_words(getattr(fault, 'os_error', fault))}"
            )
        case aiohttp.ClientConnectorError(os_error=cause):
            return Reply(Outcome.CONNECTION, f"no connection: {_words(cause)}")
        case _:
            return Reply(Outcome.CONNECTION, f"the connection broke off: {_words(fault)}")


def _refused_in(fault: BaseException | None) -> AddressRefusedError | None:
    """Find our own refusal in a chain of causes."""
    depth = 0
    while fault is not None and depth < 10:  # noqa: PLR2004 - chains are short
        if isinstance(fault, AddressRefusedError):
            return fault
        inner = getattr(fault, "os_error", None)
        fault = inner if isinstance(inner, BaseException) else fault.__cause__ or fault.__context__
        depth += 1
    return None


def _words(fault: BaseException) -> str:
    text = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
    return _shown(str(text).encode("utf-8", "replace"))


def _looked_up(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(where[0]).partition("%")[0] for *_, where in found]
