// A control and what its function gives, in the page of a notebook: a module as anywidget takes it.
/** How long a value stands before it is sent. Dates are typed part by part, and each part makes one. */
const SETTLE_MS = { slider: 80, select: 80, date: 600 };
const RUNNING_ATTRIBUTE = /^on/i;
const LINKS = new Set(["href", "xlink:href", "src", "action", "formaction", "data"]);
const FRAME_MAY = new Set(["allow-scripts", "allow-downloads"]);

let count = 0;

const element = (name, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
};

/** The nodes of an output, without what would run outside of a frame that has no origin. */
function inertNodes(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const node of body.querySelectorAll(
    "script, object, embed, base, link, meta, animate, set, iframe:not([sandbox])",
  )) {
    node.remove();
  }
  // Sending one would leave the page.
  for (const form of body.querySelectorAll("form")) form.replaceWith(...form.childNodes);
  for (const node of body.querySelectorAll("*")) {
    for (const { name, value } of [...node.attributes]) {
      const leads = LINKS.has(name.toLowerCase()) && /^javascript:/i.test(value.replace(/[\s\p{Cc}]/gu, ""));
      if (RUNNING_ATTRIBUTE.test(name) || leads) node.removeAttribute(name);
    }
    if (node.localName === "iframe") {
      const asked = (node.getAttribute("sandbox") ?? "").split(/\s+/);
      node.setAttribute("sandbox", asked.filter((token) => FRAME_MAY.has(token)).join(" "));
    }
  }
  return [...body.childNodes];
}

/** Input of a kind, how it shows a place, and which place it shows. */
function createInput(model) {
  const kind = model.get("kind");
  const texts = model.get("texts");
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
 * Keys that mean something to the input stay with it: notebooks take single letters and arrows for commands, such as to go
 * to the next cell or to delete this one. What runs a cell, leaves the control, or goes with Ctrl or Cmd is the notebook's.
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
 * Passes messages on between the frames of tables in an output and their kernel, as decision 72 has them. It looks at no
 * more than the envelope, and keeps none. Returns the way back.
 */
function relayTables(model, output) {
  /** The frames that have spoken, by the number under which the kernel answers. */
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
    el.replaceChildren(element("div", { className: "siteframe-control" }, bar, output));
    keepKeys(bar);
    const hangUp = relayTables(model, output);

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
      // A picture that is not decoded yet would leave a gap for a moment.
      const images = nodes.flatMap((node) => (node.querySelectorAll ? [...node.querySelectorAll("img")] : []));
      await Promise.all(images.map((image) => image.decode().catch(() => {})));
      if (turn === shown) output.replaceChildren(...nodes);
    };
    const place = () => timer === undefined && write(model.get("at"));
    const busy = () => {
      output.setAttribute("aria-busy", String(model.get("busy")));
      status.textContent = model.get("busy") ? "…" : "";
    };
    const heard = [
      ["change:html", show],
      ["change:at", place],
      ["change:busy", busy],
    ];
    for (const [name, listener] of heard) model.on(name, listener);
    place();
    busy();
    show();
    return () => {
      clearTimeout(timer);
      hangUp();
      for (const [name, listener] of heard) model.off(name, listener);
    };
  },
};
