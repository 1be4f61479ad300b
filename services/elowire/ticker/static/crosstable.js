// Everybody against everybody, or round by round where not everybody meets.

import { element, federation, hundredths, pencil, person, points, refusal } from "./figures.js";
import { t } from "./texts.js";

export function crosstable({ lines, games, system }) {
  if (games.length === 0) return [element("p", { class: "empty" }, t(lines.length ? "games_settled" : "no_lines"))];
  const sides = new Map();
  for (const side of games.flatMap((game) => game.sides)) {
    if (!sides.has(side.player_id)) sides.set(side.player_id, []);
    sides.get(side.player_id).push(side);
  }
  const rankOf = new Map(lines.map((line, at) => [line.player_id, at + 1]));
  const all = system === "round-robin" && lines.length <= 24;
  const columns = all ? lines.map((line, at) => [line.player_id, String(at + 1)]) : roundsOf(games).map((round) => [round, String(round)]);
  const head = element(
    "tr",
    {},
    element("th", { scope: "col", class: "rank" }, element("abbr", { title: t("rank") }, "#")),
    element("th", { scope: "col", class: "player" }, t("player")),
    columns.map(([, name]) => element("th", { scope: "col" }, name)),
    element("th", { scope: "col", class: "points" }, t("points")),
  );
  const body = lines.map((line, at) =>
    element(
      "tr",
      { "data-player": line.player_id ?? line.entrant_id },
      element("td", { class: "rank" }, String(at + 1)),
      element("th", { scope: "row", class: "player" }, element("span", { class: "who" }, federation(line.federation), person(line))),
      columns.map(([column]) => {
        if (all && column === line.player_id) return element("td", { class: "self", "aria-label": "–" });
        const met = (sides.get(line.player_id) ?? []).filter((side) => (all ? side.opponent_id === column : side.round === column));
        return cell(met, all ? null : rankOf);
      }),
      element("td", { class: "points" }, element("b", {}, line.points)),
    ),
  );
  return [element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("crosstable") }, element("table", { class: "sheet crosstable" }, element("thead", {}, head), element("tbody", {}, body)))];
}

function roundsOf(games) {
  const rounds = new Set(games.flatMap((game) => game.sides.map((side) => side.round)).filter((round) => round !== null));
  return [...rounds].sort((a, b) => a - b);
}

function cell(met, rankOf) {
  if (met.length === 0) return element("td", {}, "");
  return element("td", {}, met.map((side) => one(side, rankOf)));
}

function one(side, rankOf) {
  const against = rankOf?.get(side.opponent_id);
  const name = side.opponent_name ?? side.opponent_id ?? t("against_nobody");
  const ongoing = side.refusal === "ongoing";
  const why = side.refusal ? ` (${refusal(side.refusal)})` : "";
  const said = ongoing ? "•" : points(side.points);
  return element(
    "span",
    { class: `cell ${ongoing ? "now" : colour(side)}`, title: `${name}: ${ongoing ? t("playing") : said}${why}` },
    side.corrected ? pencil() : null,
    side.status === "annulled" ? element("s", {}, said) : said,
    against ? element("sub", {}, String(against)) : null,
  );
}

function colour({ points: text, refusal: why, status }) {
  if (text === null || why || status === "annulled") return "still";
  const value = hundredths(text);
  return value >= 100 ? "won" : value > 0 ? "drawn" : "lost";
}
