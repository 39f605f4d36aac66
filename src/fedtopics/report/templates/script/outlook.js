// Another epsilon: what it would promise, and what it would cost. All words come with the page.
const outlookSlider = document.getElementById("epsilon");
if (outlookSlider) {
  const get = (id) => document.getElementById(id);
  const { at, prospects } = data.outlook;
  const show = () => {
    const chosen = prospects[+outlookSlider.value];
    const isRun = +outlookSlider.value === at;
    get("outlook-kind").textContent = isRun ? "This run" : "Forecast";
    get("outlook").classList.toggle("forecast", !isRun);
    get("outlook-told").textContent = chosen.told;
    get("outlook-worth").textContent = chosen.worth;
    get("outlook-worth").className = `value worth-${chosen.worth.split(" ")[0]}`;
    get("outlook-odds").textContent = `${chosen.odds}-fold`;
    get("outlook-loss").textContent = chosen.ratio === null ? "not known" : `${chosen.ratio >= 1 ? "+" : "−"}${(100 * Math.abs(chosen.ratio - 1)).toFixed(1)} %`;
    chosen.rises.forEach((rise, i) => {
      const item = get("outlook-rises").children[i];
      item.querySelector(".after").style.setProperty("--w", rise.share.toFixed(4));
      item.querySelector(".told").textContent = rise.told;
    });
    outlookSlider.setAttribute("aria-valuetext", `${isRun ? "this run" : "forecast"}: ${chosen.told}, ${chosen.worth}`);
    get("outlook-back").hidden = isRun;
  };
  outlookSlider.addEventListener("input", show);
  get("outlook-back").addEventListener("click", () => { outlookSlider.value = at; show(); outlookSlider.focus(); });
  outlookSlider.disabled = false;
  show();
}
