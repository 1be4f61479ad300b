// One player: four figures, the period's chart, every pending game, and what if.

import { outline } from "./chart.js";
import { cause, change, decimal, element, federation, hundredths, isCorrection } from "./figures.js";
import { star } from "./follow.js";
import { Announcer, ask, frame, tint } from "./frame.js";
import { gamesTable } from "./games.js";
import { Line } from "./line.js";
import { monthOf, t } from "./texts.js";
import { WhatIf } from "./whatif.js";

const CONTROLS = ["standard", "rapid", "blitz"];
const REFRESH_MS = 400;

const byId = (id) => document.getElementById(id);
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const asked = new URLSearchParams(location.search);
const announcer = new Announcer(byId("latest"));
const whatIf = new WhatIf(id, byId("what-if"));
let view = null;
let refreshTimer = null;

const line = new Line({
  ...frame(),
  events: { snapshot, "live-rating": take, "published-rating": refreshSoon, "rated-game": refreshSoon, "tournament-rating": refreshSoon },
});

function control() {
  const wanted = asked.get("time_control");
  if (CONTROLS.includes(wanted) && view?.[wanted]) return wanted;
  const playing = CONTROLS.find((one) => view?.[one]?.pending_games);
  return playing ?? CONTROLS.find((one) => view?.[one]) ?? "standard";
}

function snapshot(data) {
  announcer.clear();
  show(data.players?.[0] ?? null);
}

function take(event) {
  const why = cause(event);
  const figures = event[control()];
  announcer.say(element("b", {}, t("said", { name: event.name ?? id, live: figures?.live ?? t("unrated") })), why ? `, ${why}` : "");
  refreshSoon(event);
}

function refreshSoon(event) {
  refreshTimer ??= setTimeout(async () => {
    refreshTimer = null;
    try {
      const { status, body } = await ask(`/v1/players/${encodeURIComponent(id)}`);
      if (status === 200) show(body, event);
    } catch {
      // The stream's own reconnection brings a snapshot.
    }
  }, REFRESH_MS);
}

function show(next, event = null) {
  const before = view?.[control()]?.live;
  view = next;
  const known = view !== null;
  byId("head").hidden = false;
  for (const part of ["switch", "figures", "period", "what-if"]) byId(part).hidden = !known;
  byId("empty").hidden = known;
  if (!known) {
    byId("name").textContent = id;
    byId("empty").replaceChildren(t("unknown_player", { id }), element("br"), element("a", { href: "/" }, t("back_to_list")));
    return;
  }
  showHead();
  showFigures();
  showGames();
  whatIf.show(control(), view);
  const after = view[control()]?.live;
  if (before && after && before !== after) {
    const corrected = isCorrection(event?.cause?.kind);
    tint(byId("figures"), corrected ? "corrected" : hundredths(after) >= hundredths(before) ? "up" : "down");
  }
}

function showHead() {
  const name = view.name ?? id;
  document.title = `${name} · Elowire`;
  byId("name").replaceChildren(name);
  byId("whose").replaceChildren(
    ...[view.title ? element("b", {}, view.title) : null, view.federation ? federation(view.federation) : null, element("span", {}, id)].filter(Boolean),
    star(id, name),
  );
  byId("switch").replaceChildren(
    ...CONTROLS.filter((one) => view[one]).map((one) =>
      element(
        "a",
        { href: `?time_control=${one}`, "data-control": one, "aria-current": one === control() ? "page" : null },
        `${t(one)} `,
        element("span", { class: "tab-figure" }, view[one].live ?? "–"),
      ),
    ),
  );
}

function showFigures() {
  const figures = view[control()];
  const parts = !figures ? [] : figures.status === "rated" ? rated(figures) : unrated(figures);
  byId("figures").replaceChildren(...parts);
  byId("figures").hidden = parts.length === 0;
}

function rated(figures) {
  const { published, rank } = figures;
  const corrected = isCorrection(view.cause?.kind) && view.changed.includes(control());
  return [
    figure(published.list ? t("published_in", { list: monthOf(published.list) }) : t("published"), String(published.rating), `K ${figures.k_used ?? "–"}`),
    figure(t("live"), decimal(figures.live), rank ? t("rank_is", { n: rank }) : null, "main"),
    figure(t("change"), hundredths(figures.change) ? change(figures.change, corrected) : "–", t("n_games", { n: figures.pending_games })),
    figure(t("next_list"), String(figures.predicted), t("next_list_hint")),
  ];
}

function unrated({ initial }) {
  if (!initial) return [figure(t("live"), t("unrated"), null, "main")];
  const missing = Math.max(0, 5 - initial.games);
  const needs = initial.publishable ? t("first_rating_ready") : missing ? t("first_rating_needs", { n: missing }) : null;
  return [
    figure(t("first_rating"), initial.ru === null ? "–" : element("span", { class: "provisional" }, `≈ ${initial.ru}`), needs, "main"),
    figure(t("points"), initial.points, t("n_games", { n: initial.games })),
    figure(t("average_opponents"), initial.ra === null ? "–" : decimal(initial.ra), null),
    figure(t("state"), initial.provisional ? t("not_final") : t("final"), initial.provisional ? t("first_rating_provisional") : null),
  ];
}

function figure(name, value, below, kind = "") {
  return element(
    "div",
    { class: `figure ${kind}` },
    element("p", { class: "label" }, name),
    element("p", { class: "value" }, value),
    element("p", { class: "note" }, below ?? ""),
  );
}

function showGames() {
  const of = (games) => games.filter((game) => !game.time_control || game.time_control === control());
  const figures = view[control()] ?? null;
  const counted = of(view.games);
  const chart = byId("chart");
  chart.hidden = counted.filter((game) => game.change !== null).length < 2;
  if (!chart.hidden) chart.replaceChildren(outline(figures, counted, Math.max(300, chart.clientWidth - 8)));
  byId("games").replaceChildren(gamesTable(figures, counted, of(view.refused_games), of(view.annulled_games), view.tournaments));
}

byId("switch").addEventListener("click", (event) => {
  const wanted = event.target.closest("a")?.dataset.control;
  if (!wanted || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  asked.set("time_control", wanted);
  history.replaceState(null, "", `?${asked}`);
  show(view);
});

line.connect(`/v1/stream?${new URLSearchParams({ players: id })}`);
