import { from, table } from "arquero";
import { describe, expect, it } from "vitest";
import { type Figure, type LinesOptions, lines } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { frameFacts } from "../../tables/display/frame-facts.js";
import { labelOf } from "../figure-words.js";
import { plottedHistory } from "../plotted-history.js";

const days = ["2026-01-01", "2026-01-08", "2026-01-15"];
const blocks = ["Block 2", "Block 1", "Block 10"];
const rows = blocks.flatMap((block, place) => days.map((date, week) => ({ block, date, kwh: 100 * place + week })));

/** Headings of panels in the order of drawing. */
const panels = (figure: Figure) =>
  [...figure.outerHTML.matchAll(/font-weight="bold"[^>]*>(.*?)<\/g>/gs)].flatMap(([, texts = ""]) =>
    [...texts.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text),
  );

interface Mark {
  readonly kind: string;
  readonly y: readonly (number | null)[];
  readonly channels: readonly { readonly name: string; readonly label: string; readonly texts: readonly string[] }[];
}

async function marksOf(figure: Figure): Promise<readonly Mark[]> {
  const { "text/html": html } = await toMimeBundle(figure);
  const [marks] = frameFacts(String(html)) as readonly [readonly Mark[]];
  return marks;
}

describe("lines", () => {
  it("has a panel for each value, with a common axis", async () => {
    const figure = lines(from(rows), { y: "kwh", by: "block", unit: "kWh" });
    expect(panels(figure)).toEqual(blocks);
    expect(labelOf(figure)).toBe(
      "Lines of kwh by block, 3 panels, 2026-01-01 to 2026-01-15, in kWh: Block 2 0 to 2 kWh, Block 1 100 to 102 kWh, Block 10 200 to 202 kWh.",
    );
    expect(figure.scale("y")?.domain).toEqual([0, 300]);
    const marks = await marksOf(figure);
    expect(marks.map(({ kind }) => kind)).toEqual(["path", "path", "path"]);
    expect(marks[1]?.channels.map(({ label, texts }) => [label, texts])).toEqual([
      ["", days],
      ["kwh", ["100 kWh", "101 kWh", "102 kWh"]],
      ["", ["Block 1"]],
    ]);
  });

  it.each([
    ["2025-07-01", "2026-06-30", 12],
    ["2026-01-01", "2026-12-31", 12],
    ["2025-02-01", "2026-10-31", 12],
    ["2026-01-15", "2026-04-15", 4],
    ["2020-01-01", "2026-12-31", 9],
    ["2026-03-01", "2026-03-31", 9],
  ])("has two ticks of time at least from %s to %s", (first, last, count) => {
    const some = Array.from({ length: count }, (_, block) =>
      [first, last].map((date) => ({ block, date, kwh: block })),
    );
    const svg = lines(from(some.flat()), { y: "kwh", by: "block" }).toSVG();
    const ticks = /aria-label="x-axis tick label"[^>]*>(.*?)<\/g>/s.exec(svg)?.[1]?.match(/<text/g)?.length;
    expect(ticks).toBeGreaterThanOrEqual(2);
    expect(ticks).toBeLessThanOrEqual(5);
  });

  it("gives each panel a separate axis, and shows exact numbers", async () => {
    const figure = lines(from(rows), { y: "kwh", by: "block", axes: "own" });
    for (const tick of ["0", "1", "2", "100", "102", "202"]) expect(figure.toSVG()).toContain(`>${tick}</text>`);
    expect((await marksOf(figure))[2]?.channels[1]?.texts).toEqual(["200", "201", "202"]);
  });

  it("gives each panel a separate axis along x, with its first and last date", async () => {
    const apart = [
      { id: "A", date: "2024-01-01", n: 1 },
      { id: "A", date: "2024-02-01", n: 2 },
      { id: "B", date: "2025-06-01", n: 3 },
      { id: "B", date: "2025-06-30", n: 4 },
    ];
    const figure = lines(from(apart), { y: "n", by: "id", axes: "own" });
    for (const day of ["2024-01-01", "2024-02-01", "2025-06-01", "2025-06-30"])
      expect(figure.toSVG()).toContain(`>${day}</text>`);
    expect(lines(from(apart), { y: "n", by: "id" }).toSVG()).not.toContain(">2024-02-01</text>");
    // Both lines go from the left edge of their panel to the right one.
    const paths = [...figure.toSVG().matchAll(/<path[^>]* d="M([\d.]+),[\d.]+L([\d.]+),[\d.]+"/g)];
    expect(paths).toHaveLength(2);
    expect(paths[0]?.slice(1)).toEqual(paths[1]?.slice(1));
    const [mark] = await marksOf(figure);
    expect(mark?.channels.map(({ texts }) => texts)).toContainEqual(["2024-01-01", "2024-02-01"]);
  });

  it("connects times of changes by steps, and other points by straight lines", () => {
    const changed = [
      { created_at: "2024-01-01T08:00:00Z", value: 1 },
      { created_at: "2024-02-01T08:00:00Z", value: 5 },
    ];
    // Horizontal up to the change, then vertical.
    const steps = /d="M[\d.]+,([\d.]+)L[\d.]+,\1L/;
    expect(lines(from(changed), { x: "created_at", y: "value" }).toSVG()).toMatch(steps);
    expect(lines(from(changed), { x: "created_at", y: "value", curve: "linear" }).toSVG()).not.toMatch(steps);
    expect(lines(from(rows), { y: "kwh", by: "block" }).toSVG()).not.toMatch(steps);
    expect(lines(from(rows), { y: "kwh", by: "block", curve: "step-after" }).toSVG()).toMatch(steps);
  });

  it("has different headings for long names with the same start", () => {
    const heads = (names: readonly string[]) =>
      panels(lines(from(names.flatMap((name) => days.map((date) => ({ name, date, n: 1 })))), { y: "n", by: "name" }));
    const ids = Array.from({ length: 9 }, (_, n) => `TH-2505-00000000000000000000000000-${n}`);
    const shown = heads(ids).toSorted();
    for (const [n, head] of shown.entries()) expect(head).toMatch(new RegExp(`^TH-2505-0+…${n}$`));
    const middles = ids.map((id) => `${id}, north-east of the substation`);
    expect(new Set(heads(middles)).size).toBe(9);
  });

  it("has panels and lines in the order of a sorted table", async () => {
    const history = await plottedHistory();
    const counts = history.counts("STATUS", ["2024-03-30"]);
    const sorted = counts.orderby("value");
    const heads = panels(lines(sorted, { y: "count", by: "value" }));
    expect(heads).toEqual(["CLOSED", "OPEN"]);
    expect(lines(sorted, { y: "count", series: "value" }).scale("color")?.domain).toEqual(heads);
    expect(panels(lines(counts, { y: "count", by: "value" }))).toEqual(["OPEN", "CLOSED"]);
  });

  it("has panels and lines in the order of `order`, in colours of their values", () => {
    const both = from(rows.flatMap((row) => ["CLOSED", "OPEN", "BLOCKED"].map((status) => ({ ...row, status }))));
    const order = ["OPEN", "BLOCKED", "CLOSED"];
    const figure = lines(both, { y: "kwh", by: "block", order: { by: ["Block 1"], series: order }, series: "status" });
    expect(panels(figure)).toEqual(["Block 1", "Block 2", "Block 10"]);
    expect(figure.scale("color")?.domain).toEqual(order);
    expect(new Set(figure.scale("color")?.range).size).toBe(3);
    expect(labelOf(figure)).toContain("Block 1, OPEN 100 to 102, Block 1, BLOCKED 100 to 102");
  });

  it("draws the first panels and the most frequent lines, and notes the limits", () => {
    const many = table({
      id: Array.from({ length: 60 }, (_, row) => `T-${row % 30}`),
      date: Array.from({ length: 60 }, (_, row) => days[row % 2]),
      n: Array.from({ length: 60 }, (_, row) => row),
    });
    expect(lines(many, { y: "n", by: "id" }).outerHTML).toContain("First 24 of 30 panels, 6 not shown, 2026-01-01 to");
    expect(panels(lines(many, { y: "n", by: "id", limit: 2 }))).toEqual(["T-0", "T-1"]);
    const figure = lines(many, { y: "n", series: "id" });
    expect(figure.outerHTML).toContain("; the 10 most frequent of 30 values of id");
    expect(figure.scale("color")?.domain).toHaveLength(10);
  });

  it("leaves a gap for missing numbers, shows isolated points, and counts missing values", async () => {
    const broken = table({ date: [...days, null, "2026-01-22"], n: [1, null, 3, 4, null] });
    const figure = lines(broken, { y: "n" });
    expect(figure.toSVG()).toContain("1 row without &quot;date&quot;. 2 rows without &quot;n&quot;.");
    expect(figure.toSVG().match(/<circle/g)).toHaveLength(2);
    expect((await marksOf(figure))[0]?.y.map((y) => y === null)).toEqual([false, true, false, true]);
    expect(lines(table({ date: ["2026-01-01", "2026-01-01"], n: [1, 2] }), { y: "n" }).toSVG()).toContain(
      "1 row at the same date as another of the same line.",
    );
  });

  it("accepts numbers along x, and thins invisible points", async () => {
    const load = Array.from({ length: 20_000 }, (_, at) => (at === 7777 ? 999 : at % 13));
    const figure = lines(table({ hours: load.map((_, at) => at), load }), { x: "hours", y: "load" });
    expect(labelOf(figure)).toMatch(/^Lines of load, 0 to 19,999: load 0 to /);
    expect(figure.scale("y")?.domain).toEqual([0, 1000]);
    expect(figure.toSVG()).toMatch(/[\d,]+ points between the extremes of each interval are not drawn\./);
    const [line] = await marksOf(figure);
    expect(line?.y.length).toBeLessThan(700);
    expect(line?.channels[1]?.texts).toContain("999");
  });

  it("labels unknown values", async () => {
    const history = await plottedHistory();
    const counts = history.counts("STATUS", ["2024-03-05", "2024-03-30"]);
    expect(panels(lines(counts, { y: "count", by: "value" }))).toContain("unknown");
  });

  it("draws an empty table", () => {
    expect(labelOf(lines(from(rows).filter("d => false"), { y: "kwh", by: "block" }))).toBe(
      "Lines of kwh by block, no rows: none.",
    );
  });

  it.each<[LinesOptions, string]>([
    [{ y: "date" }, 'lines(): date of row 0 is "2026-01-01", not a number.'],
    [{ x: "block", y: "kwh" }, "lines(): block of row 0 is a string of 7 characters, not a date or number."],
    [{ y: "kwh", axes: "one" as never }, "axes must be"],
  ])("rejects %j", (options, message) => {
    expect(() => lines(from(rows), options)).toThrow(message);
  });
});
