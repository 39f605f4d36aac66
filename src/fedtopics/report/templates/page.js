"use strict";
// Theme: as the system has it, until the reader chooses.
const root = document.documentElement;
const stored = {
  get() { try { return localStorage.getItem("fedtopics-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("fedtopics-theme", value); } catch { /* a file may have no storage */ } },
};
if (stored.get()) root.dataset.theme = stored.get();
const isDark = () =>
  root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const toggle = document.getElementById("theme");
const nameToggle = () => { toggle.textContent = isDark() ? "Light" : "Dark"; };
toggle.hidden = false;
toggle.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  stored.set(root.dataset.theme);
  nameToggle();
});
nameToggle();

// Search: which topics hold a word, among those shown and in the index of the vocabulary.
const box = document.getElementById("query");
if (box) {
  const cards = [...document.querySelectorAll(".topic")];
  const status = document.getElementById("status");
  const found = document.getElementById("found");
  const MOST = 8;
  let index = null;

  const readIndex = () => {
    const data = JSON.parse(document.getElementById("data").textContent);
    return { ...data, words: data.words.split("\n"), lower: data.words.toLowerCase().split("\n") };
  };
  const topicsOf = (position) => {
    const step = index.width + 2;
    const start = position * index.per_word * step;
    return Array.from({ length: index.per_word }, (_, i) => {
      const at = start + i * step;
      return [parseInt(index.topics.slice(at, at + index.width), 36), +index.topics.slice(at + index.width, at + step)];
    }).filter(([, percent], i) => i === 0 || percent > 0);
  };
  const matches = (query) => {
    const best = [[], [], []];
    for (let i = 0; i < index.lower.length; i++) {
      const at = index.lower[i].indexOf(query);
      if (at < 0) continue;
      best[index.lower[i] === query ? 0 : at === 0 ? 1 : 2].push(i);
      if (best[1].length >= MOST && best[0].length) break;
    }
    return best.flat().slice(0, MOST);
  };
  const line = (position) => {
    const item = document.createElement("li");
    const word = document.createElement("bdi");
    word.textContent = index.words[position];
    item.append(word, ": ");
    topicsOf(position).forEach(([topic, percent], i) => {
      const link = document.createElement("a");
      link.href = `#topic-${topic}`;
      link.textContent = `topic ${topic}, ${index.names[topic]}`;
      item.append(i ? " · " : "", link, ` ${percent} %`);
    });
    return item;
  };
  const search = () => {
    const query = box.value.trim().toLowerCase();
    found.replaceChildren();
    if (query && !index) index = readIndex();
    const positions = query ? matches(query) : [];
    const likely = new Set(positions.map((position) => topicsOf(position)[0][0]));
    let shown = 0;
    for (const card of cards) {
      let hit = !query || card.dataset.name.toLowerCase().includes(query) || likely.has(+card.dataset.topic);
      for (const item of card.querySelectorAll(".words li")) {
        const here = query !== "" && item.firstElementChild.textContent.toLowerCase().includes(query);
        item.classList.toggle("hit", here);
        hit = hit || here;
      }
      if (!hit) hit = (card.querySelector(".more")?.textContent.toLowerCase() ?? "").includes(query);
      card.hidden = !hit;
      shown += hit ? 1 : 0;
    }
    found.append(...positions.map(line));
    status.textContent = query ? `${shown} of ${cards.length} topics` : "";
  };
  document.querySelector(".search").hidden = false;
  box.addEventListener("input", search);
  const clear = () => { box.value = ""; search(); };
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); box.focus(); }
    if (event.key === "Escape" && event.target === box) clear();
  });
  // A link to a card that the search hides shows it again.
  const reveal = () => {
    const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (card?.hidden) { clear(); card.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal);
  found.addEventListener("click", () => setTimeout(reveal));
}
