// The mixture of a text, as `TopicModel.transform` computes it: words as its tokenizer cuts them, 40 steps of EM.
const N_STEPS = 40;
const TAG = /<\/?(?:a|b|blockquote|br|code|dd|div|dl|dt|em|font|h[1-6]|hr|i|img|li|ol|p|pre|q|s|small|span|strong|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul)(?:\s[^<>]*)?\/?>/gi;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const ELIDING = ["ca", "fr", "it", "oc"];

const tokens = (text, language = data.language ?? "en") => {
  const plain = text.replace(TAG, "\n").replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]+);/gi, (all, name) => {
    if (name[0] !== "#") return ENTITIES[name.toLowerCase()] ?? all;
    const code = parseInt(name.slice(/#x/i.test(name) ? 2 : 1), /#x/i.test(name) ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  }).replaceAll("’", "'").replaceAll("\u00ad", "").normalize("NFC").toLowerCase().replaceAll("_", " ");
  if (language === "zh") {
    return [...new Intl.Segmenter("zh", { granularity: "word" }).segment(plain)].map((part) => part.segment).filter((word) => /\p{L}/u.test(word));
  }
  const joined = ELIDING.includes(language) ? "" : "(?:'\\p{L}[\\p{L}\\p{N}\\p{M}\u200c\u200d]*)*";
  const inside = "[\\p{L}\\p{N}\\p{M}\u200c\u200d]";
  const second = joined ? `(?:${inside}|'\\p{L})` : inside;
  const found = plain.match(new RegExp(`(?<!${inside})(?:\\p{Nd}+\\p{L}|\\p{L}${second})${inside}*${joined}`, "gu")) ?? [];
  if (language !== "en") return found;
  return found.filter((word) => word.slice(1) !== "'s").map((word) => (word.endsWith("'s") ? word.slice(0, -2) : word));
};

const wordNumbers = lazily(() => new Map(unpacked().words.map((word, i) => [word, i])));

// The share of each topic, by its number, and how many of the words are known.
const mixtureOf = (text) => {
  const { topics, values, others, starts } = unpacked();
  const counts = new Map();
  const cut = tokens(text);
  let known = 0;
  for (const token of cut) {
    const word = wordNumbers().get(token);
    if (word === undefined) continue;
    known++;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const n = data.topics.length;
  const alpha = new Float64Array(n);
  for (const topic of data.topics) alpha[topic.number] = topic.alpha;
  let theta = new Float64Array(n).fill(1 / n);
  for (let step = 0; step < N_STEPS; step++) {
    const gain = new Float64Array(n);
    let everywhere = 0;
    for (const [word, count] of counts) {
      let likelihood = others[word];
      for (let i = starts[word]; i < starts[word + 1]; i++) likelihood += theta[topics[i]] * (values[i] - others[word]);
      if (!(likelihood > 0)) continue;
      const scale = count / likelihood;
      everywhere += scale * others[word];
      for (let i = starts[word]; i < starts[word + 1]; i++) gain[topics[i]] += scale * (values[i] - others[word]);
    }
    let sum = 0;
    for (let k = 0; k < n; k++) sum += (theta[k] = alpha[k] + theta[k] * (gain[k] + everywhere));
    for (let k = 0; k < n; k++) theta[k] /= sum;
  }
  return { mixture: [...theta], known, total: cut.length };
};
