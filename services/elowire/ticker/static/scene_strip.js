// ?view=strip&tournament=ID: everybody's live rating and change, a few at a time, and each result as it comes.

import { change, decimal, element, hundredths, isCorrection, points } from "./figures.js";
import { ask } from "./frame.js";
import { Line } from "./line.js";
import { coalesced, fit } from "./scene_parts.js";

const PAGE_MS = 7_000;
const NEWS_MS = 9_000;
const MOST_NEWS = 12;

export function strip(stage) {
  const id = stage.asked.get("tournament");
  if (!id) return false;
  const size = Math.min(10, Math.max(1, Number.parseInt(stage.asked.get("items"), 10) || 5));
  let data = null;
  let live = new Map();
  let next = 0;
  /** game -> {player: what is told of him}: both sides of a result are one piece of news. */
  const news = new Map();

  const draw = () => {
    if (!data || data.lines.length === 0) return stage.draw();
    const [game] = news.keys();
    const said = news.get(game);
    news.delete(game);
    const lines = data.lines.filter((line) => line.player_id !== null);
    if (next >= lines.length) next = 0;
    const shown = lines.slice(next, next + size);
    const row = said
      ? element("p", { class: "news" }, [...said.values()])
      : element("ol", { class: "items" }, shown.map((line) => item(line, live.get(line.player_id))));
    stage.draw(element("section", { class: "strip" }, element("p", { class: "event" }, data.name ?? id), row));
    if (said) fit(row);
    else next += whole(row);
    clearTimeout(draw.next);
    draw.next = setTimeout(draw, said ? NEWS_MS : PAGE_MS);
  };
  const read = async () => {
    const { status, body } = await ask(`/v1/tournaments/${encodeURIComponent(id)}`);
    if (status !== 200) return;
    const first = data === null;
    data = body;
    if (first) await rate();
    if (first || news.size) draw();
  };
  // Live figures of everybody at the start; afterwards each comes with its event.
  const rate = async () => {
    const ids = data.lines.map((line) => line.player_id).filter(Boolean).slice(0, 200);
    const answers = await Promise.all(ids.map((one) => ask(`/v1/players/${encodeURIComponent(one)}`).catch(() => ({ body: null }))));
    live = new Map(answers.filter(({ body }) => body?.player_id).map(({ body }) => [body.player_id, body[data.time_control ?? "standard"]]));
  };
  const refresh = coalesced(read);
  const line = new Line({
    events: {
      snapshot: () => {
        data = null;
        refresh();
      },
      "live-rating": (event) => {
        const figures = event[event.changed[0]];
        live.set(event.player_id, figures);
        if (event.game && figures?.live) {
          const { game_id } = event.game;
          if (!news.has(game_id)) news.set(game_id, new Map());
          news.get(game_id).set(event.player_id, told(event, figures));
        }
        if (news.size > MOST_NEWS) news.delete([...news.keys()][0]);
        refresh();
      },
      "tournament-rating": refresh,
    },
    onState: stage.heard,
  });
  line.connect(`/v1/stream?${new URLSearchParams({ tournament: id })}`);
  return true;
}

/** Takes away whoever would be cut off at the end, and says how many are left: the others come next. */
function whole(row) {
  while (row.children.length > 1 && row.scrollWidth > row.clientWidth) row.lastElementChild.remove();
  return row.children.length;
}

function item(line, figures) {
  const name = (line.name ?? line.entrant_id).split(",")[0];
  const shown = figures?.live ? decimal(figures.live) : line.initial?.ru ? `≈ ${line.initial.ru}` : "–";
  return element(
    "li",
    {},
    element("span", { class: "name" }, name),
    element("span", { class: "points" }, points(line.points)),
    element("span", { class: "live" }, shown),
    line.change && hundredths(line.change) ? change(line.change) : element("span", { class: "level" }, "±0"),
  );
}

function told(event, figures) {
  const { game } = event;
  const step = figures.previous?.live ? hundredths(figures.live) - hundredths(figures.previous.live) : 0;
  const size = `${Math.floor(Math.abs(step) / 100)}.${Math.floor((Math.abs(step) % 100) / 10)}`;
  return element(
    "span",
    { class: "told" },
    element("span", { class: "name" }, event.name ?? event.player_id),
    element("span", { class: "points" }, points(game.points)),
    element("span", { class: "live" }, decimal(figures.live)),
    step ? change(step < 0 ? `-${size}` : size, isCorrection(event.cause?.kind)) : null,
  );
}
