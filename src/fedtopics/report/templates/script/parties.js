// Bars of the parties: a click on a heading sorts by it, another click the other way.
const partyTable = document.getElementById("party-table");
if (partyTable) {
  const body = partyTable.tBodies[0];
  const rows = [...body.rows];
  const heads = [...partyTable.tHead.rows[0].cells];
  const sortBy = (column, falling) => {
    const value = (row) => (column === 0 ? row.dataset.name : +row.cells[column].dataset.value);
    const compare = (a, b) => (column === 0 ? value(a).localeCompare(value(b)) : value(a) - value(b));
    body.append(...[...rows].sort((a, b) => (falling ? -1 : 1) * compare(a, b) || a.dataset.topic - b.dataset.topic));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== column ? "none" : falling ? "descending" : "ascending"));
  };
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    button.disabled = false;
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sortBy(column, now === "none" ? column > 0 : now === "ascending");
    });
  });
}
const legend = document.getElementById("color");
if (legend) {
  legend.checked = state.color === "party";
  legend.addEventListener("change", () => choose({ color: legend.checked ? "party" : "none" }));
  const shown = () => { legend.checked = state.color === "party"; document.querySelector(".legend").classList.toggle("off", !legend.checked); };
  stateListeners.push((changed) => { if (changed.includes("color")) { shown(); topicMap.redraw(); } });
  shown();
}
