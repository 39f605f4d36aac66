// All topics in a list: as a tree, by size or by name; search leaves those that it lights up.
const topicList = (() => {
  const body = document.querySelector("#all-topics tbody");
  const rows = [...body.rows];
  const box = document.querySelector(".with-tree");
  const ordered = {
    tree: rows,
    size: [...rows].sort((a, b) => b.dataset.share - a.dataset.share || a.dataset.topic - b.dataset.topic),
    name: [...rows].sort((a, b) => a.dataset.name.localeCompare(b.dataset.name)),
  };
  let lit = null;
  const show = (order) => {
    body.append(...ordered[order]);
    box.classList.toggle("flat", order !== "tree" || lit !== null);
    for (const button of document.querySelectorAll("[data-order]")) button.setAttribute("aria-pressed", String(button.dataset.order === order));
  };
  let order = "tree";
  for (const button of document.querySelectorAll("[data-order]")) button.addEventListener("click", () => show((order = button.dataset.order)));
  const only = (weights) => {
    lit = weights;
    for (const row of rows) row.hidden = weights !== null && !weights.has(+row.dataset.topic);
    show(order);
  };
  const mark = () => { for (const row of rows) row.toggleAttribute("data-chosen", +row.dataset.topic === state.topic); };
  stateListeners.push((changed) => { if (changed.includes("topic")) mark(); });
  document.getElementById("orders").hidden = false;
  mark();
  return { only };
})();
