"""Decide which addresses may be fetched: public web servers, and hosts named in the settings.

This module never opens a connection. ``fetch`` repeats the check after each redirect and for each
resolved IP address, so that neither redirects nor name servers can lead into a private network.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import httpx

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
ForbiddenCode = Literal["malformed", "scheme", "userinfo", "forbidden_host", "forbidden_address"]

_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]|[^\S ]")
_AUTHORITY = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
_NUMERIC_PART = re.compile(r"^(?:0[xX][0-9a-fA-F]*|[0-9]+)$")
_NAME = re.compile(r"^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$")
_PRIVATE_SUFFIXES = (
    ".localhost", ".local", ".localdomain", ".internal", ".intranet", ".lan", ".home", ".corp",
    ".private", ".arpa", ".onion", ".test", ".invalid", ".example",
)  # fmt: skip
#: Special-purpose blocks of the IANA registries that some versions of Python regard as global, and
#: an internal address of a cloud platform that looks public.
_SPECIAL = tuple(
    ipaddress.ip_network(block)
    for block in (
        "192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "2001::/23", "2001:db8::/32",
        "3fff::/20",
    )
)  # fmt: skip
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.ip_network("64:ff9b:1::/48")
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")


class ForbiddenUrl(Exception):
    """Raised if an address must not be requested; ``code`` gives the reason."""

    def __init__(self, code: ForbiddenCode, message: str) -> None:
        super().__init__(message)
        self.code: ForbiddenCode = code
        self.message = message


@dataclass(frozen=True)
class Target:
    """An address that may be requested, judging by its text alone."""

    url: str
    scheme: str
    host: str
    port: int


def check_url(url: str, allow_hosts: Collection[str] = ()) -> Target:
    """Check a URL without opening a connection or resolving a name, and return its target.

    ``allow_hosts`` are hosts that are always allowed, such as intranet hosts; names must match
    exactly. Raises ForbiddenUrl if the URL must not be requested.
    """
    if _UNSAFE.search(url) or len(url) > 4096:
        raise ForbiddenUrl(
            "malformed", "the address contains spaces, control characters or backslashes"
        )
    authority = _AUTHORITY.match(url)
    if authority is None:
        raise ForbiddenUrl("malformed", "the address has no scheme and host")
    try:
        parsed = httpx.URL(url)
        host = parsed.raw_host.decode("ascii").lower()
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise ForbiddenUrl("malformed", f"the address can't be read: {error}") from error
    if parsed.scheme not in ("http", "https"):
        raise ForbiddenUrl(
            "scheme", f"only http and https addresses are fetched, not {parsed.scheme}"
        )
    if "@" in authority[1] or parsed.userinfo:
        raise ForbiddenUrl("userinfo", "the address contains a user name")
    if "%" in authority[1] or not host or not 0 < (parsed.port or 80) < 65536:
        raise ForbiddenUrl("malformed", "the host is missing or encoded, or the port is invalid")
    host = host.strip("[]")
    check_host(host, allow_hosts)
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    return Target(str(parsed.copy_with(fragment=None)), parsed.scheme, host, port)


def check_host(host: str, allow_hosts: Collection[str] = ()) -> None:
    """Check a host by its name or IP address. Raises ForbiddenUrl if the host is not public."""
    if host in allow_hosts:
        return
    plain = unicodedata.normalize("NFKC", host).rstrip(".").lower()
    address = literal_address(plain)
    if address is not None:
        if address.version == 4 and plain != str(address):
            raise ForbiddenUrl("forbidden_host", f"{host} is an unusual spelling of {address}")
        check_address(address, host)
        return
    if plain == "localhost" or plain.endswith(_PRIVATE_SUFFIXES):
        raise ForbiddenUrl("forbidden_host", f"{host} is the name of a private host")
    if not _NAME.match(plain):
        raise ForbiddenUrl("forbidden_host", f"{host} is not the name of a public host")


def literal_address(host: str) -> Address | None:
    """Return the IP address that a host gives in any notation, or None if the host is a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    parts = host.split(".")
    if not 1 <= len(parts) <= 4 or not all(_NUMERIC_PART.match(part) for part in parts):
        return None
    *bytes_before, last = map(_number, parts)
    if any(byte > 255 for byte in bytes_before) or last >= 256 ** (4 - len(bytes_before)):
        return ipaddress.IPv4Address(0)  # too large for an address, so it is never public
    shifted = (byte << (8 * (3 - at)) for at, byte in enumerate(bytes_before))
    return ipaddress.IPv4Address(last + sum(shifted))


def _number(part: str) -> int:
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    if part.startswith("0") and part.strip("01234567") == "":
        return int(part, 8)
    return int(part[:20])


def check_address(address: Address, host: str, allow_hosts: Collection[str] = ()) -> None:
    """Check an IP address and any address embedded in it.

    Raises ForbiddenUrl unless all these addresses are public.
    """
    if host in allow_hosts:
        return
    for inner in (address, *_find_embedded(address)):
        if not _is_public(inner):
            raise ForbiddenUrl(
                "forbidden_address", f"{host} resolves to {address}, which is not public"
            )


def _is_public(address: Address) -> bool:
    if address.is_multicast or any(address in block for block in _SPECIAL):
        return False
    if isinstance(address, ipaddress.IPv6Address):
        carries = address.ipv4_mapped is not None or address in _NAT64
        if carries:
            return True  # the address inside decides
        if address not in _GLOBAL_UNICAST or address.is_site_local:
            return False
    return address.is_global and not address.is_reserved


def _find_embedded(address: Address) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses embedded in an IPv6 address (mapped, NAT64, 6to4 and Teredo)."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or address in _NAT64_LOCAL:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]
