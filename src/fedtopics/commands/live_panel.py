"""A run under way as a panel in the terminal: the same as on its page."""

from collections.abc import Callable, Mapping
from time import sleep
from typing import Any

from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fedtopics.commands import tables
from fedtopics.documents.text.harmless import printable
from fedtopics.report.rendering import epsilon as shown_epsilon
from fedtopics.report.rendering import size

LOOK = 0.5
STYLES = {
    **dict.fromkeys(("finished", "answered", "connected"), "green"),
    **dict.fromkeys(("running", "computing"), "cyan"),
    **dict.fromkeys(("waiting", "submitted", "calling", "not connected"), "yellow"),
    **dict.fromkeys(("missing", "failed", "aborted", "not running"), "red"),
}
N_TOPICS, N_LINES, N_RELEASES = 6, 4, 8
MARKS = {"answered": "■", "missing": "□", "words": "▣", "to come": "·"}
State = Mapping[str, Any]


def follow(look: Callable[[], State], is_over: Callable[[State], bool]) -> None:
    """Show the panel of what `look` gives, anew twice a second, until it is over; it stays there."""
    with Live(panel(look()), console=tables.console, refresh_per_second=4) as live:
        while True:
            state = look()
            live.update(panel(state))
            if is_over(state):
                return
            sleep(LOOK)


def panel(state: State) -> Panel:
    """The panel of a coordinator's or a party's state."""
    return _coordinator(state) if state["kind"] == "coordinator" else _party(state)


def _coordinator(state: State) -> Panel:
    run, privacy = state["run"], state["privacy"]
    rounds = state["rounds"]
    up, down = sum(row["up"] for row in rounds), sum(row["down"] for row in rounds)
    parts: list[RenderableType] = [
        _plain(run["phase"]),
        ProgressBar(total=max(1, run["n_rounds"]), completed=_done(run), width=None),
        _pairs(
            {
                "time": _clock(run["seconds"]),
                "on the wire": f"{size(up)} from parties, {size(down)} to them",
                "epsilon": f"{shown_epsilon(privacy['spent'])} spent of {shown_epsilon(privacy['promised'])} "
                f"promised ({_relation(privacy)})",
            }
            | _objective(state)
        ),
        _parties(state),
    ]
    if state["topics"]:
        parts.append(_topics(state))
    parts += [_plain(line, "dim") for line in state["log"][-N_LINES:]]
    return _framed(f"{state['federation']['name']}: {run['name']}", run["state"], parts)


def _party(state: State) -> Panel:
    parts: list[RenderableType] = [_plain(state["phase"])]
    sent = f"{size(state['bytes']['up'])} sent, {size(state['bytes']['down'])} received"
    chain = (
        f"{state['n_releases']} releases, {state.get('n_paid', 0)} of them paid; chain {state['head'][:16]}"
    )
    parts.append(_pairs({"on the wire": sent, "ledger": chain}))
    for row in state["budget"]:
        told = f"epsilon {shown_epsilon(row['spent'])} of {shown_epsilon(row['allowed'])} ({_relation(row)})"
        share = 1.0 if row["spent"] == "inf" else row["spent"] / max(row["allowed"], 1e-12)
        parts += [_pairs({"budget": told}), ProgressBar(total=1.0, completed=min(1.0, share))]
    if state["releases"]:
        table = tables.plain_table("what left", "run", "SHA-256", "price")
        table.add_column("size", justify="right")
        for row in state["releases"][:N_RELEASES]:
            kept = "deleted" if row["size"] is None else size(row["size"])
            table.add_row(row["name"], row["run"], row["sha256"][:10], row["price"], kept)
        parts.append(table)
    return _framed(f"party {state['party']}", state["state"], parts)


def _parties(state: State) -> Table:
    """Who is there, what each has spent, and in which rounds it answered."""
    table = tables.plain_table("party", "now", "epsilon", "last answer", "rounds")
    for party in state["parties"]:
        table.add_row(
            _plain(party["name"]),
            _plain(party["state"], STYLES.get(party["state"], "")),
            shown_epsilon(party["spent"]),
            party["last"] or "–",
            _plain(_timeline(state, party["name"])),
        )
    return table


def _timeline(state: State, party: str, most: int = 30) -> str:
    """The last rounds of a party as marks."""
    rows = state["rounds"][-most:]

    def mark(row: State) -> str:
        if party in row["missing"]:
            return MARKS["missing"]
        return MARKS["words"] if row["round"] < 0 else MARKS["answered"]

    left = int(max(0, min(most - len(rows), state["run"]["n_rounds"] - state["run"]["round"])))
    return "".join(map(mark, rows)) + MARKS["to come"] * left


def _topics(state: State) -> Table:
    table = tables.plain_table("share", f"topics as they form, over {state['n_words']:,} words")
    for topic in state["topics"][:N_TOPICS]:
        share = "" if topic["share"] is None else f"{100 * topic['share']:.1f} %"
        table.add_row(share, _plain(" ".join(topic["words"])))
    return table


def _objective(state: State) -> dict[str, str]:
    known = [row["value"] for row in state["rounds"] if row["value"] is not None]
    return {state["measure"]: f"{known[-1]:.6g}"} if known else {}


def _done(run: State) -> int:
    return int(run["n_rounds"] if run["state"] == "finished" else min(run["round"], run["n_rounds"]))


def _relation(row: State) -> str:
    return str(row["relation"]) + (f", delta {row['delta']:g}" if row["delta"] else "")


def _clock(seconds: float | None) -> str:
    return "–" if seconds is None else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _pairs(told: Mapping[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    for name, value in told.items():
        table.add_row(_plain(name), _plain(value))
    return table


def _plain(text: str, style: str = "") -> Text:
    return Text(printable(text), style)


def _framed(title: str, state: str, parts: list[RenderableType]) -> Panel:
    head = Text.assemble(" ", printable(title), " ", (printable(state), STYLES.get(state, "")), " ")
    return Panel(Group(*parts), title=head, title_align="left", border_style="dim")
