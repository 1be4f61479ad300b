// The tournaments of which lines are known, those that changed last first.

import { age, element, tournamentAddress } from "./figures.js";
import { ask, frame } from "./frame.js";
import { Line } from "./line.js";
import { monthOf, t } from "./texts.js";
import { days, stateChip } from "./tournament_facts.js";

const REFRESH_MS = 2_000;

const byId = (id) => document.getElementById(id);
let refreshTimer = null;

const line = new Line({ ...frame(), events: { snapshot: show, "tournament-rating": soon } });

function soon() {
  refreshTimer ??= setTimeout(() => {
    refreshTimer = null;
    show();
  }, REFRESH_MS);
}

async function show() {
  const { status, body } = await ask("/v1/tournaments?limit=200").catch(() => ({ status: 0 }));
  if (status !== 200) return;
  byId("empty").hidden = body.tournaments.length > 0;
  byId("empty").textContent = t("no_tournaments");
  byId("tournaments").replaceChildren(...body.tournaments.map(card));
}

function card(one) {
  const facts = [days(one), one.time_control ? t(one.time_control) : null, t("n_players", { n: one.entrants }), one.rated_in ? t("goes_into", { list: monthOf(one.rated_in) }) : null];
  return element(
    "li",
    { class: "sheet" },
    element(
      "a",
      { href: tournamentAddress(one.tournament_id) },
      element("span", { class: "name" }, one.name ?? one.tournament_id),
      element("span", { class: "soft" }, facts.filter(Boolean).join(" · ")),
    ),
    element("span", { class: "aside" }, stateChip(one.status), element("span", { class: "soft" }, age(Date.now() - one.changed_at))),
  );
}

line.connect("/v1/stream?limit=1&time_control=standard");
