"""What one party allows, in a file of its own that the coordinator never sees: `policy.toml`.

methods = ["calm"]        which methods may run here
min_parties = 3           the fewest parties of a plan, and answers of a round
max_rounds = 200
log = "rounds"            on this party's own disk: "nothing", "rounds" (numbers, seconds, bytes) or
                          "details" (counts of documents, texts of errors); the coordinator gets none of it
simulation = false        whether plans whose noise comes from a seed may run: for trying alone
changed_documents = "refuse"   where the documents are others than in the first round of a run: "refuse"
                          answers nothing in it until they are as they were; "new run" leaves it for good, and
                          the next run has the documents as they are then
proxy = "http://proxy.example.org:3128"   the way to the coordinator, where there is no other (HTTP CONNECT)
secure_sum = true         refuse plans in which the coordinator sees this party's own numbers
stop_button = false       whether the page of `fedtopics federation party watch --web` may stop this party
peers = { south = "1a2b 3c4d ..." }   fingerprints of other parties, as they read them out: a secure sum
                          hides nothing from a coordinator that can pass for the others; where noise is drawn
                          together, all but as many as may help the coordinator are needed

[cluster]                 this party's own Dask cluster, where it has one (`fedtopics.cluster.settings`)
address = "tls://10.0.0.5:8786"
shards = 16               parts of the documents; by their number where not given
folder = "/shared/ward"   that all its machines see; the party's own store where not given

[[budget]]                over all runs together, as the party's own ledger counts them
relation = "word add/remove"
epsilon = 12.0
delta = 1e-6
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fedtopics.cluster.settings import Cluster, check_method
from fedtopics.errors import InputError
from fedtopics.methods import find
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.typed_file import build, parse, read
from fedtopics.privacy.price.budget import Budget

LOGS = ("nothing", "rounds", "details")
REFUSE, NEW_RUN = "refuse", "new run"


class PolicyError(InputError):
    """The party does not allow this plan; nothing was read or sent."""


@dataclass(frozen=True)
class Policy:
    """A party's own limits."""

    methods: tuple[str, ...]
    budget: tuple[Budget, ...]  # over all runs together
    min_parties: int = 2
    max_rounds: int = 200
    log: str = "rounds"
    simulation: bool = False
    proxy: str | None = None
    secure_sum: bool = False
    stop_button: bool = False
    peers: Mapping[str, str] = field(default_factory=dict)
    cluster: Cluster | None = None
    changed_documents: str = REFUSE

    def __post_init__(self) -> None:
        if self.log not in LOGS:
            raise InputError(f"log must be one of {', '.join(LOGS)}, got {self.log!r}")
        if self.changed_documents not in (REFUSE, NEW_RUN):
            raise InputError(
                f"changed_documents must be {REFUSE} or {NEW_RUN}, got {self.changed_documents!r:.40}"
            )
        for name in self.methods:
            find(name)
        for name in ("min_parties", "max_rounds"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not all(isinstance(told, str) for told in self.peers.values()):
            raise InputError("peers must hold fingerprints as texts, got something else")
        if not self.budget:
            raise InputError("expected at least one [[budget]], got none; without one it protects nobody")

    @classmethod
    def read(cls, path: str | Path) -> "Policy":
        """The policy in a file; an unknown key or an impossible value is an error that names it."""
        return read(path, "policy", partial(build, cls))

    @classmethod
    def parse(cls, content: bytes, path: str | Path) -> "Policy":
        """The policy in the content of a file."""
        return parse(content, path, partial(build, cls))

    def check(self, plan: Plan, party: str = "") -> None:
        """Raise `PolicyError` unless the `party` allows the plan; what it can afford its ledger knows."""
        method = plan.method()
        if plan.method_name not in self.methods:
            allowed = ", ".join(self.methods) or "none"
            raise PolicyError(f"this party allows the methods {allowed}, got a plan for {plan.method_name}")
        if plan.min_parties < self.min_parties:
            raise PolicyError(
                f"this party takes part with at least {self.min_parties} parties, "
                f"got a plan that goes on with {plan.min_parties}"
            )
        if self.cluster is not None:
            try:
                check_method(method)
            except InputError as error:
                raise PolicyError(f"this party works on a cluster: {error}") from None
        n_rounds = method.n_rounds + (0 if plan.secure_sum is None else plan.secure_sum.repeats)
        if n_rounds > self.max_rounds:
            raise PolicyError(f"this party allows {self.max_rounds} rounds, got a plan of {n_rounds}")
        if self.secure_sum and plan.secure_sum is None:
            raise PolicyError("this party takes part in secure sums only, got a plan without [secure_sum]")
        self._check_together(plan, party)
        strangers = sorted(set(self.peers) - set(plan.parties))
        if plan.secure_sum is not None and strangers:
            raise PolicyError(f"this party knows {strangers[0]!r:.60}, got a plan without it")
        if plan.simulation_seed is not None and not self.simulation:
            raise PolicyError("this party allows secure noise only, got a plan with simulation_seed")

    def _check_together(self, plan: Plan, party: str) -> None:
        """Refuse noise drawn with parties that the coordinator could pass for: their shares count."""
        summing = plan.secure_sum
        if summing is None or summing.noise == "each" or plan.simulation_seed is not None:
            return
        others = set(plan.parties) - {party} if party else set(sorted(plan.parties)[1:])
        unknown = len(others) - len(set(self.peers) & set(plan.parties) - {party})
        if unknown > summing.threshold:
            raise PolicyError(
                "noise that is drawn together counts on the shares of others: expected fingerprints of all "
                f"but {summing.threshold} of them in peers, got {len(self.peers)}"
            )
