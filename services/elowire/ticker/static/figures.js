// Figures of the output events as elements and as words. Decimals arrive as strings and stay exact.

import { has, language, t } from "./texts.js";

/** Two live ratings of one decimal each say a step to less than this, in hundredths. */
const ROUGH = 10;

export function hundredths(text) {
  const [, sign, whole, places = ""] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text);
  const size = Number(whole) * 100 + Number(places.padEnd(2, "0"));
  return sign ? -size : size;
}

export function decimalText(value) {
  const size = Math.abs(value);
  return `${value < 0 ? "-" : ""}${Math.floor(size / 100)}.${String(size % 100).padStart(2, "0")}`;
}

/** Hundredths with one place, half away from zero, as live ratings are shown. */
export function tenthsText(value) {
  const size = Math.floor((Math.abs(value) + 5) / 10) * 10;
  return decimalText(value < 0 ? -size : size).slice(0, -1);
}

/** What an event has brought, in hundredths: a new game's own change; else by how much the figures differ. */
export function stepOf({ cause, game }, figures, before) {
  if (cause?.kind === "game" && game?.change) return hundredths(game.change);
  const rough = figures.previous?.live ? hundredths(figures.live) - hundredths(figures.previous.live) : 0;
  const exact = before?.change && figures.change ? hundredths(figures.change) - hundredths(before.change) : rough;
  return Math.abs(exact - rough) <= ROUGH ? exact : rough;
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// "2797.3" with the decimals after a smaller point, so that columns align and whole points stand out.
export function decimal(text) {
  const [whole, places] = text.split(".");
  const parts = document.createDocumentFragment();
  parts.append(whole);
  if (places !== undefined) parts.append(element("span", { class: "part" }, `.${places}`));
  return parts;
}

export function direction(change) {
  const value = hundredths(change);
  return value > 0 ? "up" : value < 0 ? "down" : "level";
}

// "8.30" as ▲ 8.30: colour never stands alone.
export function change(text, corrected = false) {
  const way = direction(text);
  const sign = { up: "▲", down: "▼", level: "" }[way];
  const words = { up: `${t("plus")} `, down: `${t("minus")} `, level: "" }[way];
  return element(
    "span",
    { class: way },
    corrected ? pencil() : null,
    sign ? element("span", { class: "sign", "aria-hidden": "true" }, sign) : null,
    element("span", { class: "unseen" }, words),
    decimal(text.replace("-", "")),
  );
}

/** A small piece of the player's colour, for readers of screens in words; null where it is not known. */
export function pieces(colour) {
  if (!colour) return null;
  const words = colour === "white" ? t("with_white") : t("with_black");
  return element("span", { class: `pieces ${colour}`, title: words }, element("span", { class: "unseen" }, words), " ");
}

export function pencil() {
  return element("span", { class: "sign corrected", role: "img", "aria-label": t("corrected") }, "✎");
}

export function movement(places) {
  if (!places) return "";
  const up = places > 0;
  const size = Math.abs(places);
  return element(
    "span",
    { class: up ? "up" : "down" },
    element("span", { "aria-hidden": "true" }, `${up ? "▲" : "▼"}\u2009${size}`),
    element("span", { class: "unseen" }, t(up ? "up" : "down", { n: size })),
  );
}

/** "0.5" as "½", as players write it. */
export function points(text) {
  if (text === null || text === undefined) return "–";
  const [whole, places] = text.split(".");
  return places === "5" ? `${whole === "0" ? "" : whole}½` : whole;
}

export function signed(text) {
  return hundredths(text) > 0 ? `+${text}` : text.replace("-", "−");
}

export function age(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 3) return t("just_now");
  if (seconds < 90) return t("seconds_ago", { n: seconds });
  if (seconds < 90 * 60) return t("minutes_ago", { n: Math.round(seconds / 60) });
  if (seconds < 36 * 3600) return t("hours_ago", { n: Math.round(seconds / 3600) });
  return t("days_ago", { n: Math.round(seconds / 86400) });
}

export function clockTime(milliseconds) {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hour12: false }).format(milliseconds);
}

/** Title and name, with a link to the player where there is one. */
export function person(data, { link = true } = {}) {
  const name = data.name ?? data.player_id ?? data.entrant_id ?? "";
  const children = [data.title ? element("span", { class: "title" }, data.title) : null, element("span", { class: "name" }, name)];
  return link && data.player_id
    ? element("a", { class: "person", href: playerAddress(data.player_id) }, ...children)
    : element("span", { class: "person" }, ...children);
}

export function federation(code) {
  return element("span", { class: "federation" }, code ?? "");
}

export function playerAddress(id) {
  return `/player/${encodeURIComponent(id)}`;
}

export function tournamentAddress(id) {
  return `/tournament/${encodeURIComponent(id)}`;
}

export function isCorrection(kind) {
  return kind === "correction" || kind === "annulment";
}

export function refusal(reason) {
  return has(`refusal_${reason}`) ? t(`refusal_${reason}`) : reason;
}

// What happened, as a person would say it: "won against Robson, Ray".
export function cause(data) {
  const kind = `kind_${data.cause?.kind}`;
  if (has(kind)) return t(kind);
  const { game } = data;
  if (!game || game.points == null) return "";
  const name = game.opponent_name ?? game.opponent_id;
  const won = hundredths(game.points);
  return name ? t(won >= 100 ? "won" : won === 50 ? "drew" : "lost_to", { name }) : "";
}
