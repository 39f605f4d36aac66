"use strict";
// Draws what the events say, each time anew.

let sure = false; // whether someone is about to stop the party: then nothing is redrawn under the hand

function head(state) {
  const of = state.federation, coordinates = state.kind === "coordinator";
  document.getElementById("kicker").textContent = `Federation ${of.name} · ${of.method} · plan ${of.plan.slice(0, 12)} · ${of.address}`;
  document.getElementById("title").textContent = coordinates ? state.run.name : `Party ${state.party}`;
  document.title = `${coordinates ? state.run.name : state.party} · ${coordinates ? state.run.state : state.state}`;
  const phase = document.getElementById("phase"), told = coordinates ? state.run.phase : state.phase, is = coordinates ? state.run.state : state.state;
  const words = told === is ? "" : told;
  if (phase.dataset.told !== is + told) { phase.replaceChildren(pill(is), words); phase.dataset.told = is + told; }
  const progress = document.getElementById("progress");
  progress.hidden = !coordinates;
  if (coordinates) progress.firstElementChild.style.width = `${100 * (state.run.state === "finished" ? 1 : state.run.round / Math.max(1, state.run.n_rounds))}%`;
}

function show(state) {
  if (sure) return;
  const main = document.getElementById("main");
  if (state.problem) { main.replaceChildren(made("p", { class: "notice" }, state.problem)); return; }
  head(state);
  const scrolled = [...document.querySelectorAll(".lines, .scroll")].map((part) => part.scrollTop), focused = document.activeElement && document.activeElement.className;
  main.replaceChildren(...(state.kind === "coordinator" ? coordinator(state) : party(state)).filter(Boolean));
  document.querySelectorAll(".lines, .scroll").forEach((part, index) => { part.scrollTop = scrolled[index] || 0; });
  if (focused === "stop") document.querySelector("button.stop")?.focus();
}

const events = new EventSource("events");
events.addEventListener("message", (event) => { document.body.classList.remove("lost"); document.getElementById("link").textContent = "Connected."; show(JSON.parse(event.data)); });
events.addEventListener("error", () => { document.body.classList.add("lost"); document.getElementById("link").textContent = "The command behind this page has ended, or is busy: this is what it said last."; });
