"""HTTP/2 over TLS where the server offers it, with a certificate authority of one's own."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import ssl
from functools import partial
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import pytest

from sources.web.archive import Archive
from sources.web.fetch import crawl
from sources.web.fetch_types import Ask, FetchSettings, FetchVisit

x509 = pytest.importorskip("cryptography.x509", reason="makes the certificate of the test")
PAGE = b"<html><body><h1>Old town</h1><p>A walk along the wall.</p></body></html>"


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 with its key, in one file."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "server.pem"
    path.write_bytes(pem)
    return path


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An HTTP/2 server in one function: robots.txt is missing, all else is the page."""
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    writer.write(connection.data_to_send())
    while data := await reader.read(65_536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                path = dict(event.headers)[b":path"]
                status = "404" if path == b"/robots.txt" else "200"
                head = [(":status", status), ("content-type", "text/html")]
                connection.send_headers(event.stream_id, head)
                connection.send_data(event.stream_id, PAGE, end_stream=True)
        writer.write(connection.data_to_send())
        await writer.drain()
    writer.close()


def _keep(archive: Archive, versions: list[str], visit: FetchVisit) -> None:
    versions.extend(e.http_version for e in visit.exchanges)
    archive.add(visit)


def test_http2_is_spoken_and_an_unknown_certificate_refused(tmp_path: Path) -> None:
    pem = certificate(tmp_path)

    async def go() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        context.set_alpn_protocols(["h2"])
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/page"
        for ca_file, outcome in ((pem, "stored"), (None, "pending")):
            settings = FetchSettings(
                allow_hosts=frozenset({"127.0.0.1"}), delay_s=0.0, max_tries=1, ca_file=ca_file
            )
            with Archive(tmp_path / outcome) as archive:
                versions: list[str] = []
                await crawl([Ask(url)], settings, partial(_keep, archive, versions))
                row = archive.latest(url)
                assert row is not None
                assert row.outcome == outcome
                assert set(versions) <= {"HTTP/2"}
        server.close()

    asyncio.run(go())
