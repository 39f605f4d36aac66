"""Found a federation, join it, review and accept its plan."""

from pathlib import Path
from typing import Annotated, Any

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.methods import make
from fedtopics.network.plan import acceptance, certificates, onboarding
from fedtopics.network.plan.parts import PlannedWords, Texts
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.explain import priced
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import check_relation

app = typer.Typer(help=__doc__, no_args_is_help=True)
NEXT = "next: each party runs `fedtopics federation request NAME --folder ...`, sends you NAME.csr"


@app.command()
def init(
    folder: options.Member,
    parties: Annotated[list[str], typer.Option("--party", help="Name of a party; repeat for each.")],
    coordinator: Annotated[str, typer.Option(help="host:port that parties connect to.")],
    name: Annotated[str, typer.Option(help="Of the federation.")] = "federation",
    method: Annotated[str, typer.Option(help="As `fedtopics methods` lists them.")] = "calm",
    topics: options.TopicCount = 20,
    epsilon: options.Epsilon = None,
    rounds: options.Rounds = None,
    variant: options.Variant = None,
    unit: options.Unit = None,
    settings: options.Setting = None,
    vocabulary: Annotated[
        Path | None, typer.Option(help="Public word list, one word per line, known before.")
    ] = None,
    vocabulary_epsilon: Annotated[
        float | None, typer.Option(help="Let the parties agree on words, document add/remove.")
    ] = None,
    max_words: Annotated[int, typer.Option(help="Most words that are agreed on.")] = 10_000,
    relation: Annotated[
        str | None, typer.Option(help="What the promise protects; what the method's epsilon does by default.")
    ] = None,
    delta: Annotated[float, typer.Option(help="Chance that the promise may fail.")] = 1e-6,
    min_parties: Annotated[
        int | None, typer.Option(help="Fewest answers of a round (2; with a secure sum all).")
    ] = None,
    secure_sum: options.SecureSum = None,
    noise: options.NoiseOf = None,
    repeats: options.Repeats = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for an answer.")] = 600.0,
    language: Annotated[str, typer.Option(help="Of the documents.")] = "en",
    simulation_seed: Annotated[
        int | None, typer.Option(help="For trying alone: noise from a seed protects nobody.")
    ] = None,
) -> None:
    """Write a plan to review, a template for the parties' policies, and the coordinator's certificates.

    Example: fedtopics federation init hub --coordinator hub.example.org:8002 --party north --party south
    --party west --epsilon 6 --vocabulary-epsilon 4
    """
    given = {"n_topics": topics, **options.method_settings(variant, epsilon, rounds, settings, unit)}
    made, summing = make(method, **given), options.summing(secure_sum, noise, repeats)
    plan = Plan(
        name,
        coordinator,
        tuple(parties),
        method,
        Budget(made.protects if relation is None else check_relation(relation), 1e9, delta),
        _words(vocabulary, vocabulary_epsilon, max_words, delta),
        settings=given,
        min_parties=min_parties or (2 if summing is None else len(parties)),
        timeout_seconds=timeout,
        texts=Texts(language),
        simulation_seed=simulation_seed,
        secure_sum=summing,
    ).priced()
    onboarding.found(folder, plan, vocabulary)
    print_plan(plan)
    options.say(f"\nwritten to {folder}: plan.toml (review it), {onboarding.TEMPLATE}, keys and certificates")
    options.say(NEXT)


def _words(vocabulary: Path | None, epsilon: float | None, max_words: int, delta: float) -> PlannedWords:
    if (vocabulary is None) == (epsilon is None):
        raise InputError("expected either --vocabulary FILE or --vocabulary-epsilon, got both or neither")
    if vocabulary is not None:
        return PlannedWords.of_file(vocabulary)
    return PlannedWords("private", epsilon=epsilon, delta=delta, max_size=max_words)


@app.command()
def request(
    party: Annotated[str, typer.Argument(metavar="NAME", help="Of this party, as in the plan.")],
    folder: options.MemberOption = Path("party"),
) -> None:
    """Make this party's key, which stays here, and the request that goes to the coordinator.

    Example: fedtopics federation request north --folder office
    """
    path = onboarding.request(folder, party)
    key = certificates.read_request(path)[1].public_key()
    options.say(f"send {path} to the coordinator; {folder / 'party.key'} stays here")
    options.say(f"fingerprint to compare on the telephone: {certificates.fingerprint(key)}")


@app.command()
def approve(
    request_file: Annotated[Path, typer.Argument(metavar="NAME.csr", help="What the party sent.")],
    folder: options.MemberOption = Path("hub"),
    fingerprint: Annotated[
        str | None, typer.Option(help="As the party read it out; asked for where not given.")
    ] = None,
) -> None:
    """Sign the certificate of a party of the plan, once its fingerprint was compared.

    Example: fedtopics federation approve north.csr --folder hub
    """
    party, asked = certificates.read_request(request_file)
    known = certificates.fingerprint(asked.public_key())
    options.say(f"request of party {party}")
    told = typer.prompt("fingerprint, as the party reads it out") if fingerprint is None else fingerprint
    if told.replace(" ", "").lower() != known.replace(" ", ""):
        raise InputError(f"expected the fingerprint of this request, got another; do not approve {party}")
    target = onboarding.approve(folder, request_file)
    authority = certificates.read_certificate(folder / "ca.crt").public_key()
    options.say(f"send the folder {target} to {party}; it holds nothing secret")
    options.say(
        f"fingerprint of the authority, for {party} to compare: {certificates.fingerprint(authority)}"
    )


@app.command()
def accept(
    received: Annotated[Path, typer.Argument(metavar="RECEIVED", help="The folder from the coordinator.")],
    folder: options.MemberOption = Path("party"),
    digest: Annotated[
        str | None, typer.Option(help="Accept the plan with this digest without asking (all 64 digits).")
    ] = None,
) -> None:
    """Check what the coordinator sent against this party's key, policy and ledger, and sign the plan.

    Example: fedtopics federation accept received/north --folder office
    """
    from fedtopics.network.party.offer import Offer

    offer = Offer.read(folder, received)
    print_plan(offer.plan)
    options.say(f"authority  {certificates.fingerprint(offer.authority.public_key())}")
    if digest is None:
        typer.confirm(f"accept this plan for party {offer.party}?", abort=True)
    elif digest != offer.plan.digest:
        raise InputError(f"expected the plan {digest}, got {offer.plan.digest}; nothing was accepted")
    accepted = offer.accept()
    options.say(f"accepted by {accepted.party} at {accepted.time}; signed in {folder / 'acceptance.json'}")


@app.command()
def share(folder: options.Member) -> None:
    """Put a changed plan into the folders of the approved parties, to be sent and accepted anew.

    Example: fedtopics federation share hub
    """
    for certificate in sorted((folder / onboarding.APPROVED).glob("*/party.crt")):
        onboarding.share_plan(folder, certificate.parent.name)
        options.say(f"send {certificate.parent} to {certificate.parent.name}, who accepts it anew")


@app.command()
def revoke(
    party: Annotated[str, typer.Argument(metavar="NAME", help="Of an approved party.")],
    folder: options.MemberOption = Path("hub"),
) -> None:
    """Take a party's approval back, at once: the coordinator need not be started again.

    Example: fedtopics federation revoke north --folder hub
    """
    kept = onboarding.revoke(folder, party)
    options.say(f"{party} is refused from now on; its certificate is kept in {kept}")
    options.say("to let it back in, approve a request of it; to be rid of its name, change the plan")


@app.command()
def renew(folder: options.Member) -> None:
    """Make the coordinator's server certificate anew: before it ends, or for another host in the plan.

    Example: fedtopics federation renew hub
    """
    certificates.make_server(folder, Plan.read(folder / "plan.toml").host)
    ends = certificates.read_certificate(folder / "server.crt").not_valid_after_utc
    options.say(f"{folder / 'server.crt'} now ends {ends:%Y-%m-%d}; start the coordinator again")


@app.command()
def show(folder: options.Member) -> None:
    """Print the plan of a folder, its digest and whether it was accepted, and until when certificates hold.

    Example: fedtopics federation show office
    """
    plan = Plan.read(folder / "plan.toml")
    print_plan(plan)
    for path in sorted([*folder.glob("*.crt"), *folder.glob("approved/*/party.crt")]):
        found = certificates.read_certificate(path)
        who = certificates.common_name(found.subject)
        options.say(f"{path.relative_to(folder)}: {who}, until {found.not_valid_after_utc:%Y-%m-%d}")
    if (folder / "party.key").exists():
        accepted = acceptance.check(folder, plan)
        options.say(f"accepted by {accepted.party} at {accepted.time}")


def print_plan(plan: Plan) -> None:
    for title, line in summary(plan).items():
        options.say(f"{title:<10} {line}")


def summary(plan: Plan) -> dict[str, Any]:
    """What a reviewer must see, one line each."""
    method, words, promise = plan.method(), plan.vocabulary, plan.privacy
    document = f"(document add/remove, delta {words.delta})"
    agreed = f"agreed on at epsilon {words.epsilon} {document}, at most {words.max_size} words"
    scores = plan.evaluation
    private = f" at epsilon {scores.epsilon} (document add/remove, delta {scores.delta})"
    shared = plan.secure_sum is not None and plan.secure_sum.noise == "together"
    secure = "secure, a share of it at each party" if shared else "secure, at each party"
    noise = "from a SEED: for trying alone" if plan.simulation_seed is not None else secure
    others = "; ".join(
        priced(relation, epsilon, promise.delta)
        for relation, epsilon in plan.prices().items()
        if relation != promise.relation
    )
    return {
        "plan": plan.name,
        "parties": f"{', '.join(plan.parties)}; at least {plan.min_parties} in each round",
        "method": f"{plan.method_name}, {method.n_topics} topics, {method.n_rounds} rounds",
        "words": f"{words.n_words} of the public list {words.file}" if words.mode == "public" else agreed,
        "costs": f"{priced(promise.relation, promise.epsilon, promise.delta)} in all",
        "and": others,
        "noise": noise,
        "seen": _seen(plan),
        "public": "; ".join(plan.public),
        "scores": scores.mode + (private if scores.mode == "private" else ""),
        "digest": plan.digest,
    }


def _seen(plan: Plan) -> str:
    """What the coordinator sees, and what the run costs before it alone, where that is less."""
    summing, promise = plan.secure_sum, plan.privacy
    if summing is None:
        return "the coordinator sees what each party sends"
    seen = summing.in_words(len(plan.parties), plan.min_parties)
    if summing.repeats:
        number = "one round" if summing.repeats == 1 else f"{summing.repeats} rounds"
        seen += f"; {number} may be lost and played again, which the price includes"
    if summing.noise == "together":
        alone = plan.prices_before_one()[promise.relation]
        seen += f"; before a coordinator whom none helps {priced(promise.relation, alone, promise.delta)}"
    return seen
