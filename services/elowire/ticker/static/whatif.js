// What a win, a draw and a loss against somebody would bring, before it is played.

import { change, decimal, element, hundredths, person, refusal } from "./figures.js";
import { ask } from "./frame.js";
import { t } from "./texts.js";

const TYPING_MS = 250;
const RESULTS = ["win", "draw", "loss"];

/** Three results of one player, side by side; `side` is what the ticker says of him. */
export function threeResults(side) {
  if (side.refusal) return element("p", { class: "soft" }, t("what_if_refused", { reason: refusal(side.refusal) }));
  return element(
    "div",
    { class: "results" },
    RESULTS.map((result) => outcome(result, side[result])),
    side.exact ? null : element("p", { class: "soft inexact" }, t("what_if_not_exact")),
  );
}

function outcome(result, said) {
  const first = said.initial;
  return element(
    "div",
    { class: `outcome ${result}` },
    element("p", { class: "label" }, t(result)),
    element("p", { class: "value" }, first ? element("span", { class: "provisional" }, `≈ ${first.ru ?? "–"}`) : decimal(said.live)),
    element("p", { class: "note" }, first ? t("first_rating") : hundredths(said.change) ? change(said.change) : "–"),
    element("p", { class: "note" }, first ? t("n_games", { n: first.games }) : t("then_next", { n: said.predicted })),
  );
}

export class WhatIf {
  #id;
  #input;
  #candidates;
  #outcomes;
  #control = "standard";
  #opponent = null;
  #typing = null;

  constructor(id, section) {
    this.#id = id;
    this.#input = section.querySelector("input");
    this.#candidates = section.querySelector("datalist");
    this.#outcomes = section.querySelector("#outcomes");
    section.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#typed(), TYPING_MS);
    });
  }

  /** The player's view has changed: whom he plays now is who is asked about, until somebody else is named. */
  show(control, view) {
    this.#control = control;
    const now = view.refused_games.find((game) => game.refusal === "ongoing" && game.time_control === control);
    if (!this.#input.value && now?.opponent_id) this.#opponent = now.opponent_id;
    if (this.#opponent) this.#reckon();
  }

  async #typed() {
    const words = this.#input.value.trim();
    const id = /\(([^()]+)\)$/.exec(words)?.[1];
    if (id) {
      this.#opponent = id;
      await this.#reckon();
      return;
    }
    if (words.length < 2) return;
    const { status, body } = await ask(`/v1/players?${new URLSearchParams({ search: words, time_control: this.#control, limit: 8 })}`);
    if (status !== 200) return;
    const others = body.players.filter((player) => player.player_id !== this.#id);
    this.#candidates.replaceChildren(...others.map((player) => new Option(player.live ?? "", `${player.name ?? player.player_id} (${player.player_id})`)));
    if (others.length === 1 || /^\d+$/.test(words)) {
      this.#opponent = others[0]?.player_id ?? null;
      if (this.#opponent) await this.#reckon();
    }
  }

  async #reckon() {
    const query = new URLSearchParams({ player: this.#id, opponent: this.#opponent, time_control: this.#control });
    const { status, body } = await ask(`/v1/what-if?${query}`);
    if (status !== 200) {
      this.#outcomes.replaceChildren(element("p", { class: "soft" }, body?.detail ?? ""));
      return;
    }
    this.#outcomes.replaceChildren(...[body.player, body.opponent].map(card));
  }
}

function card(side) {
  return element(
    "section",
    { class: "sheet side" },
    element("h3", {}, person(side), element("span", { class: "soft" }, ` ${side.rating ?? t("unrated").toLowerCase()}`)),
    threeResults(side),
  );
}
