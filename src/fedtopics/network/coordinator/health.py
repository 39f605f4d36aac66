"""How a coordinator is: what its folder and its last sign of life say, and a knock at its own port."""

from functools import cached_property
from typing import Any

from fedtopics import __version__
from fedtopics.errors import InputError
from fedtopics.network import health
from fedtopics.network.calling import knocked, words
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder
from fedtopics.network.coordinator.guests import Guests
from fedtopics.network.health import Finding, Health
from fedtopics.network.metrics import Gauge
from fedtopics.network.plan import certificates
from fedtopics.network.plan.onboarding import APPROVED

START = "start it: fedtopics federation coordinator start"
RENEW = "a running coordinator renews it; by hand: fedtopics federation renew, and start it again"
PARTY_RENEW = "it is renewed while that party is connected; by hand: fedtopics federation renew --party"
SECRET = ("ca.key", "server.key", "signing.key", "invitations")


class CoordinatorHealth(Health):
    """The health of a coordinator."""

    def __post_init__(self) -> None:
        if not (self.folder / "ca.key").is_file():
            raise InputError(f"expected the folder of a coordinator, got {self.folder} without a ca.key")

    @cached_property
    def hub(self) -> CoordinatorFolder:
        return CoordinatorFolder(self.folder)

    @property
    def connected(self) -> list[str]:
        return list(self.sign.get("connected", ())) if self.is_running else []

    @property
    def labels(self) -> dict[str, str]:
        try:
            return {"coordinator": self.hub.plan.name}
        except InputError:
            return {"coordinator": self.folder.resolve().name}

    def findings(self) -> list[Finding]:
        return [
            self._process(),
            health.looked_at("plan", self._plan, "correct plan.toml; nobody is let in before"),
            health.lifetime("authority", self.folder / "ca.crt", "found the federation anew"),
            health.lifetime("certificate", self.folder / "server.crt", RENEW),
            *self._parties(),
            self._waiting(),
            self._runs(),
            health.room(self.folder),
        ]

    def diagnosis(self) -> list[Finding]:
        """Also the clock, the port and the keys."""
        secret = [self.folder / name for name in SECRET]
        return [*self.findings(), health.clock(None), *self._knock(), health.owner_alone(secret)]

    def status(self) -> dict[str, Any]:
        findings = self.findings()
        return {
            "coordinator": self.sign.get("listening", ""),
            "level": health.worst(findings),
            "running": self.is_running,
            "connected": self.connected,
            "waiting": [each.party for each in Guests(self.folder).waiting()],
            "invited": sorted(Guests(self.folder).invited()),
            "runs": {run.name: run.status().state for run in self.hub.runs()},
            "version": __version__,
            "findings": [vars(found) for found in findings],
        }

    def gauges(self) -> list[Gauge]:
        told = self.status()
        states = list(told["runs"].values())
        counted = {state: float(states.count(state)) for state in sorted({*states, *OPEN})}
        ends = certificates.read_certificate(self.folder / "server.crt").not_valid_after_utc.timestamp()
        return [
            Gauge.of("up", "Whether the coordinator's worker lives.", told["running"]),
            Gauge.of("parties_connected", "Parties that are connected.", len(told["connected"])),
            Gauge.of("parties_waiting", "Invited parties that wait for approval.", len(told["waiting"])),
            Gauge("runs", "Runs by where they stand.", counted, "state"),
            Gauge.of("certificate_end_seconds", "Unix time at which the certificate ends.", ends),
            health.levels(told["findings"]),
        ]

    def _process(self) -> Finding:
        if self.is_running:
            told = f"number {self.sign['pid']}, last sign {self.sign['age']:.0f} s ago"
            return Finding("process", "ok", told)
        return Finding("process", "critical", "it does not run, or gives no sign of life", START)

    def _plan(self) -> str:
        plan = self.hub.plan
        plan.words(self.folder)
        return f"{plan.digest[:16]}..., {len(plan.parties)} parties"

    def _parties(self) -> list[Finding]:
        """One line for every party of the plan that is not well, or one for all."""
        try:
            names = self.hub.plan.parties
        except InputError:
            return []
        found = [each for name in names if (each := self._party(name)).level != "ok"]
        told = f"{len(self.connected)} of {len(names)} connected"
        return found or [Finding("parties", "ok", f"all approved, {told}")]

    def _party(self, name: str) -> Finding:
        path = self.folder / APPROVED / name / "party.crt"
        if not path.is_file():
            to_do = f"fedtopics federation invite {name}, then federation approve"
            return Finding(f"party {name}", "warning", "not approved", to_do)
        held = health.lifetime(f"party {name}", path, PARTY_RENEW)
        if held.level != "ok" or not self.is_running or name in self.connected:
            return held
        return Finding(f"party {name}", "warning", "not connected", "ask its operator")

    def _waiting(self) -> Finding:
        waiting = [each.party for each in Guests(self.folder).waiting()]
        if not waiting:
            return Finding("waiting", "ok", "nobody waits for approval")
        to_do = "compare fingerprints: fedtopics federation approve"
        return Finding("waiting", "warning", f"{', '.join(waiting)} wait for approval", to_do)

    def _runs(self) -> Finding:
        try:
            last = {run.name: run.status() for run in self.hub.runs()}
        except InputError as error:
            return Finding("runs", "critical", str(error), "restore the run's folder from a backup")
        for name, status in last.items():
            if status.state in ("waiting", "failed"):
                told = f"{name} {status.state}: {status.reason}"
                return Finding(
                    "runs", "warning", told, f"fedtopics federation run watch, or run abort --run {name}"
                )
        return Finding("runs", "ok", f"{len(last)} in all, none waits or failed")

    def _knock(self) -> list[Finding]:
        """Whether this coordinator answers at the address that parties call, seen from this machine."""
        try:
            plan = self.hub.plan
            heard = knocked(plan.host, plan.port, self.hub.credentials)
        except (OSError, InputError) as error:
            to_do = "is it up, does its name lead here, is the port open in the firewall?"
            return [Finding("port", "critical", f"not reached: {words(error)}", to_do)]
        answers = f"{plan.coordinator} answers, seen from here; a party's doctor sees it from there"
        return [Finding("port", "ok", answers), health.versions(heard.version)]
