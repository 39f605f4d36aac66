// Topics of several runs side by side: choose the run that others are compared with, and which rows to see.
const alignedBlock = document.getElementById("aligned-data");
if (alignedBlock) {
  const { models, matches, same } = JSON.parse(alignedBlock.textContent);
  const get = (id) => document.getElementById(id);
  const body = get("aligned-table").tBodies[0];
  const state = { reference: 0, only: "all", find: "" };
  const KINDS = { same: "", none: "", changed: "changed", lost: "lost", new: "only here" };

  const read = () => {
    for (const part of location.hash.slice(1).split("&")) {
      const [key, value = ""] = part.split("=");
      if (key === "with" && +value >= 0 && +value < models.length) state.reference = Math.floor(+value);
      if (key === "only" && ["all", "changed"].includes(value)) state.only = value;
      if (key === "find") state.find = decodeURIComponent(value).slice(0, 100);
    }
  };
  const write = () => {
    const parts = [`with=${state.reference}`, ...(state.only === "all" ? [] : [`only=${state.only}`]), ...(state.find ? [`find=${encodeURIComponent(state.find)}`] : [])];
    try { history.replaceState(null, "", `#${parts.join("&")}`); } catch { /* refused */ }
  };
  const kindOf = (match) => (match === null ? "lost" : match[1] < same ? "changed" : "same");

  // A row for each topic of the chosen run, its matches beside it, and then rows of topics that only others have.
  const rows = () => {
    const from = matches[state.reference];
    const order = models[state.reference].topics.map((topic, number) => ({ topic, number })).sort((a, b) => (b.topic.share ?? 0) - (a.topic.share ?? 0) || a.number - b.number);
    const found = order.map(({ number }) => models.map((_, column) => {
      if (column === state.reference) return { number, kind: "same" };
      const match = from[column][number];
      return match === null ? { number: null, kind: "lost" } : { number: match[0], alike: match[1], kind: kindOf(match) };
    }));
    models.forEach((model, column) => {
      if (column === state.reference) return;
      const taken = new Set(from[column].filter(Boolean).map(([number]) => number));
      model.topics.forEach((_, number) => {
        if (!taken.has(number)) found.push(models.map((__, other) => (other === column ? { number, kind: "new" } : { number: null, kind: "none" })));
      });
    });
    return found;
  };
  const cell = (column, { number, kind, alike }, known) => {
    if (number === null) return made("td", { class: `aligned ${kind}` }, kind === "lost" ? made("b", {}, "lost") : "");
    const topic = models[column].topics[number];
    const words = topic.words.map((word) => made(known && !known.has(word) ? "ins" : "span", {}, asText(word)));
    const mark = KINDS[kind] ? made("b", {}, alike === undefined ? KINDS[kind] : `${KINDS[kind]}, ${Math.round(100 * alike)} % alike`) : "";
    return made("td", { class: `aligned ${kind}` }, mark, made("span", { class: "list" }, ...words.flatMap((word, i) => (i ? [" ", word] : [word]))));
  };
  const show = () => {
    get("with").value = state.reference;
    get("only").checked = state.only === "changed";
    if (get("topic-query").value !== state.find) get("topic-query").value = state.find;
    const columns = [state.reference, ...models.keys()].filter((column, i) => i === 0 || column !== state.reference);
    get("aligned-heads").replaceChildren(...columns.map((column) => made("th", { scope: "col" }, asText(models[column].name))));
    const query = state.find.trim().toLowerCase();
    const all = rows();
    const kept = all.filter((row) => (state.only === "all" || row.some(({ kind }) => kind !== "same" && kind !== "none"))
      && (!query || row.some(({ number }, column) => number !== null && models[column].topics[number].words.some((word) => word.toLowerCase().includes(query)))));
    body.replaceChildren(...kept.map((row) => {
      const own = row[state.reference].number;
      const known = own === null ? null : new Set(models[state.reference].topics[own].words);
      return made("tr", {}, ...columns.map((column) => cell(column, row[column], column === state.reference ? null : known)));
    }));
    const count = (kind) => models.map((_, column) => all.filter((row) => row[column].kind === kind).length);
    const [lost, changed, added] = ["lost", "changed", "new"].map(count);
    get("aligned-counts").replaceChildren(...columns.map((i) => made("td", {}, i === state.reference ? "compared with" : `${lost[i]} lost, ${changed[i]} changed, ${added[i]} only here`)));
    get("aligned-status").textContent = `${kept.length} of ${all.length} rows`;
  };
  const change = (changes) => { Object.assign(state, changes); show(); write(); };
  get("with").addEventListener("change", () => change({ reference: +get("with").value }));
  get("only").addEventListener("change", () => change({ only: get("only").checked ? "changed" : "all" }));
  get("topic-query").addEventListener("input", () => change({ find: get("topic-query").value }));
  get("topic-query").addEventListener("keydown", (event) => { if (event.key === "Escape") change({ find: "" }); });
  addEventListener("hashchange", () => { read(); show(); });
  get("aligned-tools").hidden = false;
  read();
  show();
}
