// Colours as the system has them, or light, or dark; the choice stays in this browser.

import { t } from "./texts.js";

const THEMES = [
  ["system", "◐"],
  ["light", "☀"],
  ["dark", "☾"],
];

export function followTheme(button) {
  let at = Math.max(0, THEMES.findIndex(([name]) => name === remembered()));
  const show = () => {
    const [name, sign] = THEMES[at];
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.textContent = sign;
    button.setAttribute("aria-label", t(`colours_${name}`));
  };
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    try {
      localStorage.setItem("theme", THEMES[at][0]);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    show();
  });
  show();
}

function remembered() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}
