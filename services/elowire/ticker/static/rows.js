// One row a player in the live list, sorted and moved in place.

import { change, decimal, element, federation, hundredths, isCorrection, movement, person } from "./figures.js";
import { star } from "./follow.js";
import { sliding, tint } from "./frame.js";
import { t } from "./texts.js";

/** player id -> {data, row, score, rank, base}: base is the rank in the published list. */
export class Rows {
  #body;
  #shown = new Map();

  /** With `filtered` the first column counts the list's own places, and the world's rank stands beside it. */
  constructor(body, onFollow) {
    this.#body = body;
    this.onFollow = onFollow;
    this.filtered = false;
    this.limit = 100;
  }

  get size() {
    return this.#shown.size;
  }

  get(id) {
    return this.#shown.get(id);
  }

  clear() {
    this.#shown.clear();
    this.#body.replaceChildren();
  }

  remove(id) {
    this.#shown.get(id)?.row.remove();
    this.#shown.delete(id);
  }

  showAll(players) {
    const kept = new Set(players.map((player) => player.player_id));
    for (const id of [...this.#shown.keys()]) if (!kept.has(id)) this.remove(id);
    const changed = [];
    for (const player of players) {
      const before = this.#shown.get(player.player_id);
      if (before && before.data.live !== player.live) changed.push([player.player_id, before.score]);
      this.#put(player);
    }
    this.#arrange();
    for (const [id, score] of changed) this.#tint(id, score);
  }

  take(player) {
    const before = this.#shown.get(player.player_id);
    this.#put(player);
    this.#arrange();
    this.#tint(player.player_id, before?.score ?? null, player.cause?.kind);
  }

  #put(data) {
    const before = this.#shown.get(data.player_id);
    const row = before?.row ?? element("tr", { "data-player": data.player_id });
    const published = data.published?.rating ?? null;
    this.#shown.set(data.player_id, {
      data,
      row,
      place: before?.place,
      rank: data.rank,
      base: data.rank === null ? null : data.rank + data.rank_change,
      score: published === null ? -1 : published * 100 + hundredths(data.change ?? "0"),
    });
    row.replaceChildren(...this.#cells(data, before));
  }

  #cells(data, before) {
    const moved = () =>
      data.pending_games || hundredths(data.change ?? "0")
        ? change(data.change, isCorrection(data.cause?.kind))
        : element("span", { class: "level" }, "–");
    const published = data.published?.rating ?? "–";
    const brief = [`${published} → ${data.predicted ?? "–"}`, data.federation];
    if (data.pending_games) brief.push(t("n_games", { n: data.pending_games }));
    const keptStar = before?.row.querySelector(".star");
    return [
      ...this.#places(data.rank, data.rank_change, before?.place),
      element(
        "th",
        { class: "player", scope: "row" },
        element(
          "span",
          { class: "who" },
          federation(data.federation),
          person(data),
          element("span", { class: "brief" }, brief.filter(Boolean).join(" · ")),
          keptStar ?? star(data.player_id, data.name ?? data.player_id, this.onFollow),
        ),
      ),
      element("td", { class: "published" }, String(published)),
      element("td", { class: "live" }, data.live ? decimal(data.live) : "–", element("span", { class: "brief" }, moved())),
      element("td", { class: "change" }, moved()),
      element("td", { class: "next" }, String(data.predicted ?? "–")),
      element("td", { class: "games" }, data.pending_games ? String(data.pending_games) : ""),
    ];
  }

  #places(rank, gained, place) {
    const first = this.filtered ? (place ?? "") : (rank ?? "–");
    const aside = this.filtered && rank !== null ? element("span", { class: "world", title: t("world_rank", { n: rank }) }, `#${rank}`) : movement(gained);
    return [
      element("td", { class: "rank" }, String(first), element("span", { class: "brief" }, this.filtered ? "" : movement(gained))),
      element("td", { class: "move" }, aside),
    ];
  }

  // Sorts, ranks (equal scores share a rank), and slides each row from where it was.
  #arrange() {
    const order = [...this.#shown.values()].sort(
      (a, b) =>
        b.score - a.score ||
        (b.data.published?.rating ?? 0) - (a.data.published?.rating ?? 0) ||
        (a.data.name ?? a.data.player_id).localeCompare(b.data.name ?? b.data.player_id),
    );
    for (const { data } of order.splice(this.limit)) this.remove(data.player_id);
    const slide = sliding(order.map(({ row }) => row));
    let place = 0;
    order.forEach((entry, index) => {
      if (index === 0 || order[index - 1].score !== entry.score) place = index + 1;
      this.#number(entry, place);
      if (this.#body.children[index] !== entry.row) this.#body.insertBefore(entry.row, this.#body.children[index] ?? null);
    });
    slide();
  }

  #number(entry, place) {
    const rank = this.filtered || entry.data.rank === null ? entry.rank : place;
    if (entry.place === place && entry.rank === rank) return;
    entry.place = place;
    entry.rank = rank;
    const [first, move] = entry.row.children;
    const gained = entry.base === null ? 0 : entry.base - rank;
    const [newFirst, newMove] = this.#places(rank, gained, place);
    first.replaceWith(newFirst);
    move.replaceWith(newMove);
  }

  #tint(id, scoreBefore, kind) {
    const entry = this.#shown.get(id);
    if (!entry || (scoreBefore === entry.score && !kind)) return;
    const corrected = isCorrection(kind);
    tint(entry.row, corrected ? "corrected" : scoreBefore === null || entry.score >= scoreBefore ? "up" : "down");
  }
}
