// Players whom this browser follows; the choice never leaves it.

import { element } from "./figures.js";
import { t } from "./texts.js";

const KEY = "followed";
const MOST = 200;

export function followed() {
  try {
    const ids = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function star(id, name, onChange = () => {}) {
  const button = element("button", { class: "star", type: "button" });
  const show = () => {
    const is = followed().includes(id);
    button.textContent = is ? "★" : "☆";
    button.setAttribute("aria-pressed", String(is));
    button.setAttribute("aria-label", t(is ? "unfollow" : "follow", { name }));
    button.title = button.getAttribute("aria-label");
  };
  button.addEventListener("click", () => {
    const ids = followed();
    const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(-MOST);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // Without storage nobody can be followed.
    }
    show();
    onChange();
  });
  show();
  return button;
}
