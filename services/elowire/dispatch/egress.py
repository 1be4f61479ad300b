"""Where deliveries may go: addresses and URLs, judged without any network.

Source: IANA's special-purpose address registries for IPv4 and IPv6. IPv6 is judged the other way round: only
global unicast (2000::/3) is let through, less what is reserved in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LONGEST_URL = 2048
LONGEST_HOST = 253
_URL = re.compile(r"[!-~]+")
# RFC 1123, with the underscores that some names have.
_HOST = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?"
)
# A last label that is a number makes a shortened IPv4 address (WHATWG URL, "ends in a number").
_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)\.?")


def _v4(what: str, *texts: str) -> list[tuple[str, IPv4Network]]:
    return [(what, IPv4Network(text)) for text in texts]


def _v6(what: str, *texts: str) -> list[tuple[str, IPv6Network]]:
    return [(what, IPv6Network(text)) for text in texts]


_CLOSED_V4 = (
    *_v4("loopback", "127.0.0.0/8"),
    *_v4("private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"),
    *_v4("link-local", "169.254.0.0/16"),
    *_v4("multicast", "224.0.0.0/4"),
    *_v4("unspecified", "0.0.0.0/8"),
    *_v4("reserved", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24"),
    *_v4("reserved", "203.0.113.0/24", "240.0.0.0/4"),
)
_CLOSED_V6 = (
    *_v6("loopback", "::1/128"),
    *_v6("unspecified", "::/128"),
    *_v6("private", "fc00::/7", "fec0::/10"),
    *_v6("link-local", "fe80::/10"),
    *_v6("multicast", "ff00::/8"),
    # Teredo, 6to4 and their like reach IPv4 by a relay that nobody here knows.
    *_v6("reserved", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
)
_GLOBAL_V6 = IPv6Network("2000::/3")
# IPv6 addresses that stand for the IPv4 address in their last 32 bits.
_HOLDS_V4 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
_METADATA = frozenset(
    map(
        ip_address,
        (
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
        ),
    )
)
"""Where clouds hand credentials to their own machines: never a receiver, whatever is allowed."""


class AddressRefusedError(OSError):
    """A receiver's address is one that deliveries must not reach; the message says which and why."""


class UrlRefusedError(ValueError):
    """A URL cannot be subscribed with: `problem`, what was `expected`, and what to do."""

    def __init__(self, problem: str, expected: str, advice: str) -> None:
        super().__init__(f"{problem}; expected {expected}")
        self.problem, self.expected, self.advice = problem, expected, advice


@dataclass(frozen=True, slots=True)
class Egress:
    """What an operator opens beyond the public internet by https."""

    networks: tuple[Network, ...] = ()
    """Private networks that receivers may stand in."""
    http: bool = False
    """Whether http:// will do."""


def refusal_of(text: str, egress: Egress) -> str | None:
    """Say why deliveries must not go to an IP address, or None where they may."""
    try:
        address = _meant(ip_address(text.partition("%")[0]))
    except ValueError:
        return f"{text!r} is no IP address"
    if address in _METADATA:
        return f"{text} is an address of cloud metadata"
    if any(address in network for network in egress.networks if network.version == address.version):
        return None
    what = _kind(address)
    return None if what is None else f"{text} is a {what} address"


def check_addresses(texts: Sequence[str], egress: Egress) -> None:
    """Refuse a name when any of its addresses is refused. Raises `AddressRefusedError`."""
    for text in texts:
        refusal = refusal_of(text, egress)
        if refusal is not None:
            raise AddressRefusedError(
                f"{refusal}, and deliveries go to public addresses; "
                "ELOWIRE_DISPATCH_ALLOWED_NETWORKS names networks that are allowed as well"
            )


def check_url(text: str, egress: Egress) -> None:
    """Refuse what cannot be the URL of a receiver. Names are not looked up. Raises `UrlRefusedError`."""
    wanted = "an https:// address of at most 2048 printable ASCII characters"
    if len(text) > LONGEST_URL or not _URL.fullmatch(text):
        raise UrlRefusedError("it is too long or has other characters", wanted, "Write it percent-encoded.")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as problem:
        raise UrlRefusedError(f"it is no URL ({problem})", wanted, "Correct it.") from None
    if parts.scheme not in {"https", "http"} or not host:
        raise UrlRefusedError("it is no address of the web", wanted, "Begin it with https:// and a host.")
    if parts.scheme == "http" and not egress.http:
        raise UrlRefusedError(
            "it is not encrypted",
            "https://",
            "Use https, or start dispatch with ELOWIRE_DISPATCH_ALLOW_HTTP=true on a network that you trust.",
        )
    if parts.username is not None or parts.password is not None:
        raise UrlRefusedError(
            "it holds a user name or password, which would show in lists and logs",
            "an address without them",
            "Leave them out: the signature proves who sends.",
        )
    if parts.fragment:
        raise UrlRefusedError("it has a fragment (#), which is never sent", wanted, "Leave the # part out.")
    literal = _literal(host)
    if literal is None and not _is_name(host):
        raise UrlRefusedError(
            "its host is neither a name nor an IP address in full", wanted, "Correct the part after https://."
        )
    refusal = None if literal is None else refusal_of(literal, egress)
    if refusal is not None:
        raise UrlRefusedError(
            refusal,
            "a public address",
            "Use the receiver's public name, or name its network in ELOWIRE_DISPATCH_ALLOWED_NETWORKS "
            "and start dispatch again.",
        )


def _literal(host: str) -> str | None:
    try:
        return str(ip_address(host.partition("%")[0]))
    except ValueError:
        return None


def _is_name(host: str) -> bool:
    last = host.rstrip(".").rpartition(".")[2]
    return len(host) <= LONGEST_HOST and bool(_HOST.fullmatch(host)) and not _NUMBER.fullmatch(last)


def _meant(address: Address) -> Address:
    """Give the IPv4 address that an IPv6 address stands for, else the address itself."""
    if isinstance(address, IPv4Address) or int(address) <= 1:
        return address
    if any(address in network for network in _HOLDS_V4):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _kind(address: Address) -> str | None:
    """Name what keeps an address from being public; None for a public one."""
    if isinstance(address, IPv4Address):
        return next((what for what, network in _CLOSED_V4 if address in network), None)
    closed = next((what for what, network in _CLOSED_V6 if address in network), None)
    return closed if closed or address in _GLOBAL_V6 else "reserved"
