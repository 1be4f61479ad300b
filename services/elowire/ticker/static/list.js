// The live list: filters in the address, rows moved in place as the stream tells of changes.

import { cause, change, decimalText, element, stepOf } from "./figures.js";
import { followed } from "./follow.js";
import { Announcer, ask, frame } from "./frame.js";
import { Line } from "./line.js";
import { Rows } from "./rows.js";
import { t } from "./texts.js";

const CONTROLS = ["standard", "rapid", "blitz"];
const CHOICES = ["federation", "title", "age", "sex"];
const REFRESH_MS = 1_000;
const TYPING_MS = 250;
const STEP = 100;
const MOST = 1_000;

const byId = (id) => document.getElementById(id);
const form = byId("filters");
const empty = byId("empty");
const asked = new URLSearchParams(location.search);
const rows = new Rows(byId("rows"), () => asked.has("followed") && start());
const announcer = new Announcer(byId("latest"));
let refreshTimer = null;
let typing = null;

const line = new Line({
  ...frame(),
  events: { snapshot, "live-rating": take, "published-rating": take },
});

const control = () => (CONTROLS.includes(asked.get("time_control")) ? asked.get("time_control") : "standard");
const limit = () => Math.min(MOST, Math.max(1, Number.parseInt(asked.get("limit"), 10) || STEP));
const chosen = () => CHOICES.filter((name) => asked.get(name));
const searching = () => (asked.get("search") ?? "").trim();

function start() {
  for (const link of byId("switch").children) {
    if (link.dataset.control === control()) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${t("live_ratings")}, ${t(control())} · Elowire`;
  byId("followed").setAttribute("aria-pressed", String(asked.has("followed")));
  byId("clear").hidden = !(chosen().length || searching() || asked.has("followed"));
  rows.clear();
  rows.limit = limit();
  rows.filtered = Boolean(chosen().length || searching() || asked.has("followed"));
  announcer.clear();
  showState(t("loading"));
  if (asked.has("followed") && followed().length === 0) {
    line.connect(`/v1/stream?${new URLSearchParams({ time_control: control(), limit: 1, players: "-" })}`);
    showState(t("empty_followed"));
    return;
  }
  line.connect(`/v1/stream?${filters()}`);
}

function filters() {
  const query = new URLSearchParams({ time_control: control(), limit: limit() });
  for (const name of chosen()) query.set(name, asked.get(name));
  if (asked.has("followed")) query.set("players", followed().join(","));
  return query;
}

function choose(name, value) {
  if (value) asked.set(name, value);
  else asked.delete(name);
  history.replaceState(null, "", asked.size ? `?${asked}` : location.pathname);
  start();
}

function snapshot(data) {
  announcer.clear();
  if (searching()) search();
  else showAll(data.live_ratings ? data.live_ratings[0].players : (data.players ?? []).map(asRow).filter(Boolean));
}

function asRow(view) {
  const figures = view[control()];
  if (!figures) return null;
  const { player_id, name, title, version, federation, cause: why } = view;
  return { player_id, name, title, version, federation, cause: why, ...figures };
}

function showAll(players) {
  rows.showAll(players);
  showState();
  byId("more").hidden = searching() !== "" || asked.has("followed") || players.length < limit() || limit() >= MOST;
}

function take(event) {
  const figures = event[control()];
  if (!figures || (event.changed.length && !event.changed.includes(control()))) return;
  const before = rows.get(event.player_id);
  if (before && before.data.version > event.version) return;
  // Whether somebody new belongs to a chosen part of the list is the server's to say.
  const unsure = !before && rows.filtered && !asked.has("followed");
  if (unsure || figures.rank === null || (!before && !rows.filtered && figures.rank > limit())) {
    // Without any list nobody has a place in the world, and the server alone knows who comes where.
    if ((unsure && !searching()) || before || (figures.rank === null && figures.live)) refreshSoon();
    return;
  }
  rows.take(asRow(event));
  showState();
  say(event, figures, before?.data);
  // Ranks of a filtered list are the world's, and a new list moves every base: the server knows them.
  if (rows.filtered || event.cause?.kind === "list" || !event.cause || rows.get(event.player_id)?.rank !== figures.rank) {
    refreshSoon();
  }
}

function say(event, figures, before) {
  const step = stepOf(event, figures, before);
  const why = cause(event);
  announcer.say(
    element("b", {}, t("said", { name: event.name ?? event.player_id, live: figures.live })),
    ...(step ? [" ", change(decimalText(step))] : []),
    why ? `, ${why}` : "",
  );
}

function refreshSoon() {
  refreshTimer ??= setTimeout(async () => {
    refreshTimer = null;
    const of = asked.toString();
    try {
      if (searching()) return search();
      if (asked.has("followed")) return;
      const { status, body } = await ask(`/v1/live-ratings?${filters()}`);
      if (status === 200 && of === asked.toString()) showAll(body.players);
    } catch {
      // The stream's own reconnection brings a snapshot.
    }
  }, REFRESH_MS);
}

async function search() {
  const words = searching();
  if (words.length < 2) return;
  const query = new URLSearchParams({ search: words, time_control: control(), limit: 50 });
  try {
    const { status, body } = await ask(`/v1/players?${query}`);
    if (status === 200 && words === searching()) showAll(body.players);
  } catch {
    // The stream's own reconnection asks again.
  }
}

function showState(sentence = null) {
  byId("list").hidden = rows.size === 0;
  empty.hidden = rows.size > 0;
  if (rows.size > 0) return;
  if (sentence) empty.textContent = sentence;
  else if (asked.has("followed")) empty.textContent = t("empty_followed");
  else if (searching()) empty.textContent = t("empty_search", { words: searching() });
  else empty.textContent = chosen().length ? t("empty_filter") : t("empty_list", { control: t(control()) });
}

async function offerFacets() {
  const { status, body } = await ask("/v1/facets");
  if (status !== 200) return;
  const offer = (name, options) => {
    const select = form.elements[name];
    for (const [value, text] of options) select.add(new Option(text, value));
    select.hidden = options.length === 0;
    select.value = asked.get(name) ?? "";
  };
  offer("federation", Object.keys(body.federations).map((code) => [code, code]));
  offer("title", Object.keys(body.titles).map((title) => [title, title]));
  offer("age", body.ages.map((group) => [group, t(group[0] === "u" ? "age_under" : "age_over", { n: group.slice(1) })]));
  offer("sex", body.sexes.map((sex) => [sex, t(`sex_${sex}`)]));
}

byId("switch").addEventListener("click", (event) => {
  const wanted = event.target.closest("a")?.dataset.control;
  if (!wanted || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  if (wanted !== control()) choose("time_control", wanted);
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", ({ target }) => CHOICES.includes(target.name) && choose(target.name, target.value));
form.elements.search.value = searching();
form.elements.search.addEventListener("input", ({ target }) => {
  clearTimeout(typing);
  typing = setTimeout(() => choose("search", target.value.trim()), TYPING_MS);
});
byId("followed").addEventListener("click", () => choose("followed", asked.has("followed") ? "" : "1"));
byId("more").addEventListener("click", () => choose("limit", String(Math.min(MOST, limit() + 2 * STEP))));
byId("clear").addEventListener("click", () => {
  form.reset();
  for (const name of [...CHOICES, "search", "followed"]) asked.delete(name);
  choose("search", "");
});

start();
offerFacets().catch(() => {});
