// The live list: one row a player, moved in place as the stream tells of changes.

import { cause, change, decimal, direction, element, hundredths, movement } from "./figures.js";
import { Line } from "./line.js";
import { followTheme } from "./theme.js";

const CONTROLS = ["standard", "rapid", "blitz"];
const SAY_MS = 1_000;
const REFRESH_MS = 1_000;

const byId = (id) => document.getElementById(id);
const table = byId("list");
const rows = byId("rows");
const empty = byId("empty");
const latest = byId("latest");
const still = matchMedia("(prefers-reduced-motion: reduce)");

const asked = new URLSearchParams(location.search);
let control = CONTROLS.includes(asked.get("time_control")) ? asked.get("time_control") : "standard";
const limit = Math.min(1000, Math.max(1, Number.parseInt(asked.get("limit"), 10) || 100));
const federation = /^[A-Z]{3}$/.test(asked.get("federation") ?? "") ? asked.get("federation") : null;

let sayTimer = null;
let sentence = null;
let refreshTimer = null;

/** player id -> {data, row, score, base}: base is the rank in the published list. */
const shown = new Map();

const line = new Line({
  indicator: byId("fresh"),
  text: byId("age"),
  events: {
    snapshot: (data) => showAll(data.live_ratings[0].players),
    "live-rating": take,
    "published-rating": take,
  },
});

function start() {
  for (const link of byId("switch").children) {
    if (link.dataset.control === control) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `Live ratings, ${control} · Elowire`;
  line.connect(`/v1/stream?${filters()}`);
}

function filters() {
  const chosen = new URLSearchParams({ time_control: control, limit });
  if (federation) chosen.set("federation", federation);
  return chosen;
}

byId("switch").addEventListener("click", (event) => {
  const chosen = event.target.closest("a")?.dataset.control;
  if (!chosen || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  if (chosen === control) return;
  control = chosen;
  asked.set("time_control", control);
  history.replaceState(null, "", `?${asked}`);
  shown.clear();
  rows.replaceChildren();
  latest.replaceChildren();
  sentence = null;
  start();
});

function showAll(players) {
  const kept = new Set(players.map((player) => player.player_id));
  for (const [id, { row }] of shown) {
    if (!kept.has(id)) {
      row.remove();
      shown.delete(id);
    }
  }
  const tinted = [];
  for (const player of players) {
    const before = shown.get(player.player_id);
    if (before && before.data.live !== player.live) tinted.push([player, before.score]);
    put(player);
  }
  arrange();
  for (const [player, score] of tinted) tint(player.player_id, score);
}

function take(event) {
  const figures = event[control];
  if (!figures || (event.changed.length && !event.changed.includes(control))) return;
  const { player_id, name, title, version } = event;
  const before = shown.get(player_id);
  if (before && before.data.version > version) return;
  if (figures.rank === null || (!before && figures.rank > limit)) {
    if (before) refreshSoon();
    return;
  }
  put({ player_id, name, title, version, federation: event.federation, ...figures, cause: event.cause });
  arrange();
  tint(player_id, before?.score ?? null, event.cause?.kind);
  say(event, figures);
  // Ranks of a filtered list are the world's, and a new list moves every base: the server knows them.
  if (federation || event.cause?.kind === "list" || !event.cause || shown.get(player_id)?.rank !== figures.rank) {
    refreshSoon();
  }
}

function put(data) {
  const before = shown.get(data.player_id);
  const row = before?.row ?? element("tr");
  shown.set(data.player_id, {
    data,
    row,
    rank: data.rank,
    base: data.rank + data.rank_change,
    score: data.published.rating * 100 + hundredths(data.change),
  });
  row.replaceChildren(...cells(data));
}

function cells(data) {
  const corrected = ["correction", "annulment"].includes(data.cause?.kind);
  const moved = () =>
    data.pending_games || hundredths(data.change)
      ? change(data.change, corrected)
      : element("span", { class: "level" }, "–");
  const name = element("span", { class: "name" }, data.name ?? data.player_id);
  if (data.title) name.prepend(element("span", { class: "title" }, data.title));
  const brief = [`${data.published.rating} → ${data.predicted}`, data.federation];
  if (data.pending_games) brief.push(data.pending_games === 1 ? "1 game" : `${data.pending_games} games`);
  return [
    ...places(data.rank, data.rank_change),
    element(
      "th",
      { class: "player", scope: "row" },
      element(
        "span",
        { class: "who" },
        element("span", { class: "federation" }, data.federation ?? ""),
        name,
        element("span", { class: "brief" }, brief.filter(Boolean).join(" · ")),
      ),
    ),
    element("td", { class: "published" }, String(data.published.rating)),
    element("td", { class: "live" }, decimal(data.live), element("span", { class: "brief" }, moved())),
    element("td", { class: "change" }, moved()),
    element("td", { class: "next" }, String(data.predicted)),
    element("td", { class: "games" }, data.pending_games ? String(data.pending_games) : ""),
  ];
}

function places(rank, gained) {
  return [
    element("td", { class: "rank" }, String(rank), element("span", { class: "brief" }, movement(gained))),
    element("td", { class: "move" }, movement(gained)),
  ];
}

// Sorts, ranks (equal scores share a rank), and slides each row from where it was.
function arrange() {
  const order = [...shown.values()].sort(
    (a, b) =>
      b.score - a.score ||
      b.data.published.rating - a.data.published.rating ||
      (a.data.name ?? a.data.player_id).localeCompare(b.data.name ?? b.data.player_id),
  );
  for (const { row, data } of order.splice(limit)) {
    row.remove();
    shown.delete(data.player_id);
  }
  const tops = still.matches ? null : new Map(order.map(({ row }) => [row, row.isConnected ? row.offsetTop : null]));
  let rank = 0;
  order.forEach((entry, index) => {
    if (!federation) {
      if (index === 0 || order[index - 1].score !== entry.score) rank = index + 1;
      if (rank !== entry.rank) {
        entry.rank = rank;
        const [place, move] = entry.row.children;
        const [newPlace, newMove] = places(rank, entry.base - rank);
        place.replaceWith(newPlace);
        move.replaceWith(newMove);
      }
    }
    if (rows.children[index] !== entry.row) rows.insertBefore(entry.row, rows.children[index] ?? null);
  });
  table.hidden = order.length === 0;
  empty.hidden = order.length > 0;
  if (order.length === 0) showEmpty();
  if (tops) slide(tops);
}

function slide(tops) {
  const moves = [...tops].map(([row, top]) => [row, top === null ? 0 : top - row.offsetTop]);
  for (const [row, distance] of moves) {
    if (distance) {
      row.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], {
        duration: 700,
        easing: "cubic-bezier(.2, .8, .2, 1)",
      });
    }
  }
}

function tint(id, scoreBefore, kind) {
  const entry = shown.get(id);
  if (!entry || (scoreBefore === entry.score && !kind)) return;
  const way = ["correction", "annulment"].includes(kind) ? "corrected" : scoreBefore === null || entry.score >= scoreBefore ? "up" : "down";
  const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${way}-tint`);
  entry.row.animate([{ backgroundColor: colour }, { backgroundColor: colour, offset: 0.35 }, { backgroundColor: "transparent" }], {
    duration: 2_000,
    easing: "ease-out",
  });
}

// One sentence a second at most: a listener is told the newest change, not a backlog.
function say(event, figures) {
  const before = figures.previous?.live;
  const step = before ? ((hundredths(figures.live) - hundredths(before)) / 100).toFixed(1) : null;
  const step_text = step === null || direction(step) === "level" ? null : change(step, false);
  const why = cause(event);
  sentence = [element("b", {}, event.name ?? event.player_id), " live ", element("b", {}, figures.live)];
  if (step_text) sentence.push(" ", step_text);
  if (why) sentence.push(`, ${why}`);
  if (sayTimer) return;
  latest.replaceChildren(...sentence);
  sentence = null;
  sayTimer = setTimeout(sayPending, SAY_MS);
}

function sayPending() {
  sayTimer = null;
  if (!sentence) return;
  latest.replaceChildren(...sentence);
  sentence = null;
  sayTimer = setTimeout(sayPending, SAY_MS);
}

function refreshSoon() {
  refreshTimer ??= setTimeout(async () => {
    refreshTimer = null;
    const of = control;
    try {
      const answer = await fetch(`/v1/live-ratings?${filters()}`);
      if (answer.ok && of === control) showAll((await answer.json()).players);
    } catch {
      // The stream's own reconnection brings a snapshot.
    }
  }, REFRESH_MS);
}

function showEmpty() {
  empty.replaceChildren(
    ...(federation
      ? [`No player of ${federation} has a ${control} rating here yet.`]
      : [
          `No ${control} rating is known yet. Load a rating list or send a result, for example with `,
          element("code", {}, "elowire feed results.csv"),
          "; the list fills by itself.",
        ]),
  );
}

followTheme(byId("theme"));
start();
