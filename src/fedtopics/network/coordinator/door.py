"""Who may come in: the parties of the plan as it is now, each with the key that was approved.

A certificate of the authority is not enough. Its name must stand in `plan.toml`, and its key must be that of
`approved/NAME/party.crt`. Both files are looked at for every message, so whoever is taken out of the plan or
revoked is out at once, in the middle of a run too. A plan that cannot be read lets nobody in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509

from fedtopics.errors import InputError
from fedtopics.network.plan import certificates
from fedtopics.network.plan.onboarding import APPROVED, PLAN
from fedtopics.network.plan.plan import Plan


class RefusedError(InputError):
    """A certificate of the authority, but of nobody who may come in now."""


@dataclass
class Door:
    """The door of the coordinator whose folder this is."""

    folder: Path
    _read: dict[Path, tuple[tuple[int, int, int], Any]] = field(default_factory=dict, init=False)

    def admit(self, shown: x509.Certificate) -> str:
        """The name of the party whose certificate this is; `RefusedError` where it may not come in."""
        name = certificates.common_name(shown.subject)
        if datetime.now(UTC) > shown.not_valid_after_utc:
            raise RefusedError(f"the certificate of {name!r:.60} has expired; let that party renew it")
        try:
            parties = self._known(self.folder / PLAN, lambda path: Plan.read(path).parties)
        except InputError as error:
            raise RefusedError(f"nobody is let in: {error}") from None
        if name not in parties:
            raise RefusedError(f"{name!r:.60} is not a party of the plan")
        try:
            approved = self._known(self.folder / APPROVED / name / "party.crt", certificates.read_certificate)
        except InputError:
            raise RefusedError(f"{name!r:.60} was not approved, or was revoked") from None
        if approved.public_key() != shown.public_key():
            raise RefusedError(f"{name!r:.60} has another key than the one that was approved")
        return name

    def _known(self, path: Path, read: Callable[[Path], Any]) -> Any:
        """What a file holds, read anew whenever it has changed."""
        try:
            found = path.stat()
        except OSError:
            raise InputError(f"expected {path}, got none") from None
        state = (found.st_mtime_ns, found.st_size, found.st_ino)
        if path not in self._read or self._read[path][0] != state:
            self._read[path] = state, read(path)
        return self._read[path][1]
