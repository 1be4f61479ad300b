// What a tournament says of itself, in a few words.

import { element } from "./figures.js";
import { dayOf, has, t } from "./texts.js";

export function days({ starts_on, ends_on }) {
  if (!starts_on) return null;
  const year = ends_on.slice(0, 4);
  return starts_on === ends_on ? `${dayOf(starts_on)} ${year}` : `${dayOf(starts_on)} – ${dayOf(ends_on)} ${year}`;
}

export function stateChip(status) {
  if (!status || !has(`state_${status}`)) return null;
  return element("span", { class: `state ${status}` }, t(`state_${status}`));
}
