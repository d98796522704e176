import { table } from "arquero";
import { minifySync } from "rolldown/utils";
import { expect, test } from "vitest";
import { ArgumentError, fromRecords, show } from "../../../src/index.js";
import { frameScript } from "../../../src/tables/display/frame-script.js";
import type { TablePayload } from "../../../src/tables/display/live/embedded-column.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { attributeText } from "../../../src/tables/display/view.js";
import { change, definition, feature } from "../../support/records.js";
import { frameFacts } from "./frame-facts.js";

const rows = (count: number) =>
  table({
    n: Array.from({ length: count }, (_, row) => row),
    name: Array.from({ length: count }, (_, row) => `r${row}`),
  });

async function html(value: unknown): Promise<string> {
  return String((await toMimeBundle(value))["text/html"]);
}

function framed(text: string): boolean {
  return text.includes('<iframe sandbox="allow-scripts allow-downloads"');
}

test("shows a table in a frame over its first rows, but a short table without a frame", async () => {
  const shown = await html(rows(2000));
  expect(framed(shown)).toBe(true);
  expect(shown).toContain("2,000 rows × 2 columns, first 50 rows shown");
  expect(framed(await html(rows(10)))).toBe(false);
  expect(await html(rows(10))).not.toContain("<script");
});

test("needs less than 100 kB for a thousand rows of twenty typical columns", async () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const one = (values: readonly unknown[]) => values[Math.floor(random() * values.length)];
  const start = Date.UTC(2024, 0, 1);
  const kinds: readonly ((row: number) => unknown)[] = [
    (row) => row + 1,
    (row) => `P-${row % 97}-${row}`,
    () => one(["PLANNED", "PILES", "MODULES", "COMMISSIONED", null]),
    () => Math.round(random() * 10_000) / 100,
    () => new Date(start + Math.floor(random() * 300) * 86_400_000),
    (row) => new Date(start + row * 61_000),
    () => random() * 100,
    () => one(["North", "South"]),
    () => Math.round(random() * 1000),
    () => random() < 0.5,
  ];
  const columns = Array.from({ length: 20 }, (_, index) => {
    const kind = kinds[index % 10];
    // One column of unrounded numbers is typical, two are not.
    const value = index === 16 ? () => 12 : kind;
    return [`column_${index}`, Array.from({ length: 1000 }, (_row, row) => value?.(row))] as const;
  });
  const shown = await html(table(Object.fromEntries(columns)));
  const page = shown.slice(0, shown.lastIndexOf("<script>")).length + shown.length - shown.lastIndexOf("</script>");
  const { code } = minifySync("table.js", frameScript("near-table").code, { module: false });
  // The package contains minified scripts.
  const script = attributeText(code);
  expect(page + script.length).toBeLessThan(100_000);
});

test("keeps the plain text", async () => {
  expect((await toMimeBundle(show(rows(20), { columns: ["name"] })))["text/plain"]).toBe(
    `name\n${Array.from({ length: 12 }, (_, row) => `r${row}`).join("\n")}\n20 rows × 1 column, first 12 rows shown`,
  );
});

test("accepts a number of rows, and an order of columns", async () => {
  const [few, many] = [await html(rows(5000)), await html(show(rows(5000), { limit: 5000 }))];
  expect(many.length).toBeGreaterThan(few.length);
  const swapped = await html(show(rows(5000), { columns: ["name", "n"] }));
  expect(swapped.indexOf("<th>name")).toBeLessThan(swapped.indexOf('<th class="number">n'));
});

test("prints the requested number of rows", async () => {
  const fallback = async (table: object) => {
    const shown = await html(table);
    return { rows: shown.match(/<tr><td/g)?.length, isCut: /class="[^"]*\bcut\b/.test(shown) };
  };
  expect(await fallback(rows(234))).toEqual({ rows: 50, isCut: true });
  expect(await fallback(show(rows(234), { printRows: 234 }))).toEqual({ rows: 234, isCut: false });
  expect(() => show(rows(3), { printRows: 10_001 })).toThrow("show(): printRows must be an integer from 1 to 10000");
});

test("shows the units of a layer, and names its file by the type of features", async () => {
  const key = "11111111-1111-4111-8111-111111111111";
  const one = (id: number, semantic_type: string) => feature(id, { semantic_type, properties: { [key]: id / 2 } });
  const layerOf = (types: readonly string[]) =>
    fromRecords({
      layerFeatures: Array.from({ length: 12 }, (_, row) => one(row + 1, types[row % types.length] as string)),
      propertyDefinitions: [definition(key, "Length", { type: "FLOAT", config: { unit: "m" } })],
    }).layer({ site_id: 12 });
  const shown = await html(await layerOf(["TRENCHES"]));
  expect(shown).toContain('<th class="number">Length, m<br>');
  const facts = frameFacts(shown) as TablePayload;
  expect(facts.heads.find(({ name }) => name === "Length")?.symbol).toBe("m");
  expect(shown).toContain("TRENCHES from ");
  expect([facts.file, facts.code]).toEqual(["TRENCHES", "// Replace layer with your variable.\nlayer.table"]);
  expect((frameFacts(await html(await layerOf(["TRENCHES", "PILES"]))) as TablePayload).file).toBe("layer");
});

test("accepts layers and histories, and shows the changed values of a log before ids", async () => {
  const layerFeatures = [feature(1, { properties: { STATUS: "B" } })];
  const propertyChanges = ["A", "B"].map((new_value, index) =>
    change(index, {
      id: `018e0000-0000-7000-8000-00000000000${index}`,
      layer_feature_id: 1,
      new_value,
      created_at: `2024-01-0${index + 1}T00:00:00Z`,
    }),
  );
  const source = fromRecords({ datasets: [], layerFeatures, propertyChanges }, { readAt: new Date("2024-02-01") });
  const layer = await source.layer({ site_id: 12 });
  expect(await html(show(layer, { columns: ["STATUS"] }))).toContain("<th>STATUS");
  const log = await html(await layer.history());
  expect([...log.matchAll(/<th(?: [^>]*)?>([^<]*)</g)].map(([, name]) => name).slice(0, 4)).toEqual([
    "visible_id",
    "column",
    "value",
    "previous",
  ]);
  expect(log.indexOf(">value<")).toBeLessThan(log.indexOf(">change_id<"));
});

test("refuses values that are not tables, missing columns and invalid options", () => {
  expect(() => show([1, 2])).toThrow(ArgumentError);
  expect(() => show(rows(3), { columns: ["nam"] })).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^Did you mean "name"\? There are: "/) }),
  );
  expect(() => show(rows(3), { limit: 0 })).toThrow("show(): limit must be an integer from 1 to 500000");
  expect(() => show(rows(3), { row: 5 } as object)).toThrow('show() has no option "row".');
});
