import { desc, from, table } from "arquero";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { html as htmlTag, svg } from "../../../src/tables/display/markup-tags.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";

const show = Symbol.for("Jupyter.display");

async function html(value: unknown): Promise<string> {
  return String((await toMimeBundle(value))["text/html"]);
}

async function text(value: unknown): Promise<string> {
  return String((await toMimeBundle(value))["text/plain"]);
}

/** The style of the cells in a column of numbers. */
const rightAligned = (place: number) =>
  `table.numbers-${place} td:is(:nth-child(${place})){text-align:right;white-space:nowrap}`;

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

describe("collections", () => {
  test("long maps and sets are shown as tables of their first entries", async () => {
    const map = new Map(Array.from({ length: 2000 }, (_, n) => [`<k${n}>`, n]));
    expect(await html(map)).toContain("<td>&lt;k0&gt;<td>0<");
    expect(await html(map)).toContain(rightAligned(2));
    expect(await html(map)).toContain("2,000 rows × 2 columns, first 50 rows shown");
    expect(await text(map)).toMatch(/^Map\(2000\) \{/);
    const set = new Set(Array.from({ length: 11 }, (_, n) => ({ n })));
    expect(await html(set)).toContain("<td>{&quot;n&quot;:10}<");
  });

  test("long typed arrays have a summary with range, mean and NaN count", async () => {
    const numbers = Float64Array.from({ length: 100 }, (_, n) => (n === 5 ? Number.NaN : n));
    expect(await html(numbers)).toContain("Float64Array: 100 values from 0 to 99, mean 49.9495, 1 NaN");
    expect(await html(numbers)).toContain('<td class="dim">NaN<');
    expect(await text(numbers)).toMatch(/\n100 values from 0 to 99, mean 49.9495, 1 NaN$/);
    expect(await html(new BigInt64Array(20).fill(7n))).toContain("BigInt64Array: 20 values from 7 to 7, mean 7");
    expect(await html(new Float32Array(20).fill(Number.NaN))).toContain("20 values, 20 NaN");
  });

  test("deep and circular objects are cut", async () => {
    const ring: Record<string, unknown> = {};
    ring["self"] = ring;
    expect(await text(ring)).toContain("[Circular");
    expect(await text({ a: { b: { c: { d: { e: { f: 1 } } } } } })).toContain("[Object]");
  });
});

describe("errors as values", () => {
  test("name, message, hint, causes, and no stack", async () => {
    const cause = Object.assign(new TypeError("<inner>"), { hint: "Look inside." });
    const error = new AggregateError([new Error("one")], "all", { cause });
    const lines = [
      "AggregateError: all",
      "",
      "One of its errors:",
      "Error: one",
      "",
      "Caused by:",
      "TypeError: <inner>",
    ];
    expect(await text(error)).toBe([...lines, "Look inside."].join("\n"));
    expect(await html(error)).toContain("TypeError: &lt;inner&gt;");
    expect(await html(error)).not.toContain("<inner>");
  });
});

describe("markup", () => {
  test("SVG gets the namespace that an image needs", async () => {
    expect((await toMimeBundle(svg`<svg width="9"><text>${"<b>"}</text></svg>`))["image/svg+xml"]).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9"><text>&lt;b&gt;</text></svg>',
    );
  });
});

describe("values that show themselves", () => {
  test("may return a bundle or a promise of one", async () => {
    expect(toMimeBundle({ [show]: () => ({ "text/html": "<b>", "text/plain": "b" }) })).toEqual({
      "text/html": "<b>",
      "text/plain": "b",
    });
    expect(await toMimeBundle({ [show]: async () => ({ "text/html": "<b>" }) })).toHaveProperty("text/plain");
  });

  test("a failing method is reported, not thrown", async () => {
    const failing = () => {
      throw new Error("no map");
    };
    expect(await text({ [show]: failing, a: 1 })).toContain("[cannot be displayed: no map]");
    expect(await text({ [show]: async () => failing() })).toContain("no map");
  });

  test("show elements as HTML, and SVG elements also as separate SVG", async () => {
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

  test("have names, types, right-aligned numbers, readable dates, and dashes for null", async () => {
    const shown = await html(rows);
    expect(shown).toContain('<th class="number">size<br><small>number</small></th>');
    expect(shown).toContain("<th>when<br><small>date, UTC</small></th>");
    expect(shown).toContain("<td>10.5<");
    expect(shown).toContain(rightAligned(2));
    expect(shown).toContain("<td>1970-01-01<");
    expect(shown).toContain('<td class="dim">–<');
    expect(shown).toContain("2 rows × 4 columns");
  });

  test("have no control characters in plain text", async () => {
    const bundle = await toMimeBundle(table({ note: ["a\u001b[2Jb\r\nc\u009bd"] }));
    expect(bundle["text/plain"]).toMatch(/^a \[2Jb c d$/m);
  });

  test("distinguish null, undefined, NaN, an empty string and the string null", async () => {
    const columns = table({ a: [null, undefined, "", "null"], b: [1, Number.NaN, null, undefined] });
    const shown = await html(columns);
    expect(shown).toContain('<td class="dim">–<td>1<');
    expect(shown).toContain('<td class="dim">–<td class="dim">NaN<');
    expect(shown).toContain('<td><td class="dim">–<');
    expect(shown).toContain('<td>null<td class="dim">–<');
    expect(shown).toContain(rightAligned(2));
    expect(await text(columns)).toMatch(/null +1\nundefined +NaN\n +null\nnull +undefined/);
  });

  test("show dates with the precision of their column", async () => {
    const times = [new Date("2026-06-30T14:03:00Z"), new Date("2026-07-01T00:00:00Z"), null];
    const columns = table({
      times,
      days: [new Date("2026-06-30"), null, null],
      odd: [new Date(Number.NaN), null, null],
    });
    expect(await html(columns)).toContain("<td>2026-06-30 14:03<td>2026-06-30<td>Invalid Date<");
    expect(await text(columns)).toContain("2026-06-30 14:03  2026-06-30");
  });

  test("show geometries and other objects as JSON, even circular objects", async () => {
    const own: Record<string, unknown> = {};
    own["own"] = own;
    const shown = await html(table({ place: [{ type: "Point", coordinates: [1, 2] }, own, { big: 10n }] }));
    expect(shown).toContain("<td>{&quot;type&quot;:&quot;Point&quot;,&quot;coordinates&quot;:[1,2]}<");
    expect(shown).toContain("[Circular *1]");
    expect(shown).toContain("<td>{&quot;big&quot;:10}<");
  });

  test("cut very long strings and their tooltips, and limit all tooltips together", async () => {
    const long = "y".repeat(1_000_000);
    const one = await html(table({ a: [long] }));
    expect(one).toContain(`${"y".repeat(79)}…<`);
    expect(one.length).toBeLessThan(6000);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`c${n}`, Array(100).fill("<".repeat(5000))]));
    expect((await html(table(many))).length).toBeLessThan(1_200_000);
  });

  test("escape names, values and tooltips", async () => {
    const hostile = '<img src=x onerror=alert(1)>"&';
    const shown = await html(table({ [hostile]: [hostile, hostile.repeat(10)] }));
    expect(shown).not.toContain("<img");
    expect(shown).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&amp;<br><small>");
    expect(shown).toContain('title="&lt;img');
  });

  test("apply filters and orders", async () => {
    const shown = await text(
      table({ n: [1, 2, 3] })
        .filter("d => d.n > 1")
        .orderby(desc("n")),
    );
    expect(shown).toBe("n\n3\n2\n2 rows × 1 column");
  });

  test("show the first rows and columns of a large table", async () => {
    const columns = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`c${index}`, Array(1200).fill(index)]),
    );
    const shown = await html(table(columns));
    expect(shown).toContain("1,200 rows × 70 columns, first 50 rows and first 60 columns shown");
    expect(shown.match(/<tr>/g)).toHaveLength(51);
    expect(shown).toContain('<th class="rest">10 more columns</th></tr>');
    expect(shown).toContain('<td class="rest" rowspan="50">…<');
    const lines = (await text(table(columns))).split("\n");
    expect(lines.slice(0, 2).every((line) => line.endsWith("  …"))).toBe(true);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    const named = lines[0]?.match(/c\d+/g)?.length;
    expect(lines.at(-1)).toBe(`1,200 rows × 70 columns, first 12 rows and first ${named} columns shown`);
  });

  test("round numbers to sensible digits in plain text", async () => {
    expect(await text(table({ mean: [2.2452380952380953, 1 / 3, null] }))).toMatch(/mean\s+2\.2452\s+0\.3333\s+null/);
  });

  test("may have no rows or no columns", async () => {
    expect(await html(table({ a: [] }))).toContain("<th>a<br><small>null</small></th>");
    expect(await text(table({}))).toContain("0 rows × 0 columns");
  });

  test("call columns with several types mixed", async () => {
    expect(await html(table({ a: [1, "x", null] }))).toContain("<th>a<br><small>mixed</small></th>");
  });

  test("may be Danfo frames", async () => {
    const frame = {
      columns: ["a"],
      index: ["r1", "r2"],
      dtypes: ["int32"],
      shape: [2, 1],
      values: [[1], [2]],
    };
    expect(await html(frame)).toContain('<th class="number">a<br><small>int32</small></th>');
    expect(await text(frame)).toBe("    a\nr1  1\nr2  2\n2 rows × 1 column");
  });
});

describe("the type of views", () => {
  const type = "application/vnd.siteframe.view.v1+json";

  test("accompanies every HTML with a frame, and nothing else", async () => {
    const long = table({ n: Array.from({ length: 11 }, (_, n) => n) });
    expect((await toMimeBundle(long))[type]).toEqual({});
    expect(
      (await toMimeBundle(htmlTag(`<p>Above</p>${String((await toMimeBundle(long))["text/html"])}`)))[type],
    ).toEqual({});
    for (const other of [table({ n: [1] }), "siteframe-view", htmlTag`<p>${'<div class="siteframe-view"'}</p>`]) {
      expect(await toMimeBundle(other)).not.toHaveProperty([type]);
    }
  });
});
