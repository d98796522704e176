// What a chart tells: of a thing, and of a place along x with all curves that pass it.
globalThis.siteframeTells = (marks) => {
  /** Plot's own channels: another one was given to be told in their place. */
  const OWN = /^(x|y|fill|stroke|r|symbol|(fill|stroke)?Opacity|opacity|strokeWidth|fx|fy)$/;
  const SIDE = 0.5;
  const seriesOf = ({ series }, row) => series?.labels[series.codes[row]];
  const textOf = ({ codes, texts }, row) => texts[codes[row]];
  const find = ({ channels }, name) => channels.find((channel) => channel.name === name);
  const facetOf = (mark, row) =>
    ["fx", "fy"]
      .map((name) => find(mark, name))
      .filter(Boolean)
      .map((channel) => textOf(channel, row))
      .join(", ");
  const words = (...parts) => parts.filter(Boolean).join(" ");
  const paths = marks.filter(({ kind }) => kind === "path");
  /** What is no number has no place: a gap in a line. */
  const isGap = ({ x, y }, row) => x[row] === null || y[row] === null;

  /** The places along x at which a curve has a point. */
  const places = () => {
    const found = new Map();
    for (const mark of paths) {
      for (let row = 0; row < mark.length; row += 1) {
        const key = Math.round(2 * mark.x[row]);
        if (!isGap(mark, row) && !found.has(key)) found.set(key, mark.x[row]);
      }
    }
    return [...found.values()].sort((a, b) => a - b);
  };
  const curved = new Set(paths.flatMap(({ x, y }) => x.map((place, row) => `${place} ${y[row]}`)));
  /** Points on a curve are told by the curve. */
  const onCurve = ({ kind, x, y }, row) => kind === "dot" && curved.has(`${x[row]} ${y[row]}`);
  /** Of a curve of steps the row whose value it has between two points, if it has one at x. */
  const held = ({ step, x: xs }, from, to, x) => {
    if (!step || (x - xs[from]) * (x - xs[to]) >= 0) return undefined;
    if (step === "middle") return Math.abs(x - xs[from]) < Math.abs(x - xs[to]) ? from : to;
    return step === "after" ? from : to;
  };
  const ofCurves = (mark, x) => {
    const found = new Map();
    const last = new Map();
    for (let row = 0; row < mark.length; row += 1) {
      const path = mark.paths ? mark.paths[row] : 0;
      const before = last.get(path);
      last.delete(path);
      if (isGap(mark, row)) continue;
      last.set(path, row);
      const gap = Math.abs(mark.x[row] - x);
      const hold = gap > SIDE && before !== undefined ? held(mark, before, row, x) : undefined;
      const part = gap > SIDE ? { mark, row: hold, gap: Infinity } : { mark, row, gap };
      if (part.row !== undefined && !(found.get(path)?.gap < part.gap)) found.set(path, part);
    }
    return [...found.values()];
  };
  /** What each curve has at a place: a point, or, of steps, the value that holds there. */
  const partsAt = (x) => paths.flatMap((mark) => ofCurves(mark, x));
  /** Each curve once. What is true at a point alone is not told between points. */
  const ofPlace = (parts, isShown = () => true) => {
    const lines = [];
    let unit = "";
    const facets = new Set(parts.map(({ mark, row }) => facetOf(mark, row)));
    const [facet] = facets.size === 1 ? facets : [""];
    for (const { mark, row, gap } of parts.filter(isShown)) {
      const [own, ...more] = mark.channels.filter(({ name }) => !OWN.test(name));
      const channel = own ?? find(mark, "y");
      if (!channel) continue;
      const name = seriesOf(mark, row);
      const label = words(facets.size > 1 && facetOf(mark, row), name ?? channel.label);
      const besides = gap === Infinity ? [] : more.map((one) => words(one.label, textOf(one, row)));
      const text = [textOf(channel, row), ...besides].join(", ");
      if (name !== undefined) unit ||= channel.label;
      if (!lines.some((one) => one.label === label && one.text === text))
        lines.push({ label, text, mark, row, isColoured: true });
    }
    const at = parts.filter(({ gap }) => gap !== Infinity);
    const across = at.map(({ mark, row }) => [find(mark, "x"), row]).find(([channel]) => channel);
    const place = across ? words(across[0].label, textOf(...across)) : "";
    return { title: [facet, place, unit].filter(Boolean).join(", "), lines };
  };
  /** What has no label is the head, but for colours, which stand beside their value. */
  const ofThing = ({ mark, row }) => {
    const heads = [];
    const lines = [];
    for (const channel of mark.channels) {
      const text = textOf(channel, row);
      const isColoured = /^(fill|stroke)$/.test(channel.name) && seriesOf(mark, row) !== undefined;
      if (channel.label || isColoured) lines.push({ label: channel.label, text, mark, row, isColoured });
      else heads.push(text);
    }
    return { title: heads.join(", "), lines };
  };
  const say = ({ title, lines }) =>
    [title, ...lines.map(({ label, text }) => words(label, text))].filter(Boolean).join(", ");
  return { places, partsAt, onCurve, ofPlace, ofThing, say };
};
