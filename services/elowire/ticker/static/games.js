// Every pending game explained: difference, expectancy, points minus expectancy, K, change, article.

import { change, decimalText, element, federation, hundredths, pencil, person, pieces, points, refusal, signed, tournamentAddress } from "./figures.js";
import { t } from "./texts.js";

const COLUMNS = [
  ["round", "round"],
  ["player", "opponent"],
  ["result", "result"],
  ["difference", "difference", "difference_hint"],
  ["expectancy", "expectancy"],
  ["delta", "delta"],
  ["change", "change"],
  ["article", "article"],
];

export function gamesTable(figures, games, refused, annulled, lines) {
  const all = [...games, ...refused, ...annulled];
  if (all.length === 0 && !restOf(figures, games)) return element("p", { class: "empty" }, t("no_games"));
  const head = element("thead", {}, element("tr", {}, COLUMNS.map((column) => heading(column, figures?.k_used))));
  const bodies = [...byTournament(all)].map(([tournament, group]) => body(tournament, group, lines));

  return element("table", { class: "sheet explained" }, head, bodies, foot(figures, games));
}

function heading([kind, key, hint], k) {
  if (kind === "change" && k) return element("th", { scope: "col", class: kind }, `K ${k} · ${t(key)}`);
  return element("th", { scope: "col", class: kind }, hint ? element("abbr", { title: t(hint) }, t(key)) : t(key));
}

function byTournament(games) {
  const groups = new Map();
  for (const game of games) {
    if (!groups.has(game.tournament_id)) groups.set(game.tournament_id, []);
    groups.get(game.tournament_id).push(game);
  }
  for (const group of groups.values()) group.sort((a, b) => (a.round ?? 0) - (b.round ?? 0) || a.game_id.localeCompare(b.game_id));
  return groups;
}

function body(tournament, games, lines) {
  const line = lines.find((one) => one.tournament_id === tournament);
  const said = [];
  if (line) {
    said.push(`${line.points} / ${games.filter((game) => game.points !== null).length}`);
    if (line.performance?.fide) said.push(`${t("performance")} ${line.performance.fide}`);
  }
  const name = games[0].tournament_name ?? tournament;
  return element(
    "tbody",
    {},
    element(
      "tr",
      { class: "event" },
      element(
        "th",
        { scope: "rowgroup", colspan: COLUMNS.length },
        element("a", { href: tournamentAddress(tournament) }, name),
        element("span", { class: "soft" }, said.length ? ` · ${said.join(" · ")}` : ""),
      ),
    ),
    games.map(row),
  );
}

function row(game) {
  const annulled = game.status === "annulled";
  const ongoing = game.refusal === "ongoing";
  const cells = [
    element("td", { class: "round" }, game.round === null ? "–" : String(game.round)),
    element("th", { scope: "row", class: "player" }, opponent(game)),
    element("td", { class: "result" }, pieces(game.colour), ...result(game, ongoing)),
  ];
  if (game.refusal !== null || annulled || game.delta === null) {
    const why = game.refusal ? refusal(game.refusal) : t("first_rating");
    const text = ongoing ? element("span", { class: "playing" }, why) : why;
    cells.push(element("td", { class: "reason", colspan: 4 }, text), element("td", { class: "article" }, ongoing ? "" : (game.article ?? "")));
  } else {
    const cut = game.counted_difference !== game.difference;
    const apart = cut ? [String(game.difference), ` (${game.counted_difference})`] : [String(game.difference)];
    cells.push(
      element("td", { class: "difference" }, ...apart.map((text) => text.replace("-", "−"))),
      element("td", { class: "expectancy" }, game.expectancy),
      element("td", { class: "delta" }, signed(game.delta)),
      element("td", { class: "change" }, game.change === null ? "–" : change(game.change)),
      element("td", { class: "article" }, game.article ?? ""),
    );
  }
  return element("tr", { class: annulled ? "annulled" : game.refusal ? "refused" : "", "data-game": game.game_id }, cells);
}

function opponent(game) {
  if (!game.opponent_id) return element("span", { class: "soft" }, t("against_nobody"));
  const who = { player_id: game.opponent_id, name: game.opponent_name, title: game.opponent_title };
  return element(
    "span",
    { class: "met" },
    person(who),
    element("span", { class: "soft" }, game.opponent_rating ? ` ${game.opponent_rating} ` : ` ${t("unrated").toLowerCase()} `),
    federation(game.opponent_federation),
  );
}

function result(game, ongoing) {
  const now = element("b", {}, ongoing ? "–" : points(game.points));
  if (!game.corrected) return [now];
  const before = element("s", {}, points(game.corrected.points));
  return [pencil(), before, element("span", { class: "unseen" }, ` ${t("was", { points: game.corrected.points })} `), " ", now];
}

/** What the live change has beyond the games that are here: events that were reported as a sum. */
function restOf(figures, games) {
  if (figures?.status !== "rated") return 0;
  return hundredths(figures.change) - games.reduce((sum, game) => sum + (game.change === null ? 0 : hundredths(game.change)), 0);
}

function foot(figures, games) {
  if (figures?.status !== "rated") return null;
  const sum = games.reduce((total, game) => total + (game.delta === null ? 0 : hundredths(game.delta)), 0);
  const rest = restOf(figures, games);
  const rows = [];
  if (rest) rows.push(total(t("other_events"), "", decimalText(rest)));
  rows.push(total(t("sum"), `${signed(decimalText(sum))} × K ${figures.k_used}`, figures.change));
  const exact = decimalText(figures.published.rating * 100 + hundredths(figures.change));
  const words = [t("rounding", { published: figures.published.rating, change: signed(figures.change), exact, predicted: figures.predicted })];
  if (figures.k_reason === "cut-700") words.unshift(t("cut_700", { k: figures.k_used, n: games.length }));
  rows.push(element("tr", { class: "rounding" }, element("td", { colspan: COLUMNS.length }, words.join(" "))));

  return element("tfoot", {}, rows);
}

function total(name, how, text) {
  return element(
    "tr",
    {},
    element("th", { scope: "row", class: "player", colspan: 3 }, name),
    element("td", { class: "how", colspan: 3 }, how),
    element("td", { class: "change" }, change(text)),
    element("td", { class: "article" }, ""),
  );
}

