// What waits for a person, each with the command that deals with it. The ticker itself writes nothing.

import { age, element, person, tournamentAddress } from "./figures.js";
import { ask, frame } from "./frame.js";
import { Line } from "./line.js";
import { t } from "./texts.js";

const KEY = "operator-token";
const AGAIN_MS = 10_000;
const byId = (id) => document.getElementById(id);

let token = kept();
let timer = null;

const line = new Line({ ...frame(), events: { snapshot: () => {} } });
line.connect("/v1/stream?limit=1&time_control=standard");

function kept() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(value) {
  token = value;
  try {
    if (value === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
  } catch {
    // Without storage the token lasts as long as the page.
  }
}

async function look() {
  clearTimeout(timer);
  byId("door").hidden = token !== null;
  byId("close").hidden = token === null;
  if (token === null) return;
  timer = setTimeout(look, AGAIN_MS);
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await ask("/v1/operator", { headers }).catch(() => ({ status: 0, body: null }));
  if (status === 0) return;
  const closed = status === 401;
  byId("door").hidden = !closed;
  byId("close").hidden = closed;
  byId("refused").textContent = status === 200 ? "" : closed ? t("token_wrong") : (body?.detail ?? "");
  if (closed || status === 403) {
    clearTimeout(timer);
    keep(null);
    byId("desk").replaceChildren();
  }
  if (status === 200) show(body);
}

function show(data) {
  const parts = [feed(data.feed), unresolved(data.unresolved), letters(data.dead_letters), corrections(data.corrections), sources(data.sources)];
  const at = document.activeElement?.dataset?.command;
  byId("desk").replaceChildren(...parts);
  if (at) [...document.querySelectorAll("[data-command]")].find((button) => button.dataset.command === at)?.focus();
}

function section(key, count, ...content) {
  const heading = element("h2", {}, t(key), count === null ? null : element("span", { class: "count" }, String(count)));
  return element("section", {}, heading, content);
}

function feed({ fault, behind, players, aside_fault: names }) {
  const facts = [fault ?? (behind ? t("records_behind", { n: behind }) : t("up_to_date")), t("players_known", { n: players })];
  return section(
    "state",
    null,
    element("p", { class: fault ? "down" : "" }, facts.join(" · ")),
    names ? element("p", { class: "corrected" }, t("names_unknown", { fault: names })) : null,
  );
}

function unresolved({ count, rows, command }) {
  if (count === 0) return section("unresolved", 0, element("p", { class: "soft" }, t("unresolved_none")));
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("b", {}, row.name ?? row.entrant_id), element("span", { class: "soft small" }, [row.federation, row.birth_year].filter(Boolean).join(" · "))),
      element("td", {}, event(row)),
      element(
        "td",
        { class: "wide" },
        row.proposals.map((one) => element("div", { class: "proposal" }, element("p", { class: "small" }, t("may_be", { name: "" }), person(one), element("span", { class: "soft" }, ` ${one.federation ?? ""} ${one.player_id}`)), commandLine(one.command))),
        row.proposals.length ? null : commandLine(row.command),
      ),
    ),
  );
  return section("unresolved", count, table(["entrant", "tournament", "do_this"], body), rest(count, rows, command));
}

function letters({ count, more, rows, command }) {
  if (count === 0) return section("dead_letters", 0, element("p", { class: "soft" }, t("dead_letters_none")));
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("b", {}, row.reason), element("span", { class: "soft small" }, `${row.id} · ${age(Date.now() - row.at)}`)),
      element(
        "td",
        { class: "why" },
        element("p", {}, ...detail(row)),
        row.expected ? element("p", { class: "soft small" }, row.expected) : null,
        row.advice ? element("p", { class: "soft small" }, row.advice) : null,
      ),
      element("td", { class: "wide" }, row.commands.map(commandLine)),
    ),
  );
  return section("dead_letters", more ? `${count}+` : count, table(["record", "reason", "do_this"], body), rest(count, rows, command));
}

// The field stands once: where the sentence names it, or before the sentence.
function detail({ field, detail: said }) {
  if (!field) return [said];
  const name = element("code", {}, field);
  const words = said.split(" ");
  const at = words.indexOf(field);
  if (at < 0) return [name, " ", said];
  return [words.slice(0, at).concat("").join(" "), name, [""].concat(words.slice(at + 1)).join(" ")];
}

function corrections({ count, rows, command }) {
  if (count === 0) return section("corrections", 0, element("p", { class: "soft" }, t("corrections_none")), note("corrections_note", command));
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("b", {}, row.game_id), element("span", { class: "soft small" }, `${t(`kind_${row.kind}`)} · ${age(Date.now() - row.at)}`)),
      element("td", {}, event(row), row.players.map((one) => element("p", { class: "small" }, person(one)))),
      element("td", { class: "wide" }, commandLine(row.command)),
    ),
  );
  return section("corrections", count, table(["game", "tournament", "do_this"], body), note("corrections_note", command));
}

function sources({ command }) {
  return section("sources", null, note("sources_note", command));
}

function table(columns, body) {
  const heads = columns.map((key) => element("th", { scope: "col" }, t(key)));
  return element("div", { class: "scroll" }, element("table", { class: "sheet desk" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, body)));
}

function event(row) {
  return element("a", { href: tournamentAddress(row.tournament_id) }, row.tournament_name ?? row.tournament_id);
}

function rest(count, rows, command) {
  return element("div", { class: "note" }, element("p", { class: "soft small" }, count > rows.length ? t("only_newest", { n: rows.length }) : "", ` ${t("all_of_them")}`), commandLine(command));
}

function note(key, command) {
  return element("div", { class: "note" }, element("p", { class: "soft" }, t(key)), commandLine(command));
}

// A line may end between words only: a command broken after "--" is read wrongly.
function words(text) {
  return text.split(/(?<= )/).map((word) => element("span", {}, word));
}

function commandLine(text) {
  const button = element("button", { class: "copy", type: "button", "data-command": text, "aria-label": `${t("copy")}: ${text}` }, t("copy"));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = t("copied");
      setTimeout(() => (button.textContent = t("copy")), 1_500);
    } catch {
      // Without permission the command can still be selected.
    }
  });
  return element("div", { class: "command" }, element("code", {}, ...words(text)), button);
}

byId("door").addEventListener("submit", (submission) => {
  submission.preventDefault();
  keep(byId("token").value);
  byId("token").value = "";
  look();
});
byId("close").addEventListener("click", () => {
  keep(null);
  byId("desk").replaceChildren();
  look();
});

look();
