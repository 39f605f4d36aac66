"use strict";
// Small makers of elements and charts. Whatever comes from a run is text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function made(name, attributes = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...inside.filter((part) => part !== null && part !== undefined));
  return element;
}

function drawn(name, attributes = {}, ...inside) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

function size(bytes) {
  for (const [unit, factor] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (bytes >= factor) return `${(bytes / factor).toFixed(1)} ${unit}`;
  }
  return `${bytes} B`;
}

function clock(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const whole = Math.round(seconds), minutes = Math.floor(whole / 60);
  const rest = `${String(minutes % 60).padStart(minutes >= 60 ? 2 : 1, "0")}:${String(whole % 60).padStart(2, "0")}`;
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${rest}` : rest;
}

function shown(number, digits = 4) {
  if (number === "inf") return "no bound";
  if (number === null || number === undefined) return "–";
  const rounded = Number(Number(number).toPrecision(digits));
  return Math.abs(rounded) >= 1e6 ? rounded.toExponential(2) : rounded.toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function bound(row) {
  const delta = row.delta < 0.001 ? Number(row.delta).toExponential().replace("e-", "e\u2011") : row.delta;
  return `${row.relation}${row.delta ? `, delta ${delta}` : ""}`;
}

function meter(parts, label) {
  const bar = made("div", { class: "meter", role: "img", "aria-label": label });
  for (const [kind, share] of parts) {
    const part = made("span", { class: kind });
    part.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    bar.append(part);
  }
  return bar;
}

const WIDE = 460, HIGH = 150, LEFT = 8, TOP = 10, BOTTOM = 20;

function lineChart(points, label) {
  const values = points.map((point) => point.y), low = Math.min(...values), high = Math.max(...values);
  const last = Math.max(1, points.length - 1), height = HIGH - TOP - BOTTOM;
  const x = (index) => LEFT + (WIDE - 2 * LEFT) * (points.length > 1 ? index / last : 0.5);
  const y = (value) => TOP + height * (high > low ? (high - value) / (high - low) : 0.5);
  const chart = drawn("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label });
  chart.append(drawn("line", { class: "grid", x1: 0, x2: WIDE, y1: HIGH - BOTTOM + 4, y2: HIGH - BOTTOM + 4 }));
  chart.append(drawn("polyline", { class: "line", points: points.map((point, index) => `${x(index)},${y(point.y)}`).join(" ") }));
  const end = points[points.length - 1];
  chart.append(drawn("circle", { class: "dot", cx: x(points.length - 1), cy: y(end.y), r: 4 }));
  chart.append(drawn("text", { x: LEFT, y: HIGH - 4 }, points[0].name));
  chart.append(drawn("text", { x: WIDE - LEFT, y: HIGH - 4, "text-anchor": "end" }, end.name));
  return chart;
}

function barChart(rows, label) {
  const most = Math.max(1, ...rows.map((row) => row.up + row.down)), height = HIGH - TOP - BOTTOM;
  const step = (WIDE - 2 * LEFT) / Math.max(rows.length, 12), wide = Math.max(1, Math.min(18, step * 0.75));
  const chart = drawn("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label });
  rows.forEach((row, index) => {
    const up = height * row.up / most, down = height * row.down / most, x = LEFT + index * step, floor = HIGH - BOTTOM;
    const title = drawn("title", {}, `${row.name}: ${size(row.up)} up, ${size(row.down)} down`);
    chart.append(drawn("g", {}, title, drawn("rect", { class: "up", x, y: floor - up, width: wide, height: up }), drawn("rect", { class: "down", x, y: floor - up - down, width: wide, height: down })));
  });
  chart.append(drawn("line", { class: "grid", x1: 0, x2: WIDE, y1: HIGH - BOTTOM + 1, y2: HIGH - BOTTOM + 1 }));
  if (rows.length) {
    chart.append(drawn("text", { x: LEFT, y: HIGH - 4 }, rows[0].name));
    chart.append(drawn("text", { x: WIDE - LEFT, y: HIGH - 4, "text-anchor": "end" }, `most in a round: ${size(most)}`));
  }
  return chart;
}
