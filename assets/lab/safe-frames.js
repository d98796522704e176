import { frameHashes } from "./frame-hashes.js";

const hashes = frameHashes.split(" ");
const policy = `default-src 'none'; script-src ${frameHashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;

/**
 * Allowed elements of a frame. A policy prevents a page from running and loading resources, but not from navigating to
 * another page without the policy: links, forms, frames and ambiguously parsed elements are excluded.
 */
const elements = new Set(
  (
    "html head meta style body script template div span p b i strong em small br h1 h2 h3 label button input output " +
    "table caption thead tbody tfoot tr th td canvas svg g path line rect circle ellipse polyline polygon text tspan " +
    "title desc defs clipPath mask marker pattern linearGradient radialGradient stop use symbol image"
  ).split(" "),
);
const addresses = new Set(["href", "xlink:href", "src", "action", "formaction", "background", "data", "ping"]);
const metas = new Set(["content-security-policy"]);

/**
 * Returns the frames of the views in some HTML from any source.
 *
 * @returns for each view its frame's document with our policy first; empty if a view has none, or one with elements
 * that Siteframe's frames do not have
 */
export function safeFrames(html) {
  return [...parsed(html).querySelectorAll(".siteframe-view")].map(safeFrame);
}

function safeFrame(view) {
  const frame = view.querySelector("iframe[srcdoc]");
  const content = frame?.getAttribute("srcdoc") ?? "";
  // A frame of another release would cover its fallback and stay blank.
  if (!hashes.some((hash) => content.includes(hash))) return undefined;
  const page = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">${content}`;
  // The checked HTML is identical to the HTML in the browser and parsed the same way.
  if (![...everyElement(parsed(page))].every(isHarmless)) return undefined;
  const asked = (frame.getAttribute("sandbox") ?? "").split(" ");
  return {
    page,
    title: frame.title,
    // Minimal permissions: Siteframe's scripts only open web addresses, and only on a click.
    mayDownload: asked.includes("allow-downloads"),
    mayOpen: asked.includes("allow-popups-to-escape-sandbox"),
    mayFillScreen: frame.getAttribute("allow") === "fullscreen",
    width: view.style.maxWidth,
    room: view.style.getPropertyValue("--room"),
  };
}

/** A document that runs and loads nothing. */
function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

/** Templates hide their content; the dark version of a figure is in one. */
function* everyElement(root) {
  for (const element of root.querySelectorAll("*")) {
    yield element;
    if (element instanceof HTMLTemplateElement) yield* everyElement(element.content);
  }
}

function isHarmless({ localName, attributes }) {
  return elements.has(localName) && [...attributes].every(isHarmlessAttribute);
}

function isHarmlessAttribute({ name, value }) {
  if (name.startsWith("on")) return false;
  if (name === "http-equiv") return metas.has(value.trim().toLowerCase());
  return !addresses.has(name) || /^(#|data:image\/)/.test(value);
}
