"""How a party is: what its folder and its last sign of life say, and a knock at the coordinator's port."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from fedtopics import __version__
from fedtopics.errors import InputError
from fedtopics.network import health, pulse
from fedtopics.network.calling import knocked, words
from fedtopics.network.health import Finding, Health
from fedtopics.network.keeper import LOG
from fedtopics.network.metrics import Gauge
from fedtopics.network.party import ledger_file
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.store import MODELS
from fedtopics.network.plan import acceptance, certificates
from fedtopics.network.plan.onboarding import POLICY
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.budget import BudgetError, in_json
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.sampling.gpu import using

AWAY = 600.0  # seconds without the coordinator after which somebody should look at once
START = "start it: fedtopics federation party start"
RENEW = "it is renewed while this party is connected; if not, ask the coordinator for a new one"
ACCEPT = "review the plan and accept it: fedtopics federation accept, or party join"


@dataclass
class PartyHealth(Health):
    """The health of a party."""

    place: PartyFolder = field(init=False)

    def __post_init__(self) -> None:
        if not (self.folder / "party.key").is_file():
            raise InputError(f"expected the folder of a party, got {self.folder} without a party.key")
        self.place = PartyFolder(self.folder)

    @cached_property
    def ledger(self) -> ledger_file.LedgerFile:
        return ledger_file.read(self.folder / "store", self.folder / ledger_file.ANCHOR)

    @property
    def n_models(self) -> int:
        """Finished runs that are kept."""
        return len(list((self.folder / MODELS).glob("*/run.json")))

    @property
    def labels(self) -> dict[str, str]:
        return {"party": self._name or self.folder.resolve().name}

    def findings(self) -> list[Finding]:
        return [
            self._process(),
            self._connection(),
            health.clock(self.sign.get("skew") if self.is_running else None),
            health.lifetime("certificate", self.folder / "party.crt", RENEW),
            health.looked_at("plan", self._plan, ACCEPT),
            health.looked_at("policy", self._policy, f"correct {self.folder / POLICY}, or refuse the plan"),
            health.looked_at("ledger", self._chain, "restore the newest backup of store and ledger.anchor"),
            health.looked_at(
                "budget", self._left, "a larger [[budget]] in policy.toml, or no more runs", "warning"
            ),
            health.room(self.folder),
        ]

    def diagnosis(self) -> list[Finding]:
        """Also keys, the authority, the port, versions and documents."""
        quick = {found.about: found for found in self.findings()}
        knock = self._knock() if not self.is_running else []
        quick |= {found.about: found for found in knock}
        others = [
            health.lifetime("authority", self.folder / "ca.crt", "the federation has to be founded anew"),
            health.looked_at("chain", self._chained, "ask the coordinator for the certificates again"),
            health.owner_alone(self.folder / name for name in ("party.key", "store", "source.json")),
            health.looked_at("device", using.check, f"see to it, or start without {using.VARIABLE}"),
            health.looked_at(
                "documents",
                self._documents,
                "name them: fedtopics federation party start FOLDER --data SOURCE",
            ),
        ]
        return [*quick.values(), *others]

    def status(self) -> dict[str, Any]:
        findings = self.findings()
        return {
            "party": self._name,
            "level": health.worst(findings),
            "running": self.is_running,
            "connected": bool(self.is_running and self.sign.get("connected")),
            "answers": self.sign.get("answers", 0) if self.is_running else 0,
            "releases": self._or(0, lambda: len(self.ledger.entries)),
            "models": self.n_models,
            "budget": self._or([], self._spent),
            "plan": self._or("", lambda: self.place.plan.digest),
            "log_bytes": sum(path.stat().st_size for path in self.folder.glob(f"{LOG}*")),
            "version": __version__,
            "findings": [vars(found) for found in findings],
        }

    def gauges(self) -> list[Gauge]:
        told = self.status()
        spent = {row["relation"]: float(row["spent"]) for row in told["budget"]}
        allowed = {row["relation"]: row["epsilon"] for row in told["budget"]}
        ends = certificates.read_certificate(self.folder / "party.crt").not_valid_after_utc.timestamp()
        return [
            Gauge.of("up", "Whether the party's worker lives.", told["running"]),
            Gauge.of("connected", "Whether the coordinator was reached in the last turn.", told["connected"]),
            Gauge.of("contact_seconds", "Unix time of the last turn.", self.sign.get("contact", 0.0)),
            Gauge.of("answers_total", "Questions answered since the start.", told["answers"], "counter"),
            Gauge.of("releases_total", "Releases in the party's ledger.", told["releases"], "counter"),
            Gauge.of("models", "Finished runs that are kept.", told["models"]),
            Gauge.of("certificate_end_seconds", "Unix time at which the certificate ends.", ends),
            Gauge("epsilon_spent", "Spent over all runs.", spent, "relation"),
            Gauge("epsilon_allowed", "Allowed over all runs.", allowed, "relation"),
            health.levels(told["findings"]),
        ]

    @property
    def _name(self) -> str:
        try:
            found = certificates.read_certificate(self.folder / "party.crt")
            return certificates.common_name(found.subject)
        except InputError:
            return ""

    def _process(self) -> Finding:
        if self.is_running:
            return Finding(
                "process", "ok", f"number {self.sign['pid']}, last sign {self.sign['age']:.0f} s ago"
            )
        if self.sign and self.sign["age"] < pulse.SILENT * 10:
            return Finding("process", "critical", f"no sign of life for {self.sign['age']:.0f} s", START)
        return Finding("process", "critical", "it does not run", START)

    def _connection(self) -> Finding:
        if not self.is_running:
            return Finding("connection", "critical", "none, as it does not run", START)
        if self.sign.get("connected"):
            return Finding("connection", "ok", "connected to the coordinator")
        away = self.sign["time"] - self.sign.get("contact", self.sign["time"] - AWAY)
        told = f"no coordinator: {self.sign.get('trouble') or 'not reached yet'}"
        to_do = "see `fedtopics doctor`; is the coordinator up, and may this machine call it?"
        return Finding("connection", "warning" if away < AWAY else "critical", told, to_do)

    def _knock(self) -> list[Finding]:
        """What the coordinator answers to a party that does not run, so that nobody's connection is ended."""
        try:
            plan, held = self.place.plan, self.place.credentials
            heard = knocked(plan.host, plan.port, held, self._or(None, lambda: self.place.policy.proxy))
        except (OSError, InputError) as error:
            address = self._or("the coordinator", lambda: self.place.plan.coordinator)
            to_do = "is it up, is its name right, may this machine call that port (or through a proxy)?"
            return [Finding("port", "critical", f"{address} was not reached: {words(error)}", to_do)]
        return [_port(heard.status, plan), health.clock(heard.skew), health.versions(heard.version)]

    def _plan(self) -> str:
        accepted = acceptance.check(self.folder, self.place.plan)
        return f"accepted {accepted.time}"

    def _policy(self) -> str:
        self.place.policy.check(self.place.plan, self._name)
        return "allows the plan"

    def _chain(self) -> str:
        return f"hash chain of {len(self.ledger.entries)} releases holds"

    def _left(self) -> str:
        plan, policy = self.place.plan, self.place.policy
        ledger = Ledger(budgets=policy.budget, entries=list(self.ledger.entries))
        try:
            ledger.require(self._name, plan.costs(plan.vocabulary.most_words))
        except BudgetError as error:
            told = str(error).partition(";")[0]
            if self.n_models:
                return f"spent, as planned: no further run is paid for ({told})"
            raise InputError(f"does not pay for a run of this plan: {told}") from None
        return "pays for another run of this plan"

    def _spent(self) -> list[dict[str, Any]]:
        spent = Ledger(entries=list(self.ledger.entries)).spent(self._name)
        return [
            {**asdict(each), "spent": in_json(float(f"{each.epsilon_of(spent):.6g}"))}
            for each in self.place.policy.budget
        ]

    def _chained(self) -> str:
        return f"key, certificate and authority of {self.place.name} belong together"

    def _documents(self) -> str:
        if not (self.folder / "source.json").is_file():
            raise InputError("no source was named yet")
        return f"{self.place.check_source()}, said here alone"

    def _or(self, otherwise: Any, look: Callable[[], Any]) -> Any:
        try:
            return look()
        except (InputError, OSError):
            return otherwise


def _port(status: int, plan: Plan) -> Finding:
    if status == 403:
        to_do = "not in its plan, not approved, or revoked: ask its operator"
        return Finding("port", "critical", f"{plan.coordinator} refuses this party", to_do)
    return Finding("port", "ok", f"{plan.coordinator} lets this party in")
