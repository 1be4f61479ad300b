// The period as a line: the live rating after each game, over the published one.

import { hundredths, tenthsText } from "./figures.js";
import { t } from "./texts.js";

const HEIGHT = 180;
const SIDE = 28;
const TOP = 26;
const SVG = "http://www.w3.org/2000/svg";

export function outline(figures, games, width) {
  const base = figures.published ? figures.published.rating * 100 : 0;
  let sum = base;
  const scores = [base];
  for (const game of games) if (game.change !== null) scores.push((sum += hundredths(game.change)));
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const span = Math.max(high - low, 100);
  const x = (at) => SIDE + (at * (width - 2 * SIDE)) / (scores.length - 1);
  const y = (score) => TOP + ((high - score) * (HEIGHT - 2 * TOP)) / span;
  const way = sum > base ? "up" : sum < base ? "down" : "level";

  const svg = node("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: "img",
    class: way,
    "aria-label": t("chart_label", { n: scores.length - 1, from: tenthsText(base), to: tenthsText(sum) }),
  });
  const path = scores.map((score, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(score).toFixed(1)}`).join("");
  svg.append(
    node("path", { class: "area", d: `${path}L${x(scores.length - 1)} ${y(base)}L${x(0)} ${y(base)}Z` }),
    node("line", { class: "base", x1: SIDE, x2: width - SIDE, y1: y(base), y2: y(base) }),
    node("path", { class: "line", d: path }),
  );
  scores.forEach((score, at) => {
    const last = at === scores.length - 1;
    const point = node("circle", { class: last ? "now" : "point", cx: x(at), cy: y(score), r: last ? 6 : 3.5 });
    const label = node("title");
    label.textContent = at ? `${games[at - 1].opponent_name ?? games[at - 1].opponent_id ?? ""}: ${tenthsText(score)}` : tenthsText(score);
    point.append(label);
    svg.append(point);
  });
  svg.append(words(x(0), y(base) + (way === "down" ? -10 : 20), "start", tenthsText(base)));
  // On the side that the line does not come from.
  const below = scores.at(-2) > sum;
  svg.append(words(x(scores.length - 1), y(sum) + (below ? 22 : -14), "end", tenthsText(sum)));

  return svg;
}

function words(x, y, anchor, text) {
  const made = node("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

function node(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
