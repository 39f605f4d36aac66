"use strict";
// Light or dark: as the system has it, until the reader chooses.
const root = document.documentElement;
const stored = {
  get() { try { return localStorage.getItem("fedtopics-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("fedtopics-theme", value); } catch { /* a file may have no storage */ } },
};
if (stored.get()) root.dataset.theme = stored.get();
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
const themeListeners = [];
const toggle = document.getElementById("theme");
const nameToggle = () => {
  toggle.textContent = isDark() ? "Light" : "Dark";
  for (const listener of themeListeners) listener();
};
toggle.hidden = false;
toggle.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  stored.set(root.dataset.theme);
  nameToggle();
});
systemDark.addEventListener("change", nameToggle);
nameToggle();
