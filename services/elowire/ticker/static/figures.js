// Figures of the output events as elements and as words. Decimals arrive as strings and stay exact.

export function hundredths(text) {
  const [, sign, whole, places = ""] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text);
  const size = Number(whole) * 100 + Number(places.padEnd(2, "0"));
  return sign ? -size : size;
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

// "2797.3" with the decimals after a smaller point, so that columns align and whole points stand out.
export function decimal(text) {
  const [whole, places] = text.split(".");
  const parts = document.createDocumentFragment();
  parts.append(whole);
  if (places !== undefined) parts.append(element("span", { class: "part" }, `.${places}`));
  return parts;
}

export function direction(change) {
  const value = hundredths(change);
  return value > 0 ? "up" : value < 0 ? "down" : "level";
}

// "8.30" as ▲ 8.30: colour never stands alone.
export function change(text, corrected) {
  const way = direction(text);
  const sign = { up: "▲", down: "▼", level: "" }[way];
  const words = { up: "plus ", down: "minus ", level: "" }[way];
  return element(
    "span",
    { class: way },
    corrected ? element("span", { class: "sign corrected", title: "corrected" }, "✎") : null,
    sign ? element("span", { class: "sign", "aria-hidden": "true" }, sign) : null,
    element("span", { class: "unseen" }, words),
    decimal(text.replace("-", "")),
  );
}

export function movement(places) {
  if (!places) return "";
  const up = places > 0;
  const size = Math.abs(places);
  return element(
    "span",
    { class: up ? "up" : "down" },
    element("span", { "aria-hidden": "true" }, `${up ? "▲" : "▼"}\u2009${size}`),
    element("span", { class: "unseen" }, `${up ? "up" : "down"} ${size}`),
  );
}

export function age(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 3) return "just now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} days ago`;
}

export function clockTime(milliseconds) {
  return new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false }).format(milliseconds);
}

// What happened, as a person would say it: "won against Robson, Ray".
export function cause(data) {
  const { game } = data;
  switch (data.cause?.kind) {
    case "correction":
      return "result corrected";
    case "annulment":
      return "game annulled";
    case "list":
      return "new rating list";
    case "base-correction":
      return "list corrected";
    default:
  }
  if (!game || game.points == null) return "";
  const opponent = game.opponent_name ?? game.opponent_id;
  const points = hundredths(game.points);
  const words = points >= 100 ? "won against" : points === 50 ? "drew with" : "lost to";
  return opponent ? `${words} ${opponent}` : "";
}
