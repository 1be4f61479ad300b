// ?view=strip&tournament=ID: everybody's live rating and change, a few at a time, and each result as it comes.

import { change, decimal, decimalText, element, hundredths, isCorrection, points, stepOf } from "./figures.js";
import { ask } from "./frame.js";
import { Line } from "./line.js";
import { coalesced, fit } from "./scene_parts.js";

const PAGE_MS = 7_000;
const NEWS_MS = 9_000;
/** How long news are seen while others wait. */
const LEAST_NEWS_MS = 4_000;
const MOST_NEWS = 12;

export function strip(stage) {
  const id = stage.asked.get("tournament");
  if (!id) return false;
  const size = Math.min(10, Math.max(1, Number.parseInt(stage.asked.get("items"), 10) || 5));
  let data = null;
  let live = new Map();
  let next = 0;
  /** What waits, game -> {player: what is told of him}: both sides of a result are one piece of news. */
  const news = new Map();
  /** What is on the strip just now, where it is news. */
  let seen = null;

  const draw = () => {
    seen = null;
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
    if (said) {
      fit(row);
      // Counted from here: on a busy machine the fitting alone may take a while.
      seen = { game, said, row, at: performance.now() };
    } else next += whole(row);
    drawAfter(said ? (news.size ? LEAST_NEWS_MS : NEWS_MS) : PAGE_MS);
  };
  const drawAfter = (pause) => {
    clearTimeout(draw.next);
    draw.next = setTimeout(draw, pause);
  };
  const tell = (event, what) => {
    const { game_id: game } = event.game;
    // The other side of a result may come a little later; a second word of one side is news of its own.
    if (seen?.game === game && !seen.said.has(event.player_id)) {
      seen.said.set(event.player_id, what);
      seen.row.style.fontSize = "";
      seen.row.replaceChildren(...seen.said.values());
      return fit(seen.row);
    }
    if (!news.has(game)) news.set(game, new Map());
    news.get(game).set(event.player_id, what);
    if (news.size > MOST_NEWS) news.delete(news.keys().next().value);
  };
  const read = async () => {
    const { status, body } = await ask(`/v1/tournaments/${encodeURIComponent(id)}`);
    if (status !== 200) return;
    const first = data === null;
    data = body;
    if (first) await rate();
    if (first || (news.size && !seen)) draw();
    else if (news.size) drawAfter(Math.max(0, seen.at + LEAST_NEWS_MS - performance.now()));
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
        const before = live.get(event.player_id);
        live.set(event.player_id, figures);
        if (event.game && figures?.live) tell(event, told(event, figures, before));
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

function told(event, figures, before) {
  const { game } = event;
  const step = stepOf(event, figures, before);
  return element(
    "span",
    { class: "told" },
    element("span", { class: "name" }, event.name ?? event.player_id),
    element("span", { class: "points" }, points(game.points)),
    element("span", { class: "live" }, decimal(figures.live)),
    step ? change(decimalText(step), isCorrection(event.cause?.kind)) : null,
  );
}
