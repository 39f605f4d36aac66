// The chosen topic: words from probable to distinctive, parties, neighbors by name.
const topicPanel = (() => {
  const MOST_WORDS = 15;
  const get = (id) => document.getElementById(id);
  const slider = get("distinctive");
  const row = (label, share, told, extra = "", title = null) => made("li", { style: { "--w": share.toFixed(4) }, title },
    label, made("span", { class: "p" }, told), extra ? made("span", { class: "lift" }, extra) : "");

  const words = (topic) => {
    const list = get("topic-words");
    if (topic.empty) {
      list.replaceChildren(made("li", { class: "none" }, "No text went into this topic: it has no words of its own."));
      return;
    }
    const found = wordsOf(topic.number, state.words / 100, MOST_WORDS);
    const most = Math.max(...found.map((each) => each.p));
    list.replaceChildren(...found.map((each) => row(asText(each.text), each.p / most, inPercent(each.p), lifted(each.lift),
      `${inPercent(each.p)} of this topic; ${lifted(each.lift)} as likely here as in all text`)));
  };
  const lifted = (lift) => `${lift >= 9.95 ? lift.toFixed(0) : lift.toFixed(1)}×`;
  const parties = (topic) => {
    get("topic-parties").hidden = !data.parties.length;
    const most = Math.max(...data.parties.map((party) => party.shares[topic.number]), 1e-9);
    get("party-bars").replaceChildren(...data.parties.map((party, i) => {
      const item = row(asText(party.name), party.shares[topic.number] / most, inPercent(party.shares[topic.number]));
      item.classList.add(`party-${i < 6 ? i : "more"}`);
      return item;
    }));
  };
  const near = (topic) => {
    get("topic-near").hidden = !topic.near.length;
    get("neighbors").replaceChildren(...topic.near.map(([other, alike]) => {
      const link = made("a", { href: `#topic-${other}` }, asText(byNumber.get(other).name));
      link.addEventListener("click", (event) => { event.preventDefault(); choose({ topic: other }); });
      return made("li", {}, link, made("span", { class: "p" }, `${alike} % alike`));
    }));
  };
  const show = () => {
    const topic = byNumber.get(state.topic);
    get("topic-name").replaceChildren(asText(topic.name));
    const share = topic.share === null ? "" : ` · ${inPercent(topic.share)} of all text`;
    get("topic-number").textContent = `Topic ${topic.number}${share}`;
    slider.value = state.words;
    words(topic);
    parties(topic);
    near(topic);
  };
  const step = (by) => {
    const at = data.topics.findIndex((topic) => topic.number === state.topic);
    choose({ topic: data.topics[(at + by + data.topics.length) % data.topics.length].number });
  };
  slider.addEventListener("input", () => choose({ words: +slider.value }));
  get("next").addEventListener("click", () => step(1));
  get("previous").addEventListener("click", () => step(-1));
  stateListeners.push((changed) => {
    if (changed.includes("topic")) { show(); topicMap.redraw(); topicMap.reveal(); }
    else if (changed.includes("words")) { slider.value = state.words; words(byNumber.get(state.topic)); }
  });
  return { show };
})();
