// Entrants by rank: points, performance, expected, change; for the unrated the first rating so far.

import { change, element, federation, person } from "./figures.js";
import { t } from "./texts.js";

const COLUMNS = [
  ["rank", "rank", "#"],
  ["player", "player"],
  ["rating", "rating"],
  ["points", "points"],
  ["performance", "performance", null, "performance_hint"],
  ["expected", "expectancy"],
  ["change", "change"],
];

export function standings({ lines }) {
  if (lines.length === 0) return [];
  return [
    element(
      "table",
      { class: "sheet standings", "aria-describedby": "equal" },
      element("thead", {}, element("tr", {}, COLUMNS.map(heading))),
      element("tbody", {}, lines.map(row)),
    ),
    element("p", { class: "soft small", id: "equal" }, t("equal_points")),
  ];
}

function heading([kind, key, sign, hint]) {
  const inside = sign || hint ? element("abbr", { title: t(hint ?? key) }, sign ?? t(key)) : t(key);
  return element("th", { scope: "col", class: kind }, inside);
}

function row(line) {
  return element(
    "tr",
    { "data-player": line.player_id ?? line.entrant_id },
    element("td", { class: "rank" }, String(line.rank)),
    element("th", { scope: "row", class: "player" }, element("span", { class: "who" }, federation(line.federation), person(line))),
    element("td", { class: "rating" }, line.rating === null ? t("unrated").toLowerCase() : String(line.rating)),
    element("td", { class: "points" }, element("b", {}, line.points), element("span", { class: "soft" }, ` / ${line.rated_games}`)),
    element("td", { class: "performance" }, String(line.performance?.fide ?? "–")),
    element("td", { class: "expected" }, line.expected ?? "–"),
    element("td", { class: "change" }, ...gained(line)),
  );
}

function gained({ change: text, initial, player_id }) {
  if (text !== null) return [change(text)];
  if (player_id === null) return [element("span", { class: "soft" }, t("refusal_unresolved-entrant"))];
  if (!initial || initial.ru === null) return ["–"];
  const ru = initial.ru_new ?? initial.ru;
  return [
    element("span", { class: initial.final ? "" : "provisional", title: t("first_rating") }, `${initial.final ? "" : "≈ "}${ru}`),
    element("span", { class: "soft small" }, ` ${t(initial.final ? "final" : "not_final")}`),
  ];
}
