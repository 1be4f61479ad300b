// One tournament: standings, crosstable and rounds, as results come.

import { cause, element, hundredths, isCorrection } from "./figures.js";
import { Announcer, ask, frame, tint } from "./frame.js";
import { crosstable } from "./crosstable.js";
import { Line } from "./line.js";
import { roundsView } from "./rounds.js";
import { standings } from "./standings.js";
import { monthOf, t } from "./texts.js";
import { days, stateChip } from "./tournament_facts.js";

const VIEWS = { standings, crosstable, rounds: roundsView };
const REFRESH_MS = 400;

const byId = (id) => document.getElementById(id);
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const asked = new URLSearchParams(location.search);
const announcer = new Announcer(byId("latest"));
/** player id -> up, down or corrected: what has changed since the view was drawn. */
const changed = new Map();
let data = null;
let refreshTimer = null;

const line = new Line({
  ...frame(),
  events: {
    snapshot: ({ tournament }) => {
      announcer.clear();
      show(tournament);
    },
    "live-rating": take,
    "rated-game": soon,
    "tournament-rating": soon,
    tournament: soon,
  },
});

const view = () => (Object.hasOwn(VIEWS, asked.get("view")) ? asked.get("view") : "standings");

function take(event) {
  const control = event.changed[0];
  const figures = event[control];
  const before = figures?.previous?.live;
  const way = isCorrection(event.cause?.kind) ? "corrected" : before && hundredths(figures.live) < hundredths(before) ? "down" : "up";
  changed.set(event.player_id, way);
  const why = cause(event);
  announcer.say(
    element("b", {}, t("said", { name: event.name ?? event.player_id, live: figures?.live ?? t("unrated") })),
    why ? `, ${why}` : "",
  );
  soon();
}

function soon() {
  refreshTimer ??= setTimeout(async () => {
    refreshTimer = null;
    try {
      const { status, body } = await ask(`/v1/tournaments/${encodeURIComponent(id)}`);
      if (status === 200) show(body);
    } catch {
      // The stream's own reconnection brings a snapshot.
    }
  }, REFRESH_MS);
}

function show(next) {
  data = next;
  byId("head").hidden = false;
  byId("switch").hidden = byId("view").hidden = data === null;
  byId("empty").hidden = data !== null && data.lines.length > 0;
  if (data === null) {
    byId("name").textContent = id;
    byId("empty").replaceChildren(t("unknown_tournament", { id }), element("br"), element("a", { href: "/tournaments" }, t("tournaments")));
    return;
  }
  byId("empty").textContent = t("no_lines");
  showHead();
  draw();
}

function showHead() {
  const name = data.name ?? id;
  document.title = `${name} · Elowire`;
  byId("name").textContent = name;
  const facts = [
    days(data),
    data.time_control ? t(data.time_control) : null,
    data.rounds ? t("n_rounds", { n: data.rounds }) : null,
    data.rated === false ? t("not_rated") : data.rated_in ? t("goes_into", { list: monthOf(data.rated_in) }) : null,
  ];
  byId("facts").replaceChildren(...[stateChip(data.status), element("span", {}, facts.filter(Boolean).join(" · "))].filter(Boolean));
}

function draw() {
  for (const link of byId("switch").children) {
    if (link.dataset.view === view()) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const place = byId("view");
  const before = new Map([...place.querySelectorAll("tr[data-player]")].map((row) => [row.dataset.player, row.getBoundingClientRect().top + scrollY]));
  place.replaceChildren(...VIEWS[view()](data));
  for (const row of place.querySelectorAll("[data-player]")) {
    moveFrom(row, before.get(row.dataset.player));
    if (changed.has(row.dataset.player)) tint(row, changed.get(row.dataset.player));
  }
  changed.clear();
}

function moveFrom(row, top) {
  if (top === undefined || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const distance = top - (row.getBoundingClientRect().top + scrollY);
  if (Math.abs(distance) < 1) return;
  row.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], { duration: 700, easing: "cubic-bezier(.2, .8, .2, 1)" });
}

byId("switch").addEventListener("click", (event) => {
  const wanted = event.target.closest("a")?.dataset.view;
  if (!wanted || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  asked.set("view", wanted);
  history.replaceState(null, "", `?${asked}`);
  draw();
});

line.connect(`/v1/stream?${new URLSearchParams({ tournament: id })}`);
