import { frameHashes } from "./frame-hashes.js";

const hashes = frameHashes.split(" ");
const policy = `default-src 'none'; script-src ${frameHashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;

/**
 * What a frame may consist of. A policy keeps a page from running and loading things, but not from going to another page,
 * where the policy does not hold: there are no links, forms and frames in it, and nothing that is parsed in two ways.
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
 * The frames of the views in some HTML, whoever wrote that.
 *
 * @returns for each view its frame's document with our policy before all else; nothing if it has none, or one with
 *   anything in it that frames of ours have not
 */
export function safeFrames(html) {
  return [...parsed(html).querySelectorAll(".siteframe-view")].map(safeFrame);
}

function safeFrame(view) {
  const frame = view.querySelector("iframe[srcdoc]");
  const content = frame?.getAttribute("srcdoc") ?? "";
  // One of another release would lie over its still, and never come to life.
  if (!hashes.some((hash) => content.includes(hash))) return undefined;
  const page = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">${content}`;
  // What is looked at is what the browser is given, and parsed as it will be.
  if (![...everyElement(parsed(page))].every(isHarmless)) return undefined;
  const asked = (frame.getAttribute("sandbox") ?? "").split(" ");
  return {
    page,
    title: frame.title,
    // Of all that a frame may ask for: our scripts open nothing but addresses of the web, and only when they are clicked.
    mayDownload: asked.includes("allow-downloads"),
    mayOpen: asked.includes("allow-popups-to-escape-sandbox"),
    mayFillScreen: frame.getAttribute("allow") === "fullscreen",
    width: view.style.maxWidth,
    room: view.style.paddingBottom,
  };
}

/** A document that runs and loads nothing. */
function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

/** Templates hide what is in them; the second drawing of a figure is in one. */
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
