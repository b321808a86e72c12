"""The guard decides on spellings alone: no socket is opened here."""

from __future__ import annotations

import ipaddress
import random
import socket

import pytest

from sources.web.guard import ForbiddenUrl, check_address, check_url, literal_address

PRIVATE = (
    "127.0.0.1", "127.8.9.10", "10.0.0.1", "10.255.255.254", "172.16.0.1", "172.31.255.1",
    "192.168.0.1", "192.168.255.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "0.0.0.0",
    "192.0.0.192", "198.18.0.1", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255",
    "168.63.129.16",
)  # fmt: skip
PRIVATE_IPV6 = (
    "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "fec0::1", "2001:db8::1",
    "100::1", "2001::1",
)  # fmt: skip


def spellings(address: str) -> list[str]:
    """Ways in which resolvers read an IPv4 address, beside its own."""
    a, b, c, d = (int(part) for part in address.split("."))
    value = int(ipaddress.IPv4Address(address))
    return [
        address,
        f"{address}.",
        f"{address}..",
        str(value),
        f"0x{value:x}",
        f"0X{value:08X}",
        f"0{value:o}",
        f"{a}.{value & 0xFFFFFF}",
        f"{a}.{b}.{c << 8 | d}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
        f"0x{a:x}.{b}.0{c:o}.{d}",
        f"000{a:o}.{b}.{c}.{d}",
        f"[::ffff:{address}]",
        f"[::ffff:{a:02x}{b:02x}:{c:02x}{d:02x}]",
        f"[0:0:0:0:0:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}]",
        f"[::{address}]",
        f"[64:ff9b::{a:02x}{b:02x}:{c:02x}{d:02x}]",
        f"[2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1]",
        "".join(chr(ord(char) + 0xFEE0) if char.isdigit() else char for char in address),
        address.replace(".", "。"),
    ]


def forbidden_urls() -> list[str]:
    urls = [
        f"{scheme}://{host}{rest}"
        for address in PRIVATE
        for host in spellings(address)
        for scheme, rest in (("http", "/"), ("https", ":8443/latest/meta-data/"))
    ]
    urls += [f"http://[{address}]/" for address in PRIVATE_IPV6]
    urls += [
        "http://localhost/", "http://LOCALHOST:80/", "http://localhost./", "http://a.localhost/",
        "http://printer.local/", "http://metadata.google.internal/", "http://intranet/",
        "http://db.corp/", "http://1.0.0.127.in-addr.arpa/", "http://x.onion/",
        "http://user@travel.example.org/", "http://user:secret@travel.example.org/",
        "http://travel.example.org@127.0.0.1/", "http://127.0.0.1@travel.example.org/",
        "http://@travel.example.org/", "http://travel.example.org:80@127.0.0.1/",
        "http://127.0.0.1\\@travel.example.org/", "http://travel.example.org\\.127.0.0.1/",
        "http:\\\\127.0.0.1/", "http://127.0.0.1%2f@travel.example.org/",
        "http://127.0.0.1%00.travel.example.org/", "http://%31%32%37.0.0.1/",
        "http://[fe80::1%25eth0]/", "http://travel.example.org\t.evil.org/",
        "http:// 127.0.0.1/", "http://127.0.0.1\n/", "http:///etc/passwd", "http://",
        "file:///etc/passwd", "ftp://travel.example.org/", "gopher://127.0.0.1:70/",
        "data:text/html,hello", "javascript:alert(1)", "dict://127.0.0.1/", "//127.0.0.1/",
        "travel.example.org", "", "http://256.256.256.256/", "http://1.2.3.4.5/",
        "http://0x7f.1/", "http://127.1/", "http://0/", "http://0x/", "http://[::1",
        "http://exa mple.org/", "http://ex\u00a0ample.org/", "http://travel.example.org:99999/",
        "http://travel.example.org:port/",
    ]  # fmt: skip
    return urls


@pytest.fixture(autouse=True)
def no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("the guard opened a socket or asked a name server")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_no_spelling_of_a_forbidden_address_passes() -> None:
    urls = forbidden_urls()
    assert len(set(urls)) >= 300
    passed = []
    for url in urls:
        try:
            passed.append((url, check_url(url)))
        except ForbiddenUrl:
            continue
    assert passed == []


@pytest.mark.slow
def test_random_addresses_agree_with_the_registry() -> None:
    draw = random.Random(7)
    for _ in range(500):
        address = ipaddress.IPv4Address(draw.getrandbits(32))
        public = address.is_global and not address.is_multicast and not address.is_reserved
        for spelling in spellings(str(address)):
            allowed = True
            try:
                check_url(f"http://{spelling}/")
            except ForbiddenUrl:
                allowed = False
            assert not allowed or public, spelling
        if public:
            assert check_url(f"http://{address}/").host == str(address)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://travel.cn/a?b=1#c", "travel.cn", 80),
        ("https://Guides.Travel.CN:8443/", "guides.travel.cn", 8443),
        ("https://travel.cn./x", "travel.cn.", 443),
        ("http://8.8.8.8/", "8.8.8.8", 80),
        ("http://[2606:4700:0::1111]/", "2606:4700:0::1111", 80),
        ("http://旅游.中国/", "xn--1lq90ic7f.xn--fiqs8s", 80),
        ("http://0x7f.travel.cn/", "0x7f.travel.cn", 80),
    ],
)
def test_public_hosts_pass(url: str, host: str, port: int) -> None:
    target = check_url(url)
    if not host.startswith("xn--"):
        assert target.host == host
    assert target.port == port
    assert "#" not in target.url


def test_named_hosts_are_opened_and_no_others() -> None:
    allow = frozenset({"127.0.0.2", "guides.internal"})
    assert check_url("http://127.0.0.2:8080/x", allow).host == "127.0.0.2"
    assert check_url("http://guides.internal/x", allow).host == "guides.internal"
    for url in ("http://127.0.0.3/", "http://2130706434/", "http://user@127.0.0.2/"):
        with pytest.raises(ForbiddenUrl):
            check_url(url, allow)


def test_resolved_addresses_are_judged() -> None:
    for address in (*PRIVATE, *PRIVATE_IPV6):
        with pytest.raises(ForbiddenUrl):
            check_address(ipaddress.ip_address(address), "travel.cn")
    check_address(ipaddress.ip_address("8.8.8.8"), "travel.cn")
    check_address(ipaddress.ip_address("127.0.0.2"), "guides.internal", {"guides.internal"})


def test_every_number_is_read_as_a_resolver_reads_it() -> None:
    loopback = ipaddress.ip_address("127.0.0.1")
    for spelling in ("2130706433", "0x7f000001", "017700000001", "127.1", "127.0.1", "0177.0.0.1"):
        assert literal_address(spelling) == loopback
    assert literal_address("travel.cn") is None
