"""Where deliveries may go: every row is an address or a URL."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elowire.dispatch.egress import (
    AddressRefusedError,
    Egress,
    UrlRefusedError,
    check_addresses,
    check_url,
    refusal_of,
)

CLOSED = Egress()
OFFICE = Egress((ip_network("10.1.0.0/16"), ip_network("fd12::/48"), ip_network("169.254.0.0/16")))


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("169.254.1.1", "link-local"),
        ("169.254.169.254", "cloud metadata"),
        ("168.63.129.16", "cloud metadata"),
        ("100.100.100.200", "cloud metadata"),
        ("192.0.0.192", "cloud metadata"),
        ("0.0.0.1", "unspecified"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.250", "multicast"),
        ("255.255.255.255", "reserved"),
        ("192.0.2.1", "reserved"),
        ("198.18.0.1", "reserved"),
        ("198.51.100.1", "reserved"),
        ("203.0.113.1", "reserved"),
        ("240.0.0.1", "reserved"),
        ("::1", "loopback"),
        ("::", "unspecified"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("fc00::1", "private"),
        ("fd00:ec2::254", "cloud metadata"),
        ("fec0::1", "private"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "reserved"),
        ("2001::1", "reserved"),
        ("2002:7f00:1::", "reserved"),
        ("100::1", "reserved"),
        ("4000::1", "reserved"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:10.0.0.1", "private"),
        ("::ffff:169.254.169.254", "cloud metadata"),
        ("::127.0.0.1", "loopback"),
        ("64:ff9b::10.0.0.1", "private"),
        ("64:ff9b::a9fe:a9fe", "cloud metadata"),
        ("64:ff9b:1::10.0.0.1", "reserved"),
        ("no address", "no IP address"),
        ("", "no IP address"),
    ],
)
def test_what_is_not_public_is_refused(address, what):
    assert what in refusal_of(address, CLOSED)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.215.14",
        "8.8.8.8",
        "172.32.0.1",
        "100.128.0.1",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
    ],
)
def test_what_is_public_is_let_through(address):
    assert refusal_of(address, CLOSED) is None


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("10.1.2.3", True),
        ("::ffff:10.1.2.3", True),
        ("10.2.0.1", False),
        ("127.0.0.1", False),
        ("fd12::7", True),
        ("fd13::7", False),
        ("169.254.1.1", True),
        ("169.254.169.254", False),
        ("8.8.8.8", True),
    ],
)
def test_a_named_network_opens_itself_alone_and_never_metadata(address, allowed):
    assert (refusal_of(address, OFFICE) is None) is allowed


@given(st.integers(0, 2**32 - 1))
def test_python_s_own_registry_finds_nothing_open_that_it_calls_private(number):
    address = ip_address(number)
    if address.is_private or address.is_multicast or address.is_reserved or not address.is_global:
        assert refusal_of(str(address), CLOSED)


@given(st.integers(0, 2**128 - 1) | st.integers(0x20 << 120, 0x40 << 120))
def test_python_s_own_registry_finds_nothing_open_that_it_calls_private_in_ipv6(number):
    address = ip_address(number)
    closed = address.is_private or address.is_multicast or not address.is_global
    if closed and int(address) >= 2**32 and address.ipv4_mapped is None:
        assert refusal_of(str(address), CLOSED)


def test_one_bad_address_of_a_name_is_enough():
    check_addresses(["8.8.8.8", "1.1.1.1"], CLOSED)
    with pytest.raises(AddressRefusedError, match=r"192\.168\.0\.1 is a private address"):
        check_addresses(["8.8.8.8", "192.168.0.1"], CLOSED)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://club.example/x", "not encrypted"),
        ("ftp://club.example/x", "no address of the web"),
        ("https:///x", "no address of the web"),
        ("https://127.1/x", "neither a name nor"),
        ("https://2130706433/x", "neither a name nor"),
        ("https://017700000001/x", "neither a name nor"),
        ("https://0x7f.0.0.1/x", "neither a name nor"),
        ("https://0x7f.0.0.0x1/x", "neither a name nor"),
        (f"https://{'a' * 64}.example/x", "neither a name nor"),
        (f"https://{'a.' * 130}example/x", "neither a name nor"),
        ("https://-club.example/x", "neither a name nor"),
        ("https://club..example/x", "neither a name nor"),
        ("https://club_!.example/x", "neither a name nor"),
        ("club.example", "no address of the web"),
        ("https://user:secret@club.example/", "user name or password"),
        ("https://user@club.example/", "user name or password"),
        ("https://club.example/#x", "fragment"),
        ("https://club.example:99999/", "no URL"),
        ("https://[::1/", "no URL"),
        ("https://club.example/a b", "other characters"),
        ("https://clüb.example/", "other characters"),
        ("https://club.example/\n", "other characters"),
        ("https://club.example/" + "x" * 2048, "too long"),
        ("https://127.0.0.1/x", "loopback"),
        ("https://[::ffff:10.0.0.1]/x", "private"),
        ("https://169.254.169.254/latest/meta-data", "cloud metadata"),
        ("", "other characters"),
    ],
)
def test_what_cannot_be_a_receiver_is_refused_at_once(url, problem):
    with pytest.raises(UrlRefusedError) as refused:
        check_url(url, CLOSED)

    assert problem in refused.value.problem
    assert refused.value.expected
    assert refused.value.advice
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["https://club.example/x?y=1", "https://club.example:8443/", "https://8.8.8.8/"]
)
def test_an_https_address_will_do(url):
    check_url(url, CLOSED)


def test_http_has_to_be_allowed():
    check_url("http://club.example/", Egress(http=True))
