"""How a party calls its coordinator, and nobody else: over TLS 1.3, through a proxy where there is one.

A proxy (HTTP CONNECT) carries bytes that it cannot read: certificates are checked behind it, end to end.
"""

import http.client
import ssl
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any
from urllib.parse import unquote, urlsplit

from fedtopics.errors import InputError
from fedtopics.network.messages import STALLED
from fedtopics.network.tls import COORDINATOR, Credentials

KNOCK = 10.0  # seconds for an answer


def called(
    host: str, port: int, credentials: Credentials, proxy: str | None = None, seconds: float = STALLED
) -> http.client.HTTPSConnection:
    """A connection to the coordinator of these credentials' authority; whoever else answers is refused."""
    context = credentials.for_party()
    if proxy is None:
        connection = http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
    else:
        at, headers = proxy_address(proxy)
        connection = http.client.HTTPSConnection(*at, timeout=seconds, context=context)
        connection.set_tunnel(host, port, headers)
    connection.connect()
    names = _names(connection.sock.getpeercert() or {})
    if names != [COORDINATOR]:
        connection.close()
        raise InputError(f"expected the coordinator's certificate, got that of {', '.join(names)!r:.60}")
    return connection


def _names(certificate: Mapping[str, Any]) -> list[str]:
    """The common names in a certificate that was verified; none in any other.

    >>> _names({"subject": ((("organizationName", "letters"),), (("commonName", "coordinator"),))})
    ['coordinator']
    """
    parts = [pair for part in certificate.get("subject", ()) for pair in part]
    return [value for kind, value in parts if kind == "commonName"]


def proxy_address(proxy: str) -> tuple[tuple[str, int], dict[str, str]]:
    """Host and port of a proxy, and what it is told: who asks, where the address says so.

    >>> proxy_address("http://proxy.example.org:3128")
    (('proxy.example.org', 3128), {})
    """
    found = urlsplit(proxy if "//" in proxy else f"http://{proxy}")
    try:
        host, port = found.hostname, found.port
    except ValueError:
        host = port = None
    if found.scheme != "http" or not host or not port or found.path.strip("/"):
        raise InputError("expected a proxy as http://[user:password@]host:port, got something else")
    if found.username is None:
        return (host, port), {}
    held = f"{unquote(found.username)}:{unquote(found.password or '')}".encode()
    return (host, port), {"Proxy-Authorization": f"Basic {b64encode(held).decode()}"}


@dataclass(frozen=True)
class Heard:
    """What a coordinator says to who only knocks; `skew` is its clock less this one's, in seconds."""

    status: int
    skew: float | None
    version: str


def knocked(host: str, port: int, credentials: Credentials, proxy: str | None = None) -> Heard:
    """Knock, as the owner of these credentials, and say nothing that could be a turn or a request to join."""
    connection = called(host, port, credentials, proxy, KNOCK)
    try:
        connection.request("POST", "/", b"")
        response = connection.getresponse()
        return Heard(response.status, skew_of(response), response.getheader("Server", "").strip()[:60])
    finally:
        connection.close()


def skew_of(response: http.client.HTTPResponse) -> float | None:
    """By how many seconds the clock of who answers is ahead of this one, as far as whole seconds tell."""
    try:
        told = parsedate_to_datetime(response.getheader("Date", "")).timestamp()
    except (ValueError, TypeError):
        return None
    skew = told + 0.5 - time()
    return 0.0 if abs(skew) <= 1.5 else skew


def words(error: Exception) -> str:
    """Why there is no connection, for the operator."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not that of this federation's coordinator ({error.verify_message})"
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
        return f"it refused this party's certificate, or speaks no TLS ({error.reason})"
    lost = isinstance(error, ssl.SSLEOFError | http.client.RemoteDisconnected | ConnectionResetError)
    return "the connection was lost" if lost else str(error) or type(error).__name__
