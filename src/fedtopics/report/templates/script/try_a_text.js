// A text of the reader's own: read here, sent nowhere.
const tryText = document.getElementById("text");
if (tryText) {
  const get = (id) => document.getElementById(id);
  const MOST_TOPICS = 6;
  const show = () => {
    const text = tryText.value;
    const { mixture, known, total } = mixtureOf(text);
    const ranked = mixture.map((share, topic) => ({ share, topic })).sort((a, b) => b.share - a.share || a.topic - b.topic);
    get("text-status").textContent = !text.trim() ? "" : known ? `${known} of ${total} words are known to the model.` : "None of its words is known to the model.";
    get("mixture").replaceChildren(...(known ? ranked.slice(0, MOST_TOPICS).filter(({ share }) => share >= 0.01) : []).map(({ share, topic }) => {
      const link = made("a", { href: `#topic-${topic}` }, asText(byNumber.get(topic).name));
      return made("li", { style: { "--w": (share / ranked[0].share).toFixed(4) } }, link, made("span", { class: "p" }, inPercent(share)));
    }));
  };
  let waiting = 0;
  tryText.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, 120); });
  get("text-clear").addEventListener("click", () => { tryText.value = ""; show(); tryText.focus(); });
}
