// A control and its result in the page of a notebook: a module for anywidget.
/** Delay before a value is sent. Dates are typed part by part, and each part is a value. */
const SETTLE_MS = { slider: 80, select: 80, date: 600 };
const FRAME_MAY = new Set(["allow-scripts", "allow-downloads"]);

const words = (text) => new Set(text.split(" "));

/** Allowed elements of an output. The content of other elements is shown without them; some are removed with their content. */
const ELEMENTS = words(
  "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup data dd del details dfn " +
    "div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img ins kbd label li main mark meter " +
    "nav ol output p picture pre progress q rp rt ruby s samp section small source span strike strong sub summary sup " +
    "table tbody td tfoot th thead time tr tt u ul var wbr",
);
const DRAWING = words(
  "svg g path rect circle ellipse line polyline polygon text tspan textPath title desc defs clipPath mask marker pattern " +
    "linearGradient radialGradient stop symbol use image a switch filter feGaussianBlur feOffset feMerge feMergeNode feFlood " +
    "feComposite feColorMatrix feBlend feDropShadow",
);
const GONE = words(
  "script style template noscript noembed noframes object embed applet iframe frame frameset base link meta title textarea " +
    "xmp plaintext select input video audio track param portal fencedframe math foreignobject animate set " +
    "animatetransform animatemotion animatecolor discard handler listener",
);

const ATTRIBUTES = words(
  "alt align bgcolor border cellpadding cellspacing class colspan datetime decoding dir headers height hidden high id lang " +
    "loading low max media min open optimum reversed role rowspan scope sizes span start style tabindex title type valign " +
    "value width href src srcset srcdoc sandbox for",
);
const DRAWING_ATTRIBUTES = words(
  "class id lang role style tabindex href xlink:href clip-path clip-rule clipPathUnits color cx cy d direction " +
    "dominant-baseline alignment-baseline baseline-shift display dx dy fill fill-opacity fill-rule filter filterUnits " +
    "flood-color flood-opacity font-family font-feature-settings font-size font-size-adjust font-stretch font-style " +
    "font-variant font-weight fx fy gradientTransform gradientUnits height image-rendering in in2 k1 k2 k3 k4 lengthAdjust " +
    "letter-spacing marker-end marker-mid marker-start markerHeight markerUnits markerWidth mask maskContentUnits maskUnits " +
    "mode offset opacity operator orient overflow paint-order pathLength patternContentUnits patternTransform patternUnits " +
    "points preserveAspectRatio primitiveUnits r refX refY result rotate rx ry shape-rendering spreadMethod startOffset " +
    "stdDeviation stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin " +
    "stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering textLength transform " +
    "transform-origin type values vector-effect viewBox visibility width word-spacing writing-mode x x1 x2 xml:space y y1 y2",
);

const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i;
/** A single embedded picture: in a list of several, commas could be part of their URLs. */
const ONE_PICTURE = /^data:image\/[\w+.-]+;base64,[A-Za-z0-9+/=]+$/;
/** Allowed references of a style: a part of the same drawing. */
const PART_OF_DRAWING = /url\(\s*(?:"#[^"\\]*"|'#[^'\\]*'|#[^)"'\\]*)\s*\)/g;
const TEXTS = /^(?:class|role|lang|aria-.*)$/;
const ASKS = /\\|url|image|src|element\(|expression|import|javascript/i;

/** The protocol of a URL as parsed by browsers, which ignore blanks and control characters in it. */
function protocolOf(address) {
  try {
    return new URL(address, document.baseURI).protocol;
  } catch {
    return "";
  }
}

const isLink = (value) => /^#/.test(value) || ["https:", "http:", "mailto:"].includes(protocolOf(value));
const isPicture = (value) => PICTURE.test(value.trim()) || ["https:", "http:"].includes(protocolOf(value));

/** Whether an element may have an attribute with a value, except style. */
function mayHave({ localName, namespaceURI }, name, value) {
  const isDrawing = namespaceURI === SVG;
  if (!(isDrawing ? DRAWING_ATTRIBUTES : ATTRIBUTES).has(name) && !/^aria-[a-z]+$/.test(name)) return false;
  if (name === "href" || name === "xlink:href") {
    if (localName === "a") return isLink(value);
    return /^#/.test(value) || (localName === "image" && isPicture(value));
  }
  if (name === "src") return localName === "img" && isPicture(value);
  if (name === "srcset") return ONE_PICTURE.test(value);
  if (name === "srcdoc" || name === "sandbox") return localName === "iframe";
  if (name === "id" || name === "for") return isFree(value);
  return !isDrawing || TEXTS.test(name) || !ASKS.test(value.replace(PART_OF_DRAWING, ""));
}

/** Whether an id is unused in the page: elements are found by it, and are properties of the window. */
function isFree(id) {
  const named = document.getElementById(id);
  if (id in document || (named && !named.closest(".siteframe-control"))) return false;
  const found = window[id];
  return !(id in window) || found instanceof Element || found instanceof HTMLCollection;
}

/** Removes external references from a style. */
function cleanStyle({ style }) {
  for (const name of [...style]) {
    const value = style.getPropertyValue(name).replace(PART_OF_DRAWING, "");
    if (ASKS.test(value) || name === "behavior" || name === "-moz-binding") style.removeProperty(name);
  }
}

const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";

/**
 * The nodes of an output, without anything that would run, load or send data outside of a frame without an origin, or
 * would look like a part of the page. The checked nodes themselves are shown: nothing is serialized and parsed again.
 */
function inertNodes(html) {
  // A picture named `body` would replace the document's property.
  const { querySelector } = Document.prototype;
  const body = querySelector.call(new DOMParser().parseFromString(html, "text/html"), "body");
  if (!body) return [];
  // Any property of a form may be one of its fields: a range reads no properties.
  for (const form of body.querySelectorAll("form")) {
    const range = new Range();
    range.selectNodeContents(form);
    const content = range.extractContents();
    range.selectNode(form);
    range.deleteContents();
    range.insertNode(content);
  }
  for (const node of [...body.querySelectorAll("*")].reverse()) {
    const { localName, namespaceURI } = node;
    const known = namespaceURI === HTML ? ELEMENTS : namespaceURI === SVG ? DRAWING : undefined;
    if (!known?.has(localName) || (localName === "iframe" && !node.hasAttribute("sandbox"))) {
      if (known && !GONE.has(localName.toLowerCase())) node.replaceWith(...node.childNodes);
      else node.remove();
      continue;
    }
    for (const { name, value } of [...node.attributes]) if (!mayHave(node, name, value)) node.removeAttribute(name);
    if (node.hasAttribute("style")) cleanStyle(node);
    if (localName === "iframe") {
      const asked = node.getAttribute("sandbox").split(/\s+/);
      node.setAttribute("sandbox", asked.filter((token) => FRAME_MAY.has(token)).join(" "));
    }
    if (localName === "a" && !/^#/.test(node.getAttribute("href") ?? "#")) {
      // Links must not replace the notebook.
      node.setAttribute("target", "_blank");
      node.setAttribute("rel", "noopener noreferrer");
    }
  }
  alignNumbers(body);
  return [...body.childNodes];
}

/** Right-aligns the numbers of tables, whose style elements were removed. */
function alignNumbers(body) {
  for (const table of body.querySelectorAll(".siteframe-table table")) {
    const columns = [...(table.tHead?.rows[0]?.cells ?? [])].map(({ className }) => className);
    for (const { cells } of table.tBodies[0]?.rows ?? [])
      for (const [index, cell] of [...cells].entries()) cell.classList.toggle("number", columns[index] === "number");
  }
}

let count = 0;

const element = (name, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
};

/** Creates the input of a kind, with functions to read and write its position. */
function createInput(model) {
  const kind = model.get("kind");
  const texts = model.get("texts");
  // The kernel gets the selection from the frames above the output.
  if (kind === "linked") return { input: element("span"), read: () => model.get("at"), write: () => {} };
  if (kind === "select") {
    const input = element("select", {}, ...texts.map((text, value) => element("option", { value, textContent: text })));
    return { input, read: () => Number(input.value), write: (at) => (input.value = String(at)) };
  }
  if (kind === "date") {
    const input = element("input", { type: "date", min: model.get("min"), max: model.get("max") });
    return { input, read: () => input.value, write: (at) => (input.value = at) };
  }
  const [min, max, step] = texts ? [0, texts.length - 1, 1] : ["min", "max", "step"].map((name) => model.get(name));
  const input = element("input", { type: "range", min, max, step });
  const said = element("span", { className: "siteframe-control-value" });
  const tell = () => {
    const text = texts ? texts[Number(input.value)] : input.value;
    said.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  const write = (at) => {
    input.value = String(at);
    tell();
  };
  return { input, said, tell, read: () => Number(input.value), write };
}

/**
 * Keeps keys of the input from the notebook, which uses letters and arrows as commands, for example to go to the next cell
 * or to delete this one. Keys that run a cell, leave the control, or are combined with Ctrl or Cmd belong to the notebook.
 */
function keepKeys(bar) {
  const keep = (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const isArrow = key.startsWith("Arrow");
    if (ctrlKey || metaKey || (altKey && !isArrow) || ["Enter", "Escape", "Tab"].includes(key) || /^F\d/.test(key))
      return;
    event.stopPropagation();
  };
  for (const type of ["keydown", "keypress", "keyup"]) bar.addEventListener(type, keep);
}

/**
 * Relays messages between the frames of tables in an output and their kernel, as in decision 9. It only reads the envelope,
 * and keeps no messages. Returns the way back.
 */
function relayTables(model, output) {
  /** Frames that have sent messages, by the number in the kernel's responses. */
  const frames = new Map();
  const mine = `${Date.now()}-${count}`;
  let spoken = 0;
  const numberOf = (frame) => {
    for (const [number, known] of frames) {
      if (known === frame) return number;
      if (!known.isConnected) frames.delete(number);
    }
    spoken += 1;
    frames.set(spoken, frame);
    return spoken;
  };
  const isForKernel = (data) =>
    typeof data === "object" && data?.siteframe === "table" && (data.type === "hello" || data.type === "ask");
  const ask = ({ source, data }) => {
    const frame =
      source && [...output.querySelectorAll("iframe")].find(({ contentWindow }) => contentWindow === source);
    if (frame && isForKernel(data)) model.send({ table: data, page: mine, frame: numberOf(frame) });
  };
  const answer = (said) => {
    if (said?.page === mine) frames.get(said.frame)?.contentWindow?.postMessage(said.table, "*");
  };
  globalThis.addEventListener("message", ask);
  model.on("msg:custom", answer);
  return () => {
    globalThis.removeEventListener("message", ask);
    model.off("msg:custom", answer);
  };
}

/**
 * Keeps the state of the views in an element of the control, by their index, in the model: Jupyter saves it with the
 * notebook, and it applies again to the next output of the control. Returns the way back.
 */
function keepStates(model, el) {
  const take = ({ source, data }) => {
    if (data?.siteframe !== "state" || data.version !== 1) return;
    const index = [...el.querySelectorAll("iframe")].findIndex(({ contentWindow }) => contentWindow === source);
    if (index < 0) return;
    const views = model.get("views");
    const state = views?.[index];
    if (data.type === "save") {
      model.set("views", { ...views, [index]: data.state });
      model.save_changes();
    } else if (state) source.postMessage({ siteframe: "state", version: 1, type: "state", state }, "*");
  };
  globalThis.addEventListener("message", take);
  return () => globalThis.removeEventListener("message", take);
}

export default {
  render({ model, el }) {
    const { input, said, tell = () => {}, read, write } = createInput(model);
    const id = `siteframe-control-${++count}`;
    input.id = id;
    const label = element("label", { htmlFor: id, textContent: model.get("label") });
    const status = element("span", { className: "siteframe-control-status" });
    status.setAttribute("role", "status");
    const bar = element("div", { className: "siteframe-control-bar" }, label, input, ...(said ? [said] : []), status);
    const output = element("div", { className: "siteframe-control-output" });
    const head = element("div", { className: "siteframe-control-head" });
    el.replaceChildren(element("div", { className: "siteframe-control" }, head, bar, output));
    keepKeys(bar);
    const ends = [relayTables(model, el), keepStates(model, el)];
    const showHead = () => head.replaceChildren(...inertNodes(model.get("head")));

    let timer;
    const send = () => {
      clearTimeout(timer);
      timer = undefined;
      if (read() === model.get("at")) return;
      model.set("at", read());
      model.save_changes();
    };
    input.addEventListener("input", () => {
      tell();
      clearTimeout(timer);
      timer = setTimeout(send, SETTLE_MS[model.get("kind")]);
    });

    let shown = 0;
    const show = async () => {
      const turn = ++shown;
      const nodes = inertNodes(model.get("html"));
      // Decode first, since a picture would leave a gap for a moment.
      const images = nodes.flatMap((node) => (node.querySelectorAll ? [...node.querySelectorAll("img")] : []));
      await Promise.all(images.map((image) => image.decode().catch(() => {})));
      if (turn === shown) output.replaceChildren(...nodes);
    };
    const place = () => timer === undefined && write(model.get("at"));
    // A state that was saved with the notebook has no kernel.
    let isGone = el.closest(".jupyter-widgets-disconnected") !== null;
    const busy = () => {
      const isBusy = model.get("busy") && !isGone;
      input.disabled = isGone;
      output.setAttribute("aria-busy", String(isBusy));
      status.textContent = isGone ? "Run the cell to use it." : isBusy ? "…" : "";
    };
    /** The kernel has ended. The next one does not have the model: only running the cell creates another control. */
    const end = () => {
      isGone = true;
      busy();
    };
    const heard = [
      ["change:head", showHead],
      ["change:html", show],
      ["change:at", place],
      ["change:busy", busy],
      ["comm_live_update", end],
    ];
    for (const [name, listener] of heard) model.on(name, listener);
    place();
    busy();
    showHead();
    show();
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
      for (const [name, listener] of heard) model.off(name, listener);
    };
  },
};
