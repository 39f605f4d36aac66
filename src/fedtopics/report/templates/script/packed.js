// The topics as the page carries them: packed_topics.py says how. Unpacked when first asked for.
const data = JSON.parse(document.getElementById("data").textContent);
const byNumber = new Map(data.topics.map((topic) => [topic.number, topic]));
const shareOf = (topic) => topic.share ?? 1 / data.topics.length;
const MOST_CANDIDATES = 2000; // words of a topic that are ranked: its most probable ones

const bytesOf = (text) => {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
};
const shortsOf = (text) => {
  const bytes = bytesOf(text);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => bytes[2 * i] | (bytes[2 * i + 1] << 8));
};
const lazily = (make) => {
  let value;
  return () => (value ??= make());
};

const unpacked = lazily(() => {
  const { packed } = data;
  const words = packed.words.split("\n");
  const counts = bytesOf(packed.counts);
  const topics = packed.width === 1 ? bytesOf(packed.topics) : shortsOf(packed.topics);
  const ratios = bytesOf(packed.ratios);
  const peaks = shortsOf(packed.peaks);
  const rests = bytesOf(packed.rests);
  const starts = new Uint32Array(words.length + 1);
  const values = new Float32Array(ratios.length);
  const others = new Float32Array(words.length);
  const fall = Float64Array.from({ length: 256 }, (_, step) => 2 ** (-step / 20));
  for (let word = 0; word < words.length; word++) {
    const peak = 2 ** (-peaks[word] / 2048);
    const start = starts[word];
    const end = start + counts[word];
    starts[word + 1] = end;
    for (let i = start; i < end; i++) values[i] = peak * fall[ratios[i]];
    others[word] = rests[word] === 255 ? 0 : peak * 2 ** (-rests[word] / 10);
  }
  return { words, topics, values, others, starts };
});

// How frequent each word is over all topics, by their shares.
const frequencies = lazily(() => {
  const { words, topics, values, others, starts } = unpacked();
  const shares = new Float64Array(data.topics.length);
  for (const topic of data.topics) shares[topic.number] = shareOf(topic);
  return Float64Array.from(words, (_, word) => {
    let listed = 0;
    let sum = 0;
    for (let i = starts[word]; i < starts[word + 1]; i++) {
      listed += shares[topics[i]];
      sum += shares[topics[i]] * values[i];
    }
    return sum + Math.max(0, 1 - listed) * others[word];
  });
});

// The words of each topic, as places in the packed lists.
const placesByTopic = lazily(() => {
  const { words, topics, starts } = unpacked();
  const ends = new Uint32Array(data.topics.length + 1);
  for (const topic of topics) ends[topic + 1]++;
  for (let k = 0; k < data.topics.length; k++) ends[k + 1] += ends[k];
  const fill = ends.slice();
  const word = new Uint32Array(topics.length);
  const place = new Uint32Array(topics.length);
  for (let w = 0; w < words.length; w++) {
    for (let i = starts[w]; i < starts[w + 1]; i++) {
      const at = fill[topics[i]]++;
      word[at] = w;
      place[at] = i;
    }
  }
  return { ends, word, place };
});

// Words of a topic from probable (0) to distinctive (1): between log p(w|k) and the logarithm of what ranks words
// everywhere, sqrt(p(w|k)) log(1 + 1 / (K p(w))) (model/distinctive.py); at the end those first that stand together.
const wordsOf = (number, distinctive, most) => {
  const { words, values } = unpacked();
  const { ends, word, place } = placesByTopic();
  const found = [];
  for (let at = ends[number]; at < ends[number + 1]; at++) found.push({ word: word[at], p: values[place[at]] });
  const likely = found.sort((a, b) => b.p - a.p || a.word - b.word).slice(0, MOST_CANDIDATES);
  for (const each of likely) {
    const frequency = frequencies()[each.word];
    each.lift = each.p / frequency;
    const telling = 0.5 * Math.log(each.p) + Math.log(Math.log1p(1 / (data.topics.length * frequency)));
    each.rank = (1 - distinctive) * Math.log(each.p) + distinctive * telling;
  }
  const first = new Map(distinctive === 1 ? byNumber.get(number).together.map((each, i) => [each, i]) : []);
  likely.sort((a, b) => (first.get(a.word) ?? MOST_CANDIDATES) - (first.get(b.word) ?? MOST_CANDIDATES) || b.rank - a.rank || b.p - a.p || a.word - b.word);
  return likely.slice(0, most).map((each) => ({ ...each, text: words[each.word] }));
};

// The topics that a word comes from, the likeliest first: p(k|w) by shares.
const topicsOf = (word) => {
  const { topics, values, starts } = unpacked();
  const total = frequencies()[word];
  const found = [];
  for (let i = starts[word]; i < starts[word + 1]; i++) {
    found.push({ topic: topics[i], p: (shareOf(byNumber.get(topics[i])) * values[i]) / total });
  }
  return found.sort((a, b) => b.p - a.p || a.topic - b.topic);
};
