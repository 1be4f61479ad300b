// Texts in the reader's language: the one chosen here before, else the first of the browser's that is known.

const KNOWN = ["en", "es", "ro"];
const NAMES = { en: "English", es: "Español", ro: "Română" };

export const language = chosen();
const texts = (await import(`./texts/${language}.js`)).default;
const plural = new Intl.PluralRules(language);

function chosen() {
  const asked = new URLSearchParams(location.search).get("lang");
  for (const one of [asked, stored(), ...navigator.languages]) {
    const short = one?.toLowerCase().split("-")[0];
    if (KNOWN.includes(short)) return short;
  }
  return "en";
}

function stored() {
  try {
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}

/** The text of a key; {name} is filled from `values`, and `values.n` chooses among the forms of a number. */
export function t(key, values = {}) {
  let text = texts[key] ?? key;
  if (typeof text === "object") text = text[plural.select(Number(values.n))] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

export function has(key) {
  return key in texts;
}

/** Puts texts where the page says which: data-t, data-t-label, data-t-title and data-t-hint name keys. */
export function translate(root = document) {
  document.documentElement.lang = language;
  for (const place of root.querySelectorAll("[data-t]")) place.textContent = t(place.dataset.t);
  for (const place of root.querySelectorAll("[data-t-label]")) place.setAttribute("aria-label", t(place.dataset.tLabel));
  for (const place of root.querySelectorAll("[data-t-title]")) place.setAttribute("title", t(place.dataset.tTitle));
  for (const place of root.querySelectorAll("[data-t-hint]")) place.setAttribute("placeholder", t(place.dataset.tHint));
}

export function offerLanguages(select) {
  for (const one of KNOWN) {
    const option = new Option(NAMES[one], one, false, one === language);
    option.lang = one;
    select.add(option);
  }
  select.addEventListener("change", () => {
    try {
      localStorage.setItem("language", select.value);
    } catch {
      // Without storage the address alone remembers it.
    }
    const address = new URL(location.href);
    address.searchParams.set("lang", select.value);
    location.assign(address);
  });
}

/** "2025-11" as "November 2025". */
export function monthOf(list) {
  const [year, month] = list.split("-").map(Number);
  return new Intl.DateTimeFormat(language, { month: "short", year: "numeric", timeZone: "UTC" }).format(Date.UTC(year, month - 1, 1));
}

/** "2025-10-12" as "12 Oct". */
export function dayOf(day) {
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { day: "numeric", month: "short", timeZone: "UTC" }).format(Date.parse(day));
}
