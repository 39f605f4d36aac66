// Where labels stand: at every zoom none covers another or a circle, and none that is shown vanishes when zooming in.
// A label keeps its offset from its topic, in pixels. Two of them overlap in one interval of zooms, so each label gets
// the zoom from which on it is free of all that come before it (active ranges: K. Been, E. Daiches, C. Yap, 2006).
const GAP = 1.5;
const SHORT = 17;
const shortened = (text) => (text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text);

// The zoom, from 1 on, at which two boxes stop overlapping; 1 where they do not, or not while the other is shown.
const freeFrom = (dx, dy, ox, oy, w, h, shown) => {
  let low = 1;
  let high = Infinity;
  for (let axis = 0; axis < 2; axis++) {
    const distance = axis ? dy : dx;
    const offset = axis ? oy : ox;
    const size = axis ? h : w;
    if (Math.abs(distance) < 1e-9) {
      if (Math.abs(offset) >= size) return 1;
      continue;
    }
    const one = (-size - offset) / distance;
    const other = (size - offset) / distance;
    if (one < other) { if (one > low) low = one; if (other < high) high = other; }
    else { if (other > low) low = other; if (one < high) high = one; }
    if (low >= high) return 1;
  }
  return high > shown ? high : 1;
};

// Offsets to try, the best first: beside the circle, below, above, then further off with a line to it.
const offsets = (r, one, two) => {
  const tried = [];
  const around = (size, lines, far) => {
    const [x, y] = [r + 6 + far + size.w / 2, r + 5 + far + size.h / 2]; // a ring is drawn round the chosen one
    const d = (r + far) * 0.7 + 4;
    const places = [
      [0, y], [0, -y], [x, 0], [-x, 0],
      [d + size.w / 2, d + size.h / 2], [d + size.w / 2, -d - size.h / 2],
      [-d - size.w / 2, d + size.h / 2], [-d - size.w / 2, -d - size.h / 2],
    ];
    for (const [dx, dy] of places) tried.push({ dx, dy, lines, ...size, far });
  };
  around(one, 1, 0);
  if (two) around(two, 2, 0);
  for (const far of [9, 18, 28, 40, 54]) {
    if (two) around(two, 2, far);
    around(one, 1, far);
  }
  return tried;
};

// Those of them that stay inside the picture, if any do.
const triedInside = (topic, width, height) => {
  const tried = offsets(topic.r, topic.one, topic.two);
  const inside = tried.filter((each) => Math.abs(topic.x + each.dx - width / 2) < (width - each.w) / 2
    && Math.abs(topic.y + each.dy - height / 2) < (height - each.h) / 2);
  return inside.length ? inside : tried;
};

// Whether the line from a topic to its label, at zoom 1, runs through a box.
const crosses = (label, box) => {
  if (!label.far) return false;
  for (let t = 0.2; t < 0.95; t += 0.1) {
    const [x, y] = [label.topic.x + t * label.dx, label.topic.y + t * label.dy];
    if (Math.abs(x - box.topic.x - box.dx) < box.w / 2 && Math.abs(y - box.topic.y - box.dy) < box.h / 2) return true;
  }
  return false;
};
const CROSSED = 1e-3; // a label whose line is clear is better, if both can be seen

// The offset at which a label is free earliest, given those placed before it and all circles.
const placeLabel = (topic, topics, all, width, height) => {
  // Zooming in only draws topics apart: those that are out of reach now stay so.
  const isNear = (other) => Math.abs(other.x - topic.x) < 300 && Math.abs(other.y - topic.y) < 170;
  topic.near ??= topics.filter(isNear);
  topic.tried ??= triedInside(topic, width, height);
  const placed = all.filter((label) => isNear(label.topic));
  let best = null;
  for (const candidate of topic.tried) {
    let from = 1;
    for (const other of placed) {
      if (best && from >= best.cost) break;
      from = Math.max(from, freeFrom(other.topic.x - topic.x, other.topic.y - topic.y, other.dx - candidate.dx, other.dy - candidate.dy,
        (other.w + candidate.w) / 2 + GAP, (other.h + candidate.h) / 2 + GAP, other.from));
    }
    for (const other of topic.near) {
      if (best && from >= best.cost) break;
      if (other === topic) continue;
      const reach = other.r * 0.85 + GAP;
      from = Math.max(from, freeFrom(other.x - topic.x, other.y - topic.y, -candidate.dx, -candidate.dy, reach + candidate.w / 2, reach + candidate.h / 2, 1));
    }
    const label = { ...candidate, from, topic };
    if (best && from >= best.cost) continue;
    const crossed = placed.filter((other) => crosses(label, other) || crosses(other, label)).length;
    label.cost = from + CROSSED * crossed;
    if (!best || label.cost < best.cost) best = label;
    if (best.cost <= 1) break;
  }
  return best;
};

// Topics have x, y (at zoom 1), r, one and two (sizes of the label on one and on two lines), the largest first. Those
// that found no room go first in the next attempt; the attempt that shows most of them at once stays.
const placeLabels = (topics, width, height) => {
  let order = topics;
  let best = null;
  for (let attempt = 0; attempt < (topics.length > 80 ? 3 : 10); attempt++) {
    const placed = [];
    for (const topic of order) placed.push(placeLabel(topic, topics, placed, width, height));
    const late = placed.filter((label) => label.from > 1);
    if (!best || late.length < best.late) best = { placed, late: late.length };
    if (!late.length) break;
    const first = new Set(late.map((label) => label.topic));
    order = [...first, ...order.filter((topic) => !first.has(topic))];
  }
  return best.placed;
};

// The next topic in a direction: near, and not far off to the side.
const towards = (topics, from, dx, dy) => {
  let best = null;
  for (const topic of topics) {
    if (!from || topic === from) continue;
    const [ax, ay] = [topic.x - from.x, topic.y - from.y];
    const along = ax * dx + ay * dy;
    const aside = Math.abs(ax * dy - ay * dx);
    if (along <= 0 || aside > 2 * along) continue;
    const cost = along + 2 * aside;
    if (cost < (best?.cost ?? Infinity)) best = { topic, cost };
  }
  return best?.topic.topic.number ?? null;
};
