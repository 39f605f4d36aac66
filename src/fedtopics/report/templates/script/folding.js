// Details open where a link leads into them, and all of them on paper.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (target?.closest("details")) target.scrollIntoView();
};
addEventListener("hashchange", unfold);
unfold();
const folded = [];
addEventListener("beforeprint", () => {
  folded.push(...document.querySelectorAll("details:not([open])"));
  for (const each of folded) each.open = true;
});
addEventListener("afterprint", () => { for (const each of folded.splice(0)) each.open = false; });

// What several parts make: an element with attributes and children, text always as text.
const made = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "style") for (const [property, set] of Object.entries(value)) element.style.setProperty(property, set);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
};
const asText = (word) => made("bdi", {}, word);
const inPercent = (share) => {
  const percent = 100 * share;
  return `${percent >= 9.95 ? percent.toFixed(0) : percent >= 0.995 ? percent.toFixed(1) : percent >= 0.0095 ? percent.toFixed(2) : "< 0.01"} %`;
};
