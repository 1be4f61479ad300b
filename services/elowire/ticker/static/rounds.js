// Rounds with results as they come, the newest first.

import { change, element, pencil, person, pieces, points, refusal } from "./figures.js";
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
  const [known, met = null] = game.sides;
  // White is on the left also while it is not known who that is.
  const [one, other] = met === null && known.colour === "black" ? [null, known] : [known, met];
  const why = known.refusal ?? met?.refusal ?? null;
  const ongoing = why === "ongoing";
  const corrected = known.corrected ?? met?.corrected;
  const score = ongoing
    ? element("span", { class: "playing" }, t("playing"))
    : element("b", {}, corrected ? pencil() : null, `${one ? points(one.points) : ""} – ${other ? points(other.points) : ""}`);
  const annulled = known.status === "annulled";
  return element(
    "li",
    { class: annulled ? "annulled" : "" },
    one ? side(one, "one") : nobody(known, "one"),
    element("span", { class: "score" }, score, why && !ongoing ? element("span", { class: "soft small" }, refusal(why)) : null),
    other ? side(other, "other") : nobody(known, "other"),
  );
}

function nobody(met, kind) {
  return element("span", { class: `side ${kind} soft` }, met.opponent_id ? "" : t("against_nobody"));
}

function side(data, kind) {
  const gained = data.change === null || data.refusal ? null : change(data.change);
  return element("span", { class: `side ${kind}`, "data-player": data.player_id }, element("span", {}, pieces(data.colour), person(data)), element("span", { class: "gained" }, gained ?? ""));
}
