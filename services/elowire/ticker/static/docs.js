// The OpenAPI description as a page; the usual viewers need scripts from elsewhere, which the page's policy refuses.

import { element } from "./figures.js";

const place = document.getElementById("paths");

try {
  const description = await (await fetch("/openapi.json")).json();
  place.replaceChildren(...Object.entries(description.paths).flatMap(([path, { get }]) => about(path, get)));
} catch {
  place.replaceChildren(element("p", { class: "empty" }, "The description could not be read. Reload the page to try again."));
}

function about(path, get) {
  const parameters = (get.parameters ?? []).flatMap(({ name, schema, description, required, in: where }) => [
    element("dt", {}, where === "header" ? "Last-Event-ID" : name),
    element("dd", {}, [description ?? schema.description, bounds(schema), required ? "required" : null].filter(Boolean).join("; ")),
  ]);
  return [
    element("h2", {}, `GET ${path}`),
    element("p", {}, ...marked(get.description ?? get.summary)),
    parameters.length ? element("dl", {}, ...parameters) : null,
  ].filter(Boolean);
}

// The description writes names as `name`.
function marked(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

function bounds(schema) {
  const one = schema.anyOf?.find(({ type, $ref }) => $ref || type !== "null") ?? schema;
  const words = [];
  if (one.minimum !== undefined) words.push(`${one.minimum} to ${one.maximum}`);
  if (one.maxLength !== undefined) words.push(`at most ${one.maxLength} characters`);
  if (one.$ref?.endsWith("TimeControl")) words.push("standard, rapid or blitz");
  if (schema.default !== undefined) words.push(`default ${schema.default}`);
  return words.join(", ");
}
