// What scenes are made of.

import { change, decimal, element, hundredths } from "./figures.js";

export function who(data, rating = null) {
  return element(
    "p",
    { class: "who" },
    data.title ? element("span", { class: "title" }, data.title) : null,
    element("span", { class: "name" }, data.name ?? data.player_id),
    data.federation ? element("span", { class: "federation" }, data.federation) : null,
    rating,
  );
}

export function liveFigure(figures) {
  if (figures?.live) return element("p", { class: "live" }, decimal(figures.live));
  const first = figures?.initial?.ru;
  return element("p", { class: "live provisional" }, first ? `≈ ${first}` : "–");
}

export function gain(figures, corrected) {
  if (!figures?.change || figures.status !== "rated" || !hundredths(figures.change)) return element("p", { class: "gain level" }, "±0");
  return element("p", { class: "gain" }, change(figures.change, corrected));
}

/** What one game has brought, once it is played; nothing where it is not rated, or a first rating is on its way. */
export function brought(side) {
  if (!side?.change) return null;
  return element("p", { class: "gain" }, hundredths(side.change) ? change(side.change, Boolean(side.corrected)) : "±0");
}

/** Makes a part's writing smaller until it fits, down to `least` of its size. */
export function fit(part, least = 0.6) {
  const share = part.clientWidth / part.scrollWidth;
  if (share < 1) part.style.fontSize = `${Math.max(least, 0.98 * share)}em`;
}

/** Redraws by `draw` whenever asked, at most every 300 ms, and never two at once. */
export function coalesced(draw) {
  let waiting = null;
  return () => {
    waiting ??= setTimeout(async () => {
      waiting = null;
      await draw().catch(() => {});
    }, 300);
  };
}

/** A short flash of what has just changed. */
export function flash(place, way) {
  if (!place || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  place.classList.remove("flash-up", "flash-down", "flash-corrected");
  void place.offsetWidth;
  place.classList.add(`flash-${way}`);
}
