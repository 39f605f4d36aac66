"""TLS 1.3 with certificates on both sides: what each demands of the other before a byte is read."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from fedtopics.errors import InputError

COORDINATOR = "coordinator"  # its name in its certificate; no party can be called so


@dataclass(frozen=True)
class Credentials:
    """Files in PEM: the certificate of the machine, its key, and the authority's certificate."""

    certificate: Path
    key: Path
    authority: Path

    @classmethod
    def read(cls, folder: Path, name: str, advice: str) -> "Credentials":
        """Those of this name in a folder; `advice` says what to do where one is missing."""
        paths = [folder / file for file in (f"{name}.crt", f"{name}.key", "ca.crt")]
        for path in paths:
            if not path.is_file():
                raise InputError(f"expected {path}, got none; {advice}")
        return cls(*paths)

    def for_coordinator(self) -> ssl.SSLContext:
        """Takes connections from those whom the authority has certified, and from nobody else."""
        context = self._context(ssl.PROTOCOL_TLS_SERVER)
        context.verify_mode = ssl.CERT_REQUIRED
        context.num_tickets = 0  # every connection shows its certificate
        return context

    def for_party(self) -> ssl.SSLContext:
        """Connects to a server of the authority that has the name it is called by, and to no other."""
        return self._context(ssl.PROTOCOL_TLS_CLIENT)

    def _context(self, side: int) -> ssl.SSLContext:
        context = ssl.SSLContext(side)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        try:
            context.load_verify_locations(self.authority)
            context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            raise InputError(
                f"expected certificate {self.certificate} with key and authority, got {error}"
            ) from None
        return context
