"""How a federation begins: who writes which file, and what travels. Private keys never do.

    coordinator   found     plan.toml, policy-template.toml, the authority and the coordinator's certificates
    party         request   party.key stays;  NAME.csr goes to the coordinator
    coordinator   approve   approved/NAME/ goes to the party: two certificates, the plan, its word list
    party         accept    checks all of it against its key, policy and ledger, and signs (`party.offer`)

or in one command each, with an invitation that carries the plan (`invitation`, `coordinator.guests`,
`party.joining`): the same files, sent over the coordinator's port.

When the plan changes, `approved/NAME/` is made anew and accepted anew; certificates stay.
"""

from dataclasses import replace
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from fedtopics import files
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.errors import InputError
from fedtopics.network.plan import certificates
from fedtopics.network.plan.parts import WORD_LIST
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template

PLAN, POLICY, TEMPLATE = "plan.toml", "policy.toml", "policy-template.toml"
APPROVED, REVOKED, SIGNING = "approved", "revoked", "signing.pub"


def establish(
    folder: Path, plan: Plan, words: str | Path | None = None, relation: Path | None = None
) -> None:
    """Write a new federation's files: the plan for review, and the coordinator's keys and certificates."""
    if (folder / "ca.key").exists() or (folder / PLAN).exists():
        raise InputError(f"expected a folder without a federation, got one in {folder}; choose another")
    files.make_folder(folder)
    if plan.vocabulary.file is not None and words is not None:
        listed = "".join(f"{word}\n" for word in read_vocabulary(words))
        files.write(folder / WORD_LIST, listed.encode(), mode=certificates.PUBLIC_FILE)
        plan.words(folder)
    if plan.consistency is not None and relation is not None:
        files.write(folder / plan.consistency.file, relation.read_bytes(), mode=certificates.PUBLIC_FILE)
        plan.consistency.check(folder)
    plan.write(folder / PLAN)
    files.publish(folder / TEMPLATE, policy_template(plan))
    certificates.make_authority(folder, plan.name)
    certificates.make_server(folder, plan.host)
    certificates.make_signing_key(folder / "signing.key")


def request(folder: Path, party: str) -> Path:
    """Make the party's key in its own folder; the request that goes to the coordinator."""
    files.make_folder(folder)
    return certificates.make_request(folder, party)


def approve(folder: Path, request_file: Path) -> Path:
    """Sign the certificate of a party of the plan; the folder that goes back to it."""
    plan = Plan.read(folder / PLAN)
    party, asked = certificates.read_request(request_file)
    if party not in plan.parties:
        names = ", ".join(plan.parties)
        raise InputError(f"expected a request of a party of the plan ({names}), got one of {party!r}")
    target = folder / APPROVED / party
    _refuse_second_key(target / "party.crt", party, asked)
    _refuse_revoked_key(folder / REVOKED, asked)
    files.make_folder(target)
    signed = certificates.sign_request(folder, asked)
    files.write(
        target / "party.crt", signed.public_bytes(serialization.Encoding.PEM), mode=certificates.PUBLIC_FILE
    )
    share_plan(folder, party)
    return target


def revoke(folder: Path, party: str) -> Path:
    """Take a party's approval back: its certificate opens nothing from now on. Where it is kept."""
    approved, target = folder / APPROVED / Path(party).name, folder / REVOKED / Path(party).name
    if not (approved / "party.crt").is_file():
        raise InputError(f"expected an approved party, got {party!r:.60}; see `fedtopics federation show`")
    files.make_folder(target.parent)
    if target.exists():
        target.rename(target.with_name(f"{target.name}-{int(target.stat().st_mtime_ns)}"))
    approved.rename(target)
    files.sync_folder(folder / APPROVED)
    return target


def renew(folder: Path, party: str) -> x509.Certificate:
    """A new certificate for the name and key of an approved party, in place of the one that will end."""
    path = folder / APPROVED / Path(party).name / "party.crt"
    if not path.is_file():
        raise InputError(f"expected an approved party, got {party!r:.60}; see `fedtopics federation show`")
    renewed = certificates.renewed(folder, certificates.read_certificate(path))
    content = renewed.public_bytes(serialization.Encoding.PEM)
    files.write(path, content, mode=certificates.PUBLIC_FILE)
    return renewed


def without(folder: Path, party: str) -> Plan:
    """Write the plan without this party, for runs to come; every other party accepts it anew."""
    plan = Plan.read(folder / PLAN)
    left = tuple(name for name in plan.parties if name != party)
    settings = dict(plan.settings)
    if isinstance(settings.get("topics_per_party"), dict):
        settings["topics_per_party"] = {
            name: number for name, number in settings["topics_per_party"].items() if name != party
        }
    changed = replace(plan, parties=left, settings=settings, min_parties=min(plan.min_parties, len(left)))
    changed.write(folder / PLAN)
    files.publish(folder / TEMPLATE, policy_template(changed))
    for name in left:
        if (folder / APPROVED / name).is_dir():
            share_plan(folder, name)
    return changed


def share_plan(folder: Path, party: str) -> None:
    """Put the plan as it is now, and what belongs to it, beside the party's certificate."""
    plan = Plan.read(folder / PLAN)
    plan.words(folder)
    listed = () if plan.vocabulary.file is None else (WORD_LIST,)
    for name in ("ca.crt", SIGNING, PLAN, TEMPLATE, *listed):
        content = (folder / name).read_bytes()
        files.write(folder / APPROVED / party / name, content, mode=certificates.PUBLIC_FILE)


def _refuse_revoked_key(revoked: Path, asked: x509.CertificateSigningRequest) -> None:
    """A key that was revoked may be in other hands: its party comes back with a new one."""
    for path in revoked.glob("*/party.crt"):
        if certificates.read_certificate(path).public_key() == asked.public_key():
            raise InputError(
                f"expected a request with a key that was not revoked, got that of {path.parent.name}; "
                "let the party delete its party.key and make a new request"
            )


def _refuse_second_key(path: Path, party: str, asked: x509.CertificateSigningRequest) -> None:
    """One name, one key: who asks for a name that was given away is somebody else, or has lost the key."""
    if path.exists() and certificates.read_certificate(path).public_key() != asked.public_key():
        raise InputError(
            f"party {party!r} was approved with another key, got a request with a new one; "
            f"if it has lost its key, make sure by telephone and delete {path.parent}"
        )
