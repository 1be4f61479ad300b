// ?view=card&player=ID: one player's live rating, what changed it, and the period's games as a row of pips.

import { element, hundredths, isCorrection } from "./figures.js";
import { ask } from "./frame.js";
import { Line } from "./line.js";
import { coalesced, flash, gain, liveFigure, who } from "./scene_parts.js";
import { t } from "./texts.js";

const CONTROLS = ["standard", "rapid", "blitz"];
const PIPS = 14;

export function card(stage) {
  const id = stage.asked.get("player");
  if (!id) return false;
  const wanted = stage.asked.get("time_control");
  let before = null;

  const show = (view) => {
    if (!view) return stage.draw();
    const control = CONTROLS.includes(wanted) ? wanted : (CONTROLS.find((one) => view[one]?.pending_games) ?? CONTROLS.find((one) => view[one]));
    const figures = view[control];
    if (!figures) return stage.draw();
    stage.draw(drawn(view, figures, control));
    if (before && figures.live && before !== figures.live) {
      const corrected = isCorrection(view.cause?.kind);
      flash(stage.part(".card"), corrected ? "corrected" : hundredths(figures.live) > hundredths(before) ? "up" : "down");
    }
    before = figures.live;
  };
  const refresh = coalesced(async () => {
    const { status, body } = await ask(`/v1/players/${encodeURIComponent(id)}`);
    if (status === 200) show(body);
  });
  const line = new Line({
    events: { snapshot: ({ players }) => show(players[0]), "live-rating": refresh, "rated-game": refresh, "published-rating": refresh },
    onState: stage.heard,
  });
  line.connect(`/v1/stream?${new URLSearchParams({ players: id })}`);
  return true;
}

function drawn(view, figures, control) {
  const corrected = isCorrection(view.cause?.kind) && view.changed.includes(control);
  const games = view.games.filter((game) => game.time_control === control && game.points !== null);
  const facts = [
    figures.rank ? `#${figures.rank}` : null,
    figures.predicted ? `${t("next_list")} ${figures.predicted}` : null,
    control === "standard" ? null : t(control),
  ].filter(Boolean);
  const ongoing = view.refused_games.some((game) => game.refusal === "ongoing" && game.time_control === control);
  return element(
    "section",
    { class: "card" },
    element("div", { class: "said" }, who(view), element("p", { class: "facts" }, facts.map((fact) => element("span", {}, fact)))),
    element("div", { class: "figures" }, liveFigure(figures), gain(figures, corrected)),
    games.length || ongoing ? element("ol", { class: "pips" }, games.slice(-PIPS).map(pip), ongoing ? element("li", { class: "now" }) : null) : null,
  );
}

function pip(game) {
  const value = hundredths(game.points);
  return element("li", { class: value >= 100 ? "won" : value > 0 ? "drawn" : "lost" });
}
