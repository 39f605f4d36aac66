"""What can be found out before a run begins: clocks and certificates. Each check raises one clear line."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509

from fedtopics.errors import InputError
from fedtopics.network.plan import certificates

LARGEST_SKEW = 60.0  # seconds
AHEAD = timedelta(days=30)  # before a certificate ends, it is renewed or its end is announced


class NotReadyError(InputError):
    """A run cannot begin; nothing was read or sent."""


def check_clock(theirs: float, ours: float, who: str) -> None:
    """Refuse clocks that differ too much: certificates and the order of records depend on them."""
    skew = theirs - ours
    if not abs(skew) <= LARGEST_SKEW:
        side = "ahead" if skew > 0 else "behind"
        raise NotReadyError(
            f"expected clocks within {LARGEST_SKEW:g} s, got that of {who} {abs(skew):.0f} s {side}; "
            "set both by NTP"
        )


def check_certificate(path: Path, now: datetime | None = None) -> None:
    """Refuse a certificate whose time is over, or has not come: the clock of this machine may be wrong."""
    check_period(certificates.read_certificate(path), path, now)


def check_period(found: x509.Certificate, path: Path, now: datetime | None = None) -> None:
    """Refuse the certificate that was read from `path` where its time is over, or has not come."""
    now = datetime.now(UTC) if now is None else now
    if now > found.not_valid_after_utc:
        raise NotReadyError(
            f"expected a valid certificate, got {path} that ended {found.not_valid_after_utc:%Y-%m-%d}; "
            "renew it: fedtopics federation request and approve, or renew"
        )
    if now < found.not_valid_before_utc:
        raise NotReadyError(
            f"expected a valid certificate, got {path} that begins {found.not_valid_before_utc:%Y-%m-%d}; "
            "check the clock of this machine"
        )


def ends_soon(found: x509.Certificate) -> bool:
    """Whether the certificate ends within the next 30 days, or has ended."""
    return datetime.now(UTC) + AHEAD > found.not_valid_after_utc


def warnings_of(*paths: Path) -> list[str]:
    """A line for each of these certificates that ends within the next 30 days."""
    known = [(path, certificates.read_certificate(path)) for path in paths if path.is_file()]
    return [
        f"the certificate {path.name} ends {found.not_valid_after_utc:%Y-%m-%d}: renew it before"
        for path, found in known
        if ends_soon(found)
    ]


def check_identity(folder: Path) -> str:
    """The party's name, if key, certificate and authority in its folder belong together and hold now."""
    own = certificates.read_certificate(folder / "party.crt")
    certificates.check_issued(own, certificates.read_certificate(folder / "ca.crt"))
    if certificates.read_key(folder / "party.key").public_key() != own.public_key():
        raise NotReadyError(f"expected the certificate of {folder / 'party.key'}, got that of another key")
    for name in ("party.crt", "ca.crt"):
        check_certificate(folder / name)
    return certificates.common_name(own.subject)
