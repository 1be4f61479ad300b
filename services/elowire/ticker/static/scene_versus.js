// ?view=versus&game=ID: both players, live, and while they play what a win, a draw and a loss would bring; then what the game has brought.

import { change, decimal, element, hundredths, pencil, pieces, points, refusal } from "./figures.js";
import { ask } from "./frame.js";
import { Line } from "./line.js";
import { brought, coalesced, fit, flash, gain, liveFigure, who } from "./scene_parts.js";
import { t } from "./texts.js";

const RESULTS = ["win", "draw", "loss"];
const ASK_AGAIN_MS = 5_000;

export function versus(stage) {
  const id = stage.asked.get("game");
  if (!id) return false;
  const tournament = stage.asked.get("tournament");
  const address = `/v1/games/${encodeURIComponent(id)}${tournament ? `?${new URLSearchParams({ tournament })}` : ""}`;
  let before = null;

  const read = async () => {
    const { status, body } = await ask(address);
    if (status !== 200) {
      if (status === 404 || status === 409) stage.draw();
      return null;
    }
    const picture = drawn(body);
    stage.draw(picture);
    for (const name of picture.querySelectorAll(".name")) fit(name);
    const now = body.players.map(({ figures }) => figures?.live).join();
    if (before && before !== now) flash(stage.part(".versus"), body.state === "played" ? "up" : "corrected");
    before = now;
    return body;
  };
  const refresh = coalesced(read);
  const line = new Line({
    events: { snapshot: refresh, "live-rating": refresh, "rated-game": refresh, "published-rating": refresh },
    onState: stage.heard,
  });
  const begin = async () => {
    const game = await read().catch(() => null);
    if (game === null) return setTimeout(begin, ASK_AGAIN_MS);
    line.connect(`/v1/stream?${new URLSearchParams({ tournament: game.tournament_id })}`);
  };
  begin();
  return true;
}

function drawn(game) {
  const [one, other] = seats(game.players);
  const ongoing = game.state === "ongoing";
  return element(
    "section",
    { class: `versus ${ongoing ? "ongoing" : ""}` },
    one ? side(one, "one", ongoing) : nobody("one"),
    element(
      "div",
      { class: "middle" },
      element("p", { class: "event" }, game.tournament?.name ?? game.tournament_id),
      element("p", { class: "score" }, ...score(game, one, other)),
      element("p", { class: "facts" }, game.round ? t("round_n", { n: game.round }) : ""),
    ),
    other ? side(other, "other", ongoing) : nobody("other"),
  );
}

// White is on the left also while it is not known who that is.
function seats([known, met = null]) {
  return met === null && known.side?.colour === "black" ? [null, known] : [known, met];
}

function nobody(kind) {
  return element("div", { class: `side ${kind}` });
}

function score(game, one, other) {
  if (game.state === "ongoing") return [element("span", { class: "playing" }, t("playing"))];
  if (game.state !== "played") return [element("span", { class: "soft" }, refusal(game.state))];
  const corrected = game.players.some(({ side }) => side.corrected);
  const told = [one, other].map((player) => (player ? points(player.side.points) : ""));
  return [corrected ? pencil() : null, told.join(" – ")].filter(Boolean);
}

function side(player, kind, ongoing) {
  const { figures, what_if: then } = player;
  return element(
    "div",
    { class: `side ${kind}` },
    who(player, pieces(player.side?.colour)),
    element("div", { class: "figures" }, liveFigure(figures), ongoing ? gain(figures, Boolean(player.side?.corrected)) : brought(player.side)),
    ongoing && then && !then.refusal ? element("div", { class: "results" }, RESULTS.map((result) => outcome(result, then[result]))) : null,
  );
}

function outcome(result, said) {
  const step = said.initial
    ? element("b", {}, `≈ ${said.initial.ru ?? "–"}`)
    : element("b", {}, hundredths(said.change) ? change(said.change) : "±0");
  return element(
    "div",
    { class: result },
    element("span", { class: "label" }, t(result)),
    step,
    element("span", { class: "then" }, said.live ? decimal(said.live) : ""),
  );
}
