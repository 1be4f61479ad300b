// A scene for a broadcast: transparent, and hidden rather than stale. Everything is chosen in the address.

import { card } from "./scene_card.js";
import { strip } from "./scene_strip.js";
import { versus } from "./scene_versus.js";
import { t, translate } from "./texts.js";

const SCENES = { card, versus, strip };
const COLOURS = ["ground", "ink", "soft", "accent"];
const PLACES = ["bottom-left", "bottom", "bottom-right", "top-left", "top", "top-right"];
const STALE_S = 20;

const asked = new URLSearchParams(location.search);
const root = document.documentElement;
const place = document.getElementById("scene");
let content = null;
let fresh = false;

/** What a scene works with: what was asked, where to draw, and whom to tell how fresh its data is. */
const stage = {
  asked,
  draw(...parts) {
    content = parts.length > 0;
    place.classList.remove("rising");
    place.replaceChildren(...parts);
    show();
  },
  part: (selector) => place.querySelector(selector),
  heard(silence) {
    fresh = silence !== null && silence <= stale() * 1_000;
    show();
  },
};

function stale() {
  const seconds = Number.parseFloat(asked.get("stale"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : STALE_S;
}

function show() {
  const shown = Boolean(content && fresh);
  // It rises when it comes into sight; what changes in it afterwards changes in place.
  if (shown && place.hidden) place.classList.add("rising");
  place.hidden = !shown;
  root.dataset.shown = String(shown);
}

function dress() {
  const theme = asked.get("theme");
  root.dataset.theme = ["light", "custom"].includes(theme) ? theme : "dark";
  root.dataset.view = asked.get("view") ?? "";
  root.dataset.place = PLACES.includes(asked.get("place")) ? asked.get("place") : "bottom-left";
  const scale = Number.parseFloat(asked.get("scale"));
  root.style.setProperty("--scale", Number.isFinite(scale) ? String(Math.min(4, Math.max(0.25, scale))) : "1");
  for (const name of COLOURS) {
    const colour = asked.get(name);
    if (colour && /^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(colour)) root.style.setProperty(`--${name}`, `#${colour}`);
  }
}

dress();
translate();
const scene = Object.hasOwn(SCENES, asked.get("view") ?? "") ? SCENES[asked.get("view")] : null;
if (scene === null || !scene(stage)) {
  const help = document.getElementById("help");
  help.textContent = t("overlay_help");
  help.hidden = false;
}
