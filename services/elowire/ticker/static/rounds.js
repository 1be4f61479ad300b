// Rounds with results as they come, the newest first.

import { change, element, pencil, person, points, refusal } from "./figures.js";
import { t } from "./texts.js";

export function roundsView({ games, lines }) {
  if (games.length === 0) return [element("p", { class: "empty" }, t(lines.length ? "games_settled" : "no_lines"))];
  const rounds = new Map();
  for (const game of games) {
    const round = game.sides[0]?.round ?? 0;
    if (!rounds.has(round)) rounds.set(round, []);
    rounds.get(round).push(game);
  }
  return [...rounds]
    .sort(([a], [b]) => b - a)
    .map(([round, played]) =>
      element(
        "section",
        { class: "round" },
        element("h2", {}, round ? t("round_n", { n: round }) : t("round_unknown")),
        element("ul", { class: "sheet pairs" }, played.map(pair)),
      ),
    );
}

function pair(game) {
  const [one, other] = game.sides;
  const why = one.refusal ?? other?.refusal ?? null;
  const ongoing = why === "ongoing";
  const corrected = one.corrected ?? other?.corrected;
  const score = ongoing
    ? element("span", { class: "playing" }, t("playing"))
    : element("b", {}, corrected ? pencil() : null, `${points(one.points)} – ${other ? points(other.points) : ""}`);
  const annulled = one.status === "annulled";
  return element(
    "li",
    { class: annulled ? "annulled" : "" },
    side(one, "one"),
    element("span", { class: "score" }, score, why && !ongoing ? element("span", { class: "soft small" }, refusal(why)) : null),
    other ? side(other, "other") : element("span", { class: "side other soft" }, one.opponent_id ? "" : t("against_nobody")),
  );
}

function side(data, kind) {
  const gained = data.change === null || data.refusal ? null : change(data.change);
  return element("span", { class: `side ${kind}`, "data-player": data.player_id }, person(data), element("span", { class: "gained" }, gained ?? ""));
}
