import { desc, from, table } from "arquero";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { toMimeBundle } from "../../src/display/to-mime-bundle.js";

const show = Symbol.for("Jupyter.display");

async function html(value: unknown): Promise<string> {
  return String((await toMimeBundle(value))["text/html"]);
}

async function text(value: unknown): Promise<string> {
  return String((await toMimeBundle(value))["text/plain"]);
}

describe("plain values", () => {
  test.each([
    [undefined, "undefined"],
    ["a", "'a'"],
    [1n, "1n"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Map([["a", 1]]), "Map(1) { 'a' => 1 }"],
    [new Set([1]), "Set(1) { 1 }"],
    [new Float32Array([1.5]), "Float32Array(1) [ 1.5 ]"],
    [Object.create(null), "[Object: null prototype] {}"],
  ])("%s", (value, expected) => {
    expect(toMimeBundle(value)).toEqual({ "text/plain": expected });
  });

  test("an error with its message", async () => {
    expect(await text(new RangeError("too far"))).toContain("RangeError: too far");
  });

  test("long output is cut with a note", async () => {
    const shown = await text(Array.from({ length: 90 }, () => "x".repeat(5000)));
    expect(shown.length).toBeLessThan(51_000);
    expect(shown).toMatch(/… \d+ more characters not shown$/);
  });

  test("a value that cannot be inspected", async () => {
    const value = new Proxy({}, { ownKeys: () => Promise.reject() as never });
    expect(await text(value)).toBeTypeOf("string");
  });
});

describe("values that show themselves", () => {
  test("at once, and by a promise", async () => {
    expect(toMimeBundle({ [show]: () => ({ "text/html": "<b>", "text/plain": "b" }) })).toEqual({
      "text/html": "<b>",
      "text/plain": "b",
    });
    expect(await toMimeBundle({ [show]: async () => ({ "text/html": "<b>" }) })).toHaveProperty("text/plain");
  });

  test("a failing method is told, not thrown", async () => {
    const failing = () => {
      throw new Error("no map");
    };
    expect(await text({ [show]: failing, a: 1 })).toContain("[could not show itself: no map]");
    expect(await text({ [show]: async () => failing() })).toContain("no map");
  });

  test("elements show as HTML, SVG elements also as stand-alone SVG", async () => {
    const { document } = parseHTML("<svg><circle r='1'/></svg>");
    expect(await toMimeBundle(document.querySelector("svg"))).toEqual({
      "text/plain": "<svg>",
      "text/html": '<svg><circle r="1" /></svg>',
      "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1" /></svg>',
    });
  });
});

describe("tables", () => {
  const rows = from([
    { name: "a", size: 2, when: new Date(0), list: [1] },
    { name: null, size: 10.5, when: null, list: null },
  ]);

  test("names, types, numbers to the right, dates as ISO, null told apart", async () => {
    const shown = await html(rows);
    expect(shown).toContain('<th class="number">size<small>number</small></th>');
    expect(shown).toContain("<th>when<small>date</small></th>");
    expect(shown).toContain('<td class="number">10.5</td>');
    expect(shown).toContain("<td>1970-01-01T00:00:00.000Z</td>");
    expect(shown).toContain('<td class="dim">null</td>');
    expect(shown).toContain("2 rows × 4 columns");
  });

  test("names, values, tooltips are escaped", async () => {
    const hostile = '<img src=x onerror=alert(1)>"&';
    const shown = await html(table({ [hostile]: [hostile, hostile.repeat(10)] }));
    expect(shown).not.toContain("<img");
    expect(shown).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&amp;<small>");
    expect(shown).toContain('title="&lt;img');
  });

  test("filters and orders are respected", async () => {
    const shown = await text(
      table({ n: [1, 2, 3] })
        .filter("d => d.n > 1")
        .orderby(desc("n")),
    );
    expect(shown).toBe("n\n3\n2\n2 rows × 1 column");
  });

  test("the first rows and columns of a large table", async () => {
    const columns = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`c${index}`, Array(1200).fill(index)]),
    );
    const shown = await html(table(columns));
    expect(shown).toContain("1,200 rows × 70 columns, first 50 rows and first 60 columns shown");
    expect(shown.match(/<tr>/g)).toHaveLength(51);
    expect(await text(table(columns))).toMatch(/\(\d+ columns not shown here\)$/);
  });

  test("no rows, no columns", async () => {
    expect(await html(table({ a: [] }))).toContain("<th>a<small>null</small></th>");
    expect(await text(table({}))).toContain("0 rows × 0 columns");
  });

  test("columns that disagree are mixed, not numeric", async () => {
    expect(await html(table({ a: [1, "x", null] }))).toContain("<th>a<small>mixed</small></th>");
  });

  test("Danfo frames, by their shape", async () => {
    const frame = {
      columns: ["a"],
      index: ["r1", "r2"],
      dtypes: ["int32"],
      shape: [2, 1],
      values: [[1], [2]],
    };
    expect(await html(frame)).toContain('<th class="number">a<small>int32</small></th>');
    expect(await text(frame)).toBe("    a\nr1  1\nr2  2\n2 rows × 1 column");
  });
});
