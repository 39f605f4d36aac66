"use strict";
// The parts of the coordinator's page and of a party's.

const GRADES = { finished: "good", running: "busy", computing: "busy", answered: "good", connected: "good", missing: "poor", failed: "poor", aborted: "poor", "not running": "poor", calling: "fair", waiting: "fair", submitted: "fair", "not connected": "fair" };
const pill = (state) => made("span", { class: `pill ${GRADES[state] || ""}` }, state);

function section(id, title, ...inside) {
  return made("section", { id, "aria-label": title }, made("h2", {}, title), ...inside);
}

function figures(rows) {
  return made("dl", { class: "figures" }, ...rows.map(([name, value, below]) => made("div", {}, made("dt", {}, name), made("dd", {}, made("span", { class: "value" }, value), below || ""))));
}

function partyCard(party, privacy) {
  const away = party.state === "missing" || party.state === "not connected";
  const spent = party.spent === "inf" ? 1 : party.spent / privacy.promised;
  const told = `epsilon ${shown(party.spent)} of ${shown(privacy.promised)}`;
  return made("li", { class: `party ${away ? "away" : ""}`, "data-party": party.name, "data-state": party.state },
    made("h3", {}, party.name, pill(party.state)),
    meter([[spent > 1 ? "over" : "", spent]], told),
    made("p", {}, told),
    made("p", {}, party.answers ? `answered ${party.answers} times, last in ${party.last}` : "no answer yet"));
}

function timeline(state) {
  const rounds = state.rounds || [], agrees = state.federation.agrees, first = agrees ? -2 : 0;
  const last = Math.max(state.run.n_rounds, ...rounds.map((row) => row.round + 1)), n = last - first;
  const known = new Map(rounds.map((row) => [row.round, row])), step = 1000 / n, wide = Math.max(1, step * (step > 8 ? 0.84 : 0.94));
  const now = state.run.state === "running" ? Math.max(first, ...rounds.map((row) => row.round + 1)) : null;
  const rows = state.parties.map((party) => {
    const cells = drawn("svg", { viewBox: "0 0 1000 14", preserveAspectRatio: "none", role: "img", "aria-label": `${party.name} answered ${party.answers} times` });
    for (let number = first; number < last; number += 1) {
      const row = known.get(number);
      let kind = number === now ? "now" : "";
      if (row) kind = row.missing.includes(party.name) ? "no" : (number < 0 ? "words yes" : "yes");
      const cell = drawn("rect", { class: `cell ${kind}`, x: (number - first) * step, y: 1, width: wide, height: 12, rx: Math.min(2, wide / 3), "vector-effect": "non-scaling-stroke" });
      if (row) cell.append(drawn("title", {}, `${party.name}, ${row.name}: ${kind === "no" ? "no answer" : `answered; the round took ${row.seconds.toFixed(2)} s`}`));
      cells.append(cell);
    }
    return made("tr", {}, made("th", { scope: "row" }, party.name), made("td", {}, cells));
  });
  const key = made("ul", { class: "key" }, ...[agrees ? ["words yes", "agreeing on words"] : null, ["yes", "answered"], ["no", "no answer"], ["now", "under way"], ["", "to come"]].filter(Boolean).map(([kind, name]) => made("li", {}, drawn("svg", { viewBox: "0 0 12 12" }, drawn("rect", { class: `cell ${kind}`, x: 1, y: 1, width: 10, height: 10, rx: 2 })), name)));
  const caption = `${agrees ? "two rounds in which the parties agree on words, then " : ""}${state.run.n_rounds} rounds of training`;
  return section("rounds", "Rounds", made("table", { class: "timeline" }, made("caption", {}, caption), made("tbody", {}, ...rows)), key);
}

let before = new Map();
function forming(state) {
  if (!state.topics || !state.topics.length) return section("topics", "Topics as they form", made("p", { class: "soft" }, "None yet: they come with the first round of training."));
  const next = new Map(state.topics.map((topic) => [topic.topic, new Set(topic.words)]));
  const items = state.topics.map((topic) => {
    const known = before.get(topic.topic), item = made("li", {});
    if (topic.share !== null) item.append(made("span", { class: "share" }, `${(100 * topic.share).toFixed(1)} %`));
    topic.words.forEach((word, index) => item.append(index ? " " : "", made("span", { class: known && !known.has(word) ? "new" : null }, word)));
    return item;
  });
  before = next;
  const told = `made of what the parties released, over ${(state.n_words || 0).toLocaleString("en-US")} words; marked: words that have just come in`;
  return section("topics", "Topics as they form", made("p", { class: "soft small" }, told), made("ul", { class: "forming" }, ...items));
}

function charts(state) {
  const trained = state.rounds.filter((row) => row.value !== null).map((row) => ({ y: row.value, name: row.name }));
  const inside = [];
  if (trained.length) inside.push(made("figure", {}, lineChart(trained, `${state.measure}, now ${shown(trained[trained.length - 1].y)}`), made("figcaption", { class: "small" }, `${state.measure}: ${shown(trained[trained.length - 1].y, 6)}`)));
  if (state.rounds.length) inside.push(made("figure", {}, barChart(state.rounds, "bytes on the wire by round"), made("figcaption", { class: "small" }, "bytes on the wire by round: from parties below, to parties above")));
  return inside.length ? section("objective", "Objective and bytes", made("div", { class: "pair" }, ...inside)) : null;
}

function lines(state, title) {
  const kept = document.querySelector("details"), open = kept ? kept.open : false;
  return made("details", { open }, made("summary", {}, title), made("pre", { class: "lines", tabindex: "0" }, state.log.length ? state.log.slice().reverse().join("\n") : "nothing yet"));
}

function coordinator(state) {
  const up = state.rounds.reduce((sum, row) => sum + row.up, 0), down = state.rounds.reduce((sum, row) => sum + row.down, 0);
  const here = state.parties.filter((party) => party.state !== "missing" && party.state !== "not connected").length;
  const privacy = state.privacy, under = bound(privacy);
  return [
    figures([["Time", clock(state.run.seconds), state.run.state === "finished" ? "in all" : "so far"],
      ["Parties", `${here} of ${state.parties.length}`, "connected now"],
      ["From parties", size(up), `to them ${size(down)}`],
      ["Epsilon spent", `${shown(privacy.spent)} of ${shown(privacy.promised)}`, under]]),
    state.federation.simulated ? made("p", { class: "notice" }, "A simulation: its noise comes from a seed and protects nobody.") : null,
    section("parties", "Parties", made("ul", { class: "parties" }, ...state.parties.map((party) => partyCard(party, privacy)))),
    timeline(state), charts(state), forming(state), lines(state, "What happened"),
  ];
}

function budget(state) {
  return section("budget", "Budget", ...state.budget.map((row) => {
    const spent = row.spent === "inf" ? 1 : row.spent / row.allowed, whole = row.run === "inf" ? 1 : row.run / row.allowed;
    const told = `epsilon ${shown(row.spent)} of ${shown(row.allowed)} spent over all runs`;
    return made("div", {}, made("p", {}, made("strong", {}, told), ` (${bound(row)})`), meter([["planned", spent + whole], ["", spent]], told), made("p", { class: "soft small" }, `One whole run of this plan costs at most epsilon ${shown(row.run)}.`));
  }));
}

function releases(state) {
  const paidFirst = [...state.releases.filter((row) => row.paid), ...state.releases.filter((row) => !row.paid)];
  const rows = paidFirst.map((row) => made("tr", { class: row.paid ? "paid" : null }, made("th", { scope: "row" }, row.name), made("td", { class: "run" }, row.run), made("td", { class: "n" }, row.size === null ? "deleted" : size(row.size)), made("td", { class: "hash" }, made("code", { title: row.sha256 }, row.sha256.slice(0, 16))), made("td", {}, row.price), made("td", { class: "when soft" }, row.time ? new Date(row.time).toLocaleTimeString() : "")));
  const head = made("tr", {}, ...["release", "run", "size", "SHA-256", "price", "at"].map((name, index) => made("th", { scope: "col", class: [null, null, "n", "hash", null, "when"][index] }, name)));
  const told = state.n_releases ? `${state.n_releases} releases, of which ${state.n_paid} cost budget; the hash chain holds, head ${state.head.slice(0, 16)}. Those that cost budget come first, then the newest.` : "Nothing has left this machine.";
  return section("releases", "What left this machine", made("p", { class: "soft small" }, told), rows.length ? made("div", { class: "scroll tall" }, made("table", { class: "releases" }, made("thead", {}, head), made("tbody", {}, ...rows))) : null);
}

function stopping(state) {
  if (!state.stop.allowed) return section("stop", "Stop", made("p", { class: "soft" }, "This party's policy does not let this page stop it (stop_button in policy.toml); end ", made("code", {}, "party start"), " in its terminal."));
  const over = state.state === "not running", button = made("button", { class: "stop", type: "button", disabled: over || state.stop.asked }, over ? "Stopped" : state.stop.asked ? "Stopping …" : "Stop this party");
  button.addEventListener("click", async () => {
    if (button.dataset.sure !== "yes") { button.dataset.sure = "yes"; button.textContent = "Really stop?"; sure = true; setTimeout(() => { sure = false; }, 4000); return; }
    button.disabled = true; sure = false;
    await fetch("stop", { method: "POST" });
  });
  return section("stop", "Stop", made("div", { class: "stopping" }, button, made("p", { class: "soft" }, "Nothing more leaves this machine; what has left stays paid for. The run goes on without this party where the plan allows it.")));
}

function party(state) {
  return [
    figures([["Releases", String(state.n_releases), `${state.n_paid || 0} of them cost budget`],
      ["Sent", size(state.bytes.up), "since it was started"],
      ["Received", size(state.bytes.down), "since it was started"],
      ["Models kept", String(state.models.length), state.models.join(", ")]]),
    state.federation.simulated ? made("p", { class: "notice" }, "A simulation: its noise comes from a seed and protects nobody.") : null,
    budget(state), releases(state), stopping(state), lines(state, "This party's own log"),
  ];
}
