// What every page has around its content: pages, freshness, language, colours.

import { element } from "./figures.js";
import { followTheme } from "./theme.js";
import { offerLanguages, t, translate } from "./texts.js";

const PAGES = [
  ["/", "live_list"],
  ["/tournaments", "tournaments"],
];

/** Fills the header; gives the two elements in which a `Line` says how fresh everything is. */
export function frame() {
  translate();
  const text = element("span", {}, t("connecting"));
  const indicator = element("p", { class: "fresh", "data-state": "waiting" }, element("span", { class: "dot", "aria-hidden": "true" }), text);
  const languages = element("select", { class: "language", "aria-label": t("choose_language") });
  const theme = element("button", { class: "theme", type: "button" });
  document.querySelector("header.top").append(
    element(
      "nav",
      { class: "pages", "aria-label": t("nav") },
      PAGES.map(([address, key]) =>
        element("a", { href: address, "aria-current": location.pathname === address ? "page" : null }, t(key)),
      ),
    ),
    indicator,
    languages,
    theme,
  );
  offerLanguages(languages);
  followTheme(theme);
  return { indicator, text };
}

/** Fetches JSON; gives {status, body}, body null where there is none to read. */
export async function ask(address, options = {}) {
  const answer = await fetch(address, { cache: "no-cache", ...options });
  let body = null;
  try {
    body = await answer.json();
  } catch {
    // An error page of something between here and the ticker.
  }
  return { status: answer.status, body };
}

/** One sentence a second at most: a listener is told the newest change, not a backlog. */
export class Announcer {
  #place;
  #next = null;
  #timer = null;

  constructor(place) {
    this.#place = place;
  }

  say(...words) {
    this.#next = words;
    if (!this.#timer) this.#speak();
  }

  clear() {
    this.#next = null;
    this.#place.replaceChildren();
  }

  #speak() {
    this.#timer = null;
    if (!this.#next) return;
    this.#place.replaceChildren(...this.#next);
    this.#next = null;
    this.#timer = setTimeout(() => this.#speak(), 1_000);
  }
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Remembers where rows stand; calling what it gives slides those that have moved. */
export function sliding(rows) {
  if (still.matches) return () => {};
  const before = new Map([...rows].map((row) => [row, row.isConnected ? row.getBoundingClientRect().top + scrollY : null]));
  return () => {
    const moves = [...before].map(([row, top]) => [row, top === null ? 0 : top - (row.getBoundingClientRect().top + scrollY)]);
    for (const [row, distance] of moves) {
      if (Math.abs(distance) < 1) continue;
      row.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], {
        duration: 700,
        easing: "cubic-bezier(.2, .8, .2, 1)",
      });
    }
  };
}

/** Tints a row for two seconds: up, down or corrected. */
export function tint(row, way) {
  const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${way}-tint`);
  row.animate([{ backgroundColor: colour }, { backgroundColor: colour, offset: 0.35 }, { backgroundColor: "transparent" }], {
    duration: 2_000,
    easing: "ease-out",
  });
}
