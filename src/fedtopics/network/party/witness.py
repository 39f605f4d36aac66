"""What a coordinator shows a party of the party's own past, when it says hello: a ledger that lacks any of it
was put back from a copy, by whatever means, and nothing more is released.

    answered    rounds of this run to which it has answers of this party
    statement   the newest that this party has signed of a run before, with its signature (`attestation`)

A coordinator that shows too much only keeps the party from taking part; one that shows nothing could always
be silent about it.
"""

from collections.abc import Callable
from time import time

import numpy as np
from cryptography import x509

from fedtopics.files import StoreError
from fedtopics.network import attestation, wire
from fedtopics.network.attestation import Attestation
from fedtopics.network.messages import PROTOCOL, Request
from fedtopics.network.party.backup import is_charged
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan import certificates
from fedtopics.network.plan.readiness import NotReadyError
from fedtopics.protocol.turn import Arrays


class RolledBackError(StoreError):
    """The ledger here lacks releases that this party has made."""


class OtherVersionError(NotReadyError):
    """The coordinator, or the run, belongs to a version whose messages are others."""


def greeted(asked: Request, store: PartyStore, own: x509.Certificate | None) -> bytes:
    """The answer to hello: the time here, if the ledger holds what is shown of this party's past."""
    check(asked, store, own)
    return wire.pack({"time": np.array(time())})


def renewed(asked: Request, keep: Callable[[bytes], None]) -> bytes:
    """Keep this party's certificate, made anew."""
    found = wire.unpack(asked.body, limit=certificates.MOST_BYTES, names=(certificates.CERTIFICATE,))
    keep(found[certificates.CERTIFICATE].tobytes())
    return wire.pack({})


def check(asked: Request, store: PartyStore, own: x509.Certificate | None) -> None:
    """Raise where the coordinator is of another version, or knows of releases that are not here."""
    shown = wire.unpack(asked.body, limit=attestation.MOST_BYTES) if asked.body else {}
    protocol = int(shown["protocol"]) if "protocol" in shown else 1
    if protocol != PROTOCOL:
        raise OtherVersionError(f"expected a coordinator of protocol {PROTOCOL}, got {protocol}; upgrade one")
    _check_answered(asked.run, shown, store)
    if {"statement", "signature"} <= shown.keys() and own is not None:
        _check_statement(shown, store, own)


def _check_answered(run: str, shown: Arrays, store: PartyStore) -> None:
    made = {entry.round for entry in store.of_run(run) if entry.run == f"{run}/contribute"}
    told = {int(number) for number in shown.get("answered", np.zeros(0, np.int64)).reshape(-1)}
    if not told <= made and not is_charged(store, run):
        raise RolledBackError(
            f"the coordinator has answers of this party to {len(told)} rounds of {run}, got {len(made)} in "
            f"the ledger: it was put back from a copy. Restore the newest, or charge the run in full: "
            f"fedtopics federation party charge FOLDER --run {run}"
        )


def _check_statement(shown: Arrays, store: PartyStore, own: x509.Certificate) -> None:
    signed = Attestation(*(shown[name].tobytes().decode() for name in ("statement", "signature")))
    told = signed.by(own, store.party)
    known = {entry.digest for entry in store.entries}
    if not {digest for _, _, digest in told.entries} <= known and not is_charged(store, told.run):
        raise RolledBackError(
            f"this party has signed for releases of {told.run} that its ledger lacks: it was put back from a "
            f"copy. Restore the newest, or charge the run in full: fedtopics federation party charge FOLDER "
            f"--run {told.run}"
        )
