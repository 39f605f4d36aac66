// Search: the word that fits best lights up the topics it comes from, on the map and in the list.
const search = (() => {
  const box = document.getElementById("query");
  const found = document.getElementById("found");
  const status = document.getElementById("status");
  const MOST = 6;
  const LEAST = 0.02; // share of a word's uses from which on a topic lights up
  const lower = lazily(() => unpacked().words.map((word) => word.toLowerCase()));

  const matches = (query) => {
    const best = [[], [], []];
    const words = lower();
    for (let i = 0; i < words.length; i++) {
      const at = words[i].indexOf(query);
      if (at < 0) continue;
      best[words[i] === query ? 0 : at === 0 ? 1 : 2].push(i);
      if (best[1].length >= MOST && best[0].length) break;
    }
    return best.flat().slice(0, MOST);
  };
  const line = (word) => made("li", { class: "best" }, asText(unpacked().words[word]), made("span", { class: "from" },
    ...topicsOf(word).slice(0, 3).filter(({ p }, i) => i === 0 || p >= LEAST).map(({ topic, p }) => {
      const link = made("a", { href: `#topic-${topic}` }, asText(byNumber.get(topic).name), ` ${Math.round(100 * p)} %`);
      link.addEventListener("click", (event) => { event.preventDefault(); choose({ topic }); });
      return link;
    })));
  const others = (words) => made("li", {}, "also ", ...words.map((word) => {
    const button = made("button", { type: "button" }, asText(unpacked().words[word]));
    button.addEventListener("click", () => { choose({ find: unpacked().words[word] }); box.focus(); });
    return button;
  }));
  const run = () => {
    const query = state.find.trim().toLowerCase();
    if (box.value !== state.find) box.value = state.find;
    const words = query ? matches(query) : [];
    const weights = new Map();
    for (const word of words.slice(0, 1)) {
      for (const { topic, p } of topicsOf(word)) if (p >= LEAST) weights.set(topic, Math.max(weights.get(topic) ?? 0, p));
    }
    for (const topic of data.topics) if (query.length > 2 && topic.name.toLowerCase().includes(query)) weights.set(topic.number, 1);
    found.replaceChildren(...words.slice(0, 1).map(line), ...(words.length > 1 ? [others(words.slice(1))] : []));
    status.textContent = query ? `${weights.size} of ${data.topics.length} topics` : "";
    topicMap.highlight(query ? weights : null);
    topicList.only(query ? weights : null);
    return weights;
  };
  const first = () => {
    const best = [...run()].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
    if (best) choose({ topic: best[0] });
  };
  box.addEventListener("input", () => choose({ find: box.value }));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") first();
    if (event.key === "Escape") { choose({ find: "" }); box.value = ""; }
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range";
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); box.focus(); }
  });
  stateListeners.push((changed) => { if (changed.includes("find")) run(); });
  return { run };
})();
