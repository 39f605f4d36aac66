// What the reader has chosen, in the address: #topic-12&words=60&find=tax&color=none&zoom=2.5,0.41,0.6
const DISTINCTIVE = 100; // as words are shown everywhere
const defaults = {
  topic: data.topics[0].number, words: DISTINCTIVE, find: "", color: "party", zoom: [1, 0.5, 0.5],
};
const state = structuredClone(defaults);
const stateListeners = [];
const isSection = (hash) => hash !== "" && document.getElementById(hash) !== null;

const readAddress = () => {
  const hash = decoded(location.hash.slice(1));
  if (isSection(hash)) return {};
  const found = structuredClone(defaults);
  for (const part of hash.split("&")) {
    const [key, value = ""] = part.includes("=") ? part.split("=") : ["", part];
    const number = Number(value);
    if (key === "" && /^topic-\d+$/.test(value) && byNumber.has(+value.slice(6))) found.topic = +value.slice(6);
    if (key === "words" && number >= 0 && number <= 100) found.words = number;
    if (key === "find") found.find = value.replaceAll("+", " ").slice(0, 100);
    if (key === "color" && ["party", "none"].includes(value)) found.color = value;
    if (key === "zoom") {
      const numbers = value.split(",").map(Number);
      if (numbers.length === 3 && numbers.every(Number.isFinite)) found.zoom = numbers;
    }
  }
  return found;
};
const address = () => {
  const parts = [];
  if (state.topic !== defaults.topic) parts.push(`topic-${state.topic}`);
  if (state.words !== defaults.words) parts.push(`words=${state.words}`);
  if (state.find) parts.push(`find=${encodeURIComponent(state.find)}`);
  if (state.color !== defaults.color) parts.push(`color=${state.color}`);
  if (state.zoom[0] > 1.001) parts.push(`zoom=${state.zoom.map((value) => +value.toFixed(3)).join(",")}`);
  return `#${parts.join("&") || `topic-${state.topic}`}`;
};
let writing = 0;
const writeAddress = () => {
  clearTimeout(writing); // browsers refuse an address that changes too often
  const before = location.hash; // where a link was followed since, that one holds
  const write = () => { try { if (location.hash === before) history.replaceState(null, "", address()); } catch { /* refused */ } };
  writing = setTimeout(write, 150);
};
const choose = (changes) => {
  const changed = Object.keys(changes).filter((key) => String(state[key]) !== String(changes[key]));
  if (!changed.length) return;
  Object.assign(state, changes);
  for (const listener of stateListeners) listener(changed);
  writeAddress();
};
addEventListener("hashchange", () => {
  clearTimeout(writing);
  const found = readAddress();
  if (!("topic" in found)) return; // a section, which the browser shows by itself
  Object.assign(state, found);
  for (const listener of stateListeners) listener(Object.keys(found));
  const box = document.getElementById("topics").getBoundingClientRect();
  if (box.bottom < 200 || box.top > innerHeight - 200) document.getElementById("topics").scrollIntoView();
});
Object.assign(state, readAddress());
