// The map: circles and labels on a canvas, with zoom, pan, pointer and keys. It draws only when something has changed.
const topicMap = (() => {
  const canvas = document.getElementById("map");
  const context = canvas.getContext("2d");
  const tip = document.getElementById("tip");
  const FONTS = [600, 500, 400].map((weight, tier) => ({ weight, size: [13, 11.5, data.topics.length > 80 ? 10 : 10.5][tier] }));
  const STILL = matchMedia("(prefers-reduced-motion: reduce)");
  let [width, height, ratio] = [0, 0, 1];
  let [colors, family] = [{}, "sans-serif"];
  let placed = [];
  let view = { zoom: 1, x: 0, y: 0 };
  let [hovered, weights, pending, moving] = [null, null, 0, 0];

  const readColors = () => {
    const style = getComputedStyle(root);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    colors = { ink: get("ink"), soft: get("soft"), card: get("card"), line: get("line"), accent: get("accent"),
      parties: [0, 1, 2, 3, 4, 5].map((number) => get(`s${number}`)) };
    family = get("sans") || family;
  };
  const colorOf = (topic) => {
    if (state.color !== "party" || topic.party === null) return colors.accent;
    return colors.parties[topic.party] ?? colors.soft;
  };
  const font = (tier, bold) => `${bold ? 700 : FONTS[tier].weight} ${FONTS[tier].size}px ${family}`;

  const linesOf = (topic) => {
    const words = topic.label.length ? topic.label : [`topic ${topic.number}`];
    const half = Math.ceil(words.length / 2);
    const two = words.length > 1 ? [words.slice(0, half), words.slice(half)].map((part) => shortened(part.join(" "))) : null;
    return { one: [words.length > 2 ? shortened(words.join(" ")) : words.map(shortened).join(" ")], two };
  };
  const sized = (lines, tier) => {
    if (!lines) return null;
    context.font = font(tier, true); // the widest that it gets, so that choosing a topic moves nothing
    return { w: Math.max(...lines.map((line) => context.measureText(line).width)) + 2, h: lines.length * (FONTS[tier].size + 1.5) + 1 };
  };
  const arrange = () => {
    const largest = Math.max(...data.topics.map(shareOf), 1e-9);
    const most = Math.min(34, (width < 480 ? 0.21 : data.topics.length > 80 ? 0.19 : 0.26) * Math.sqrt((width * height) / data.topics.length));
    const least = Math.min(6, most / 2.5);
    const edge = { x: Math.min(54, width * 0.1) + most / 2, y: most + 12 };
    const usual = shareOf(data.topics[Math.floor(data.topics.length / 2)]);
    const topics = data.topics.map((topic, rank) => {
      const tier = width < 480 || rank >= 60 ? 2 : shareOf(topic) > 1.6 * usual && rank < 12 ? 0 : 1;
      const lines = linesOf(topic);
      return {
        topic, tier, lines,
        x: edge.x + topic.place[0] * (width - 2 * edge.x),
        y: edge.y + topic.place[1] * (height - 2 * edge.y),
        r: Math.max(least, most * Math.sqrt(shareOf(topic) / largest)),
        one: sized(lines.one, tier), two: sized(lines.two, tier),
      };
    });
    placed = placeLabels(topics, width, height);
  };
  const mostZoom = () => Math.min(60, Math.max(6, 1.02 * Math.max(...placed.map((each) => each.from).filter(Number.isFinite))));

  const resize = () => {
    const box = canvas.parentElement.getBoundingClientRect();
    if (!box.width || !box.height || (box.width === width && box.height === height && ratio === devicePixelRatio)) return;
    const center = middle();
    [width, height, ratio] = [box.width, box.height, devicePixelRatio];
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    arrange();
    show(view.zoom, ...(center.every(Number.isFinite) && view.zoom > 1 ? center : [0.5, 0.5]), { still: true, keep: true });
  };
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const put = (zoom, x, y) => {
    zoom = clamp(zoom, 1, mostZoom());
    view = { zoom, x: clamp(x, width - zoom * width, 0), y: clamp(y, height - zoom * height, 0) };
    canvas.style.touchAction = zoom > 1 ? "none" : "pan-y"; // a finger scrolls the page until there is something to move
    redraw();
  };
  const middle = () => [(width / 2 - view.x) / view.zoom / width, (height / 2 - view.y) / view.zoom / height]; // in shares of the picture
  const remember = () => choose({ zoom: [view.zoom, ...middle()].map((v) => +v.toFixed(3)) });
  const labelOf = (number) => placed.find(({ topic }) => topic.topic.number === number);

  // Zoom with the point (u, v), in shares of the picture, at its middle.
  const show = (zoom, u, v, { still = false, keep = false } = {}) => {
    zoom = clamp(zoom, 1, mostZoom());
    const goal = { zoom, x: width / 2 - u * width * zoom, y: height / 2 - v * height * zoom };
    cancelAnimationFrame(moving);
    if (still || STILL.matches) { put(goal.zoom, goal.x, goal.y); if (!keep) remember(); return; }
    const [from, began] = [{ ...view }, performance.now()];
    const step = (now) => {
      const t = clamp((now - began) / 220, 0, 1);
      const eased = t * (2 - t);
      put(from.zoom + (goal.zoom - from.zoom) * eased, from.x + (goal.x - from.x) * eased, from.y + (goal.y - from.y) * eased);
      if (t < 1) moving = requestAnimationFrame(step); else if (!keep) remember();
    };
    moving = requestAnimationFrame(step);
  };
  const zoomAt = (factor, x, y) => {
    const zoom = clamp(view.zoom * factor, 1, mostZoom());
    put(zoom, x - ((x - view.x) / view.zoom) * zoom, y - ((y - view.y) / view.zoom) * zoom);
    remember();
  };
  const centerOf = (each) => [view.zoom * each.x + view.x, view.zoom * each.y + view.y];

  const draw = () => {
    pending = 0;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const chosen = labelOf(state.topic);
    for (const { topic } of placed) circle(topic, topic === chosen?.topic);
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const label of placed) if (label !== chosen) lettered(label, false);
    if (chosen) lettered(chosen, true);
  };
  const faint = (topic) => weights !== null && !weights.has(topic.topic.number);
  const circle = (topic, isChosen) => {
    const [x, y] = centerOf(topic);
    if (x < -topic.r - 5 || y < -topic.r - 5 || x > width + topic.r + 5 || y > height + topic.r + 5) return;
    const color = colorOf(topic.topic);
    const weight = weights?.get(topic.topic.number);
    context.globalAlpha = isChosen ? 0.8 : faint(topic) ? 0.08 : weight !== undefined ? 0.25 + 0.5 * weight : hovered === topic ? 0.45 : 0.26;
    context.beginPath();
    context.arc(x, y, topic.r, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = faint(topic) && !isChosen ? 0.3 : 1;
    context.lineWidth = isChosen || weight !== undefined ? 2 : 1.1;
    context.strokeStyle = color;
    context.stroke();
    if (isChosen) {
      context.beginPath();
      context.arc(x, y, topic.r + 4, 0, 2 * Math.PI);
      context.strokeStyle = colors.ink;
      context.lineWidth = 1.5;
      context.stroke();
    }
    context.globalAlpha = 1;
  };
  const lettered = (label, isChosen) => {
    const { topic } = label;
    const [x, y] = centerOf(topic);
    const isShown = view.zoom >= label.from - 1e-9;
    context.globalAlpha = faint(topic) && !isChosen ? 0.45 : 1;
    context.fillStyle = colors.ink;
    if (!isShown) {
      context.font = `600 8px ${family}`;
      context.fillText(String(topic.topic.number), x, y + 0.5);
    } else {
      const [cx, cy] = [x + label.dx, y + label.dy];
      if (label.far) {
        const length = Math.hypot(label.dx, label.dy);
        const end = [clamp(x, cx - label.w / 2, cx + label.w / 2), clamp(y, cy - label.h / 2 + 1, cy + label.h / 2 - 1)];
        context.beginPath();
        context.moveTo(x + (label.dx / length) * topic.r, y + (label.dy / length) * topic.r);
        context.lineTo(...end);
        context.strokeStyle = colors.soft;
        context.lineWidth = 0.8;
        context.stroke();
      }
      const lines = label.lines === 2 ? topic.lines.two : topic.lines.one;
      const step = FONTS[topic.tier].size + 1.5;
      context.font = font(topic.tier, isChosen);
      context.lineJoin = "round";
      lines.forEach((line, i) => {
        const at = cy + (i - (lines.length - 1) / 2) * step;
        context.strokeStyle = colors.card;
        context.lineWidth = 2.5;
        context.strokeText(line, cx, at);
        context.fillText(line, cx, at);
      });
    }
    context.globalAlpha = 1;
  };
  const redraw = () => { if (!pending) pending = requestAnimationFrame(draw); };

  const under = (x, y) => {
    let best = null;
    for (const label of placed) {
      const [cx, cy] = centerOf(label.topic);
      const far = Math.hypot(x - cx, y - cy);
      const onLabel = view.zoom >= label.from && Math.abs(x - cx - label.dx) < label.w / 2 && Math.abs(y - cy - label.dy) < label.h / 2;
      const distance = onLabel ? 0 : far <= Math.max(label.topic.r, 11) ? far : Infinity;
      if (distance < (best?.distance ?? Infinity)) best = { topic: label.topic, distance };
    }
    return best?.topic ?? null;
  };
  const hover = (topic, x, y) => {
    if (topic !== hovered) { hovered = topic; redraw(); canvas.style.cursor = topic ? "pointer" : view.zoom > 1 ? "grab" : "default"; }
    tip.hidden = !topic;
    if (!topic) return;
    tip.replaceChildren(made("b", {}, asText(topic.topic.label.join(" ") || topic.topic.name)), made("span", {}, wordsOf(topic.topic.number, 1, 8).map((each) => each.text).join(", ")));
    tip.style.left = `${clamp(x + 14, 4, width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > height ? y - tip.offsetHeight - 10 : y + 18}px`;
  };

  const reveal = () => {
    const topic = labelOf(state.topic)?.topic;
    if (!topic) return;
    const [x, y] = centerOf(topic);
    if (x < 30 || y < 30 || x > width - 30 || y > height - 30) show(view.zoom, topic.x / width, topic.y / height);
  };

  const pointers = new Map();
  let dragged = false;
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, at(event));
    dragged = false;
    canvas.setPointerCapture?.(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) { if (event.pointerType === "mouse") hover(under(x, y), x, y); return; }
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const factor = Math.hypot(x - other[0], y - other[1]) / Math.max(Math.hypot(before[0] - other[0], before[1] - other[1]), 1);
      zoomAt(factor, (x + other[0]) / 2, (y + other[1]) / 2);
      dragged = true;
    } else if (dragged || Math.hypot(x - before[0], y - before[1]) > 3) {
      dragged = true;
      put(view.zoom, view.x + x - before[0], view.y + y - before[1]);
      hover(null);
    } else return;
    pointers.set(event.pointerId, [x, y]);
  });
  const release = (event) => {
    const known = pointers.delete(event.pointerId);
    if (event.type === "pointerup" && known && !dragged) {
      const topic = under(...at(event));
      if (topic) choose({ topic: topic.topic.number });
    } else if (dragged) remember();
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("dblclick", (event) => { event.preventDefault(); zoomAt(1.8, ...at(event)); });
  // The wheel scrolls the page until the map is in use.
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0022)), ...at(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const zooms = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 };
    if (event.key in arrows) { const next = towards(placed.map((label) => label.topic), labelOf(state.topic)?.topic, ...arrows[event.key]); if (next !== null) choose({ topic: next }); }
    else if (event.key in zooms) zoomAt(zooms[event.key], ...centerOf(labelOf(state.topic).topic));
    else if (event.key === "0" || event.key === "Escape") show(1, 0.5, 0.5);
    else if (event.key === "Home") choose({ topic: data.topics[0].number });
    else if (event.key === "End") choose({ topic: data.topics.at(-1).number });
    else return;
    event.preventDefault();
  });
  const clicked = (id, act) => document.getElementById(id).addEventListener("click", act);
  clicked("zoom-in", () => show(view.zoom * 1.6, ...middle()));
  clicked("zoom-out", () => show(view.zoom / 1.6, ...middle()));
  clicked("zoom-all", () => show(1, 0.5, 0.5));

  const highlight = (found) => { weights = found; redraw(); };
  // On paper: all of the map, dark on white, whatever was searched.
  let kept = null;
  addEventListener("beforeprint", () => {
    kept ??= { view, weights, theme: root.dataset.theme };
    root.dataset.theme = "light";
    [view, weights] = [{ zoom: 1, x: 0, y: 0 }, null];
    readColors();
    draw();
  });
  addEventListener("afterprint", () => {
    if (!kept) return;
    if (kept.theme) root.dataset.theme = kept.theme; else delete root.dataset.theme;
    [view, weights, kept] = [kept.view, kept.weights, null];
    recolored();
  });
  const recolored = () => { readColors(); redraw(); };
  themeListeners.push(recolored);
  const start = () => {
    readColors();
    resize();
    if (state.zoom[0] > 1) show(...state.zoom, { still: true, keep: true });
    new ResizeObserver(resize).observe(canvas.parentElement);
  };
  // For those who check: the labels as they stand now, in pixels of the map.
  const shownLabels = () => placed.filter((label) => view.zoom >= label.from - 1e-9).map((label) => {
    const [x, y] = centerOf(label.topic);
    return { topic: label.topic.topic.number, left: x + label.dx - label.w / 2, top: y + label.dy - label.h / 2, w: label.w, h: label.h, lines: label.lines };
  });
  const positionOf = (number) => centerOf(labelOf(number).topic);
  return { start, highlight, redraw, reveal, show, shownLabels, positionOf, mostZoom, view: () => ({ ...view, width, height }), canvas };
})();
