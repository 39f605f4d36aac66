"""How a party calls its coordinator, and nobody else: over TLS 1.3, through a proxy where there is one.

A proxy (HTTP CONNECT) carries bytes that it cannot read: certificates are checked behind it, end to end.
"""

import http.client
from base64 import b64encode
from urllib.parse import unquote, urlsplit

from cryptography import x509

from fedtopics.errors import InputError
from fedtopics.network.messages import STALLED
from fedtopics.network.plan import certificates
from fedtopics.network.tls import Credentials


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
    shown = connection.sock.getpeercert(binary_form=True) or b""
    name = certificates.common_name(x509.load_der_x509_certificate(shown).subject)
    if name != certificates.COORDINATOR:
        connection.close()
        raise InputError(f"expected the coordinator's certificate, got that of {name!r:.60}")
    return connection


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
