import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dataset, LayerFeature, PropertyDefinition } from "../../src/api/resources.js";
import { ArgumentError } from "../../src/core/errors.js";
import type { LayerOptions } from "../../src/layer/layer-data.js";
import { fromRecords } from "../../src/source/from-records.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { randomRuns } from "../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../support/records.js";

const A = uuid(1, "aaaaaaaa");
const B = uuid(2, "bbbbbbbb");
const C = uuid(3, "cccccccc");

interface Company {
  readonly features?: readonly LayerFeature[];
  readonly definitions?: readonly PropertyDefinition[];
  readonly datasets?: readonly Dataset[];
}

function layerOf({ features = [], definitions = [], datasets = [dataset(1)] }: Company, options: LayerOptions = {}) {
  const source = fromRecords({ layerFeatures: features, propertyDefinitions: definitions, datasets });
  return source.layer({ site_id: 12 }, options);
}

function properties(names: readonly string[]): readonly string[] {
  return names.slice(2, -9);
}

describe("names", () => {
  it("are names of definitions, built-in keys, and UUIDs without a definition", async () => {
    const layer = await layerOf({
      features: [feature(1, { properties: { [A]: 5, STATUS: "OPEN", [B]: "x" } })],
      definitions: [definition(A, "Depth (m)", { type: "FLOAT" })],
    });
    expect(properties(layer.table.columnNames())).toEqual(["Depth (m)", "STATUS", B]);
    expect(layer.table.object()).toMatchObject({ "Depth (m)": 5, STATUS: "OPEN", [B]: "x" });
    expect(layer.diagnostics).toEqual([
      expect.objectContaining({ code: "key-unresolved", count: 1, facts: { property_keys: [B] } }),
    ]);
  });

  it("resolve UUIDs of parent datasets in any case", async () => {
    const layer = await layerOf({
      features: [feature(1, { properties: { [A.toUpperCase()]: "deep" } })],
      definitions: [definition(A, "Depth", { dataset_id: 99 })],
      datasets: [dataset(1), dataset(99)],
    });
    expect(layer.table.get("Depth", 0)).toBe("deep");
    expect(layer.diagnostics).toEqual([]);
  });

  it("merge properties of one name and type if no feature has two values", async () => {
    const layer = await layerOf({
      features: [feature(1, { properties: { [A]: "low" } }), feature(2, { properties: { [B]: "high", [A]: null } })],
      definitions: [definition(A, "Risk"), definition(B, "Risk", { dataset_id: 2 })],
    });
    expect(layer.table.array("Risk")).toEqual(["low", "high"]);
    expect(layer.schema.find(({ column }) => column === "Risk")).toMatchObject({ property_keys: [A, B], nulls: 0 });
    expect(layer.diagnostics).toEqual([expect.objectContaining({ code: "column-merged" })]);
  });

  it("compare arrays and objects by value, and distinguish a number from its string", async () => {
    const definitions = [definition(A, "Tags"), definition(B, "Tags")];
    const same = await layerOf({
      features: [feature(1, { properties: { [A]: [{ a: 1, b: 2 }], [B]: [{ b: 2, a: 1 }] } })],
      definitions,
    });
    expect(properties(same.table.columnNames())).toEqual(["Tags"]);
    const other = await layerOf({ features: [feature(1, { properties: { [A]: "1", [B]: 1 } })], definitions });
    expect(properties(other.table.columnNames())).toHaveLength(2);
  });

  it.each([
    ["a feature with two values", "STRING", { [A]: "low", [B]: "high" }],
    ["types that differ", "FLOAT", { [A]: "low", [B]: null }],
  ])("have the dataset's name as suffix for %s", async (_, type, values) => {
    const layer = await layerOf({
      features: [feature(1, { properties: values })],
      definitions: [definition(A, "Risk"), definition(B, "Risk", { dataset_id: 2, type })],
      datasets: [dataset(1), dataset(2, { name: "Drains" })],
    });
    expect(properties(layer.table.columnNames())).toEqual(
      expect.arrayContaining(["Risk (Dataset 1)", "Risk (Drains)"]),
    );
    expect(layer.diagnostics.map(({ code }) => code)).toContain("column-suffixed");
  });

  it("have the UUID's first digits as suffix if dataset names are ambiguous", async () => {
    const layer = await layerOf(
      {
        features: [feature(1, { properties: { [A]: "a", [B]: "b", [C]: "c" } })],
        definitions: [definition(A, "Risk"), definition(B, "Risk", { dataset_id: 2 }), definition(C, "Risk (Drains)")],
        datasets: [dataset(1), dataset(2, { name: "Drains" })],
      },
      { duplicateNames: "suffix" },
    );
    expect(properties(layer.table.columnNames())).toEqual(["Risk (Dataset 1)", "Risk (Drains)", "Risk (bbbbbbbb)"]);
    expect(layer.table.get("Risk (Drains)", 0)).toBe("c");
  });

  it("have the whole UUID, then a number as suffix if shorter suffixes are ambiguous", async () => {
    const D = A.replace(/.$/, "f");
    const layer = await layerOf(
      {
        features: [feature(1, { properties: { [A]: "a", [D]: "d", [C]: "c" } })],
        definitions: [definition(A, "Risk"), definition(D, "Risk"), definition(C, `Risk (${A})`)],
      },
      { duplicateNames: "suffix" },
    );
    expect(properties(layer.table.columnNames())).toEqual([`Risk (${A})`, `Risk (${A}) (2)`, `Risk (${D})`]);
    expect(layer.table.object()).toMatchObject({
      [`Risk (${A})`]: "c",
      [`Risk (${A}) (2)`]: "a",
      [`Risk (${D})`]: "d",
    });
  });

  it("keep built-in keys without a suffix", async () => {
    const layer = await layerOf({
      features: [feature(1, { properties: { STATUS: "OPEN", [A]: "done" } })],
      definitions: [definition(A, "STATUS")],
    });
    expect(layer.table.object()).toMatchObject({ STATUS: "OPEN", "STATUS (Dataset 1)": "done" });
  });

  it("must be unique with duplicateNames: error", async () => {
    const company = {
      features: [feature(1, { properties: { [A]: "a", [B]: "b" } })],
      definitions: [definition(A, "Risk"), definition(B, "Risk")],
    };
    await expect(layerOf(company, { duplicateNames: "error" })).rejects.toThrow(ArgumentError);
  });

  it.each(["description", "properties", "__proto__"])(
    "have the prefix `properties.` for the base field %s",
    async (name) => {
      const layer = await layerOf({
        features: [feature(1, { properties: { [A]: "mine" }, description: "base" })],
        definitions: [definition(A, name)],
      });
      expect(layer.table.get(`properties.${name}`, 0)).toBe("mine");
      expect(layer.table.get("description", 0)).toBe("base");
      expect(layer.diagnostics.map(({ code }) => code)).toEqual(["property-name-taken"]);
    },
  );

  it.each([
    ["constructor", "constructor"],
    ["a space", " "],
    ["a quote", 'a"b'],
    ["a newline", "a\nb"],
    ["HTML", "<b>x</b>"],
    ["10,000 characters", "n".repeat(10_000)],
  ])("can be any string: %s", async (_, name) => {
    const layer = await layerOf({
      features: [feature(1, { properties: { [A]: 1 } }), feature(2)],
      definitions: [definition(A, name, { type: "FLOAT" })],
    });
    expect(layer.table.array(name)).toEqual([1, null]);
  });

  it("are (unnamed) if empty, and differ by Unicode form", async () => {
    const layer = await layerOf({
      features: [feature(1, { properties: { [A]: 1, [B]: 2, [C]: 3 } })],
      definitions: [definition(A, ""), definition(B, "\u00e9"), definition(C, "e\u0301")],
    });
    expect(properties(layer.table.columnNames())).toEqual(["(unnamed)", "e\u0301", "\u00e9"]);
  });
});

describe("order", () => {
  const layout = {
    items: [
      { type: "PROPERTY", property_definition_id: C },
      { type: "SECTION", header: "Basemap", items: [{ type: "PROPERTY", property_definition_id: A }] },
    ],
  } as const;
  const definitions = [definition(A, "Depth"), definition(B, "Alpha"), definition(C, "Width")];

  it.each([
    [[{ type: "SECTION" }], 1],
    [[{ type: "SECTION", items: [{ type: "PROPERTY" }, { type: "SECTION", items: [] }, null] }], 3],
    [[null, 7, "PROPERTY", {}, { type: "PROPERTY", property_definition_id: 7 }], 5],
    [[{ type: "PROPERTY", property_definition_id: "", items: [] }, [[]]], 2],
  ])("ignores and reports invalid entries of a layout: %j", async (broken, count) => {
    const [first, second] = [uuid(1, "bbbbbbbb"), uuid(1, "aaaaaaaa")];
    const entry = (id: string) => ({ type: "PROPERTY", property_definition_id: id });
    const items = [entry(first), ...broken, { type: "SECTION", items: [entry(second)] }] as never;
    const found = await layerOf({
      features: [feature(1)],
      definitions: [definition(first, "B"), definition(second, "A")],
      datasets: [dataset(1, { layout_definition: { items } })],
    });
    expect(found.table.columnNames().slice(2, 4)).toEqual(["B", "A"]);
    expect(found.diagnostics).toMatchObject([{ code: "layout-entry-unknown", count, facts: { dataset_ids: [1] } }]);
  });

  it("follows the layout with sections flattened, then names, between fixed base columns", async () => {
    const layer = await layerOf({
      features: [feature(1, { properties: { [B]: "b", [A]: "a", ZULU: 1, [C]: "c" } })],
      definitions,
      datasets: [dataset(1, { layout_definition: layout })],
    });
    expect(layer.table.columnNames()).toEqual([
      ...["id", "visible_id", "Width", "Depth", "Alpha", "ZULU", "semantic_type", "dataset_id", "operation_id"],
      ...["site_id", "company_id", "description", "created_at", "updated_at", "geometry"],
    ]);
    expect(layer.schema.map(({ column }) => column)).toEqual(layer.table.columnNames());
  });

  it("keeps the columns of the layout without features", async () => {
    const source = fromRecords({
      propertyDefinitions: definitions,
      datasets: [dataset(1, { layout_definition: layout }), dataset(2, { semantic_type: "FENCES" })],
    });
    const layer = await source.layer({ semantic_type: ["TRENCHES"] });
    expect(properties(layer.table.columnNames())).toEqual(["Width", "Depth"]);
    expect(layer.table.numRows()).toBe(0);
    const other = await source.layer({ semantic_type: "FENCES" });
    expect(properties(other.table.columnNames())).toEqual([]);
  });

  it("is independent of the order of rows, definitions, datasets and keys", async () => {
    const rows = [
      feature(1, { properties: { [A]: "a", [B]: "b", STATUS: 1 } }),
      feature(2, { properties: { [C]: "c", [B]: "b2" } }),
      feature(3, { properties: { [A]: "x", [C]: "y" } }),
    ];
    const same = [definition(A, "Risk"), definition(B, "Risk", { dataset_id: 2 }), definition(C, "STATUS")];
    const datasets = [dataset(1), dataset(2)];
    const expected = (await layerOf({ features: rows, definitions: same, datasets })).table;
    const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
    await fc.assert(
      fc.asyncProperty(shuffled(rows), shuffled(same), shuffled(datasets), fc.boolean(), async (f, d, s, reverse) => {
        const features = f.map((row) => {
          const entries = Object.entries(row.properties);
          return { ...row, properties: Object.fromEntries(reverse ? entries.reverse() : entries) };
        });
        const { table } = await layerOf({ features, definitions: d, datasets: s });
        expect(table.columnNames()).toEqual(expected.columnNames());
        expect(table.objects()).toEqual(expected.objects());
      }),
      { numRuns: randomRuns(100) },
    );
  });
});

describe("values", () => {
  it("are dates for timestamps of base fields, and keep values that contradict their definition", async () => {
    const layer = await layerOf({
      features: [feature(1, { properties: { [A]: "deep" }, created_at: "2024-01-01T12:00:00.123456+02:00" })],
      definitions: [definition(A, "Depth", { type: "FLOAT" })],
    });
    expect(layer.table.get("created_at", 0)).toEqual(new Date("2024-01-01T10:00:00.123Z"));
    expect(layer.table.get("Depth", 0)).toBe("deep");
    expect(layer.diagnostics).toEqual([expect.objectContaining({ code: "value-type-mismatch", count: 1 })]);
  });

  it("are labels of options on request, except for unknown codes", async () => {
    const config = { options: ["Low", "High"].map((label, n) => ({ id: n + 1, label })) };
    const company = {
      features: [1, 9, null, [2, 9]].map((value, index) => feature(index + 1, { properties: { [A]: value } })),
      definitions: [definition(A, "Risk", { type: "OPTION", config })],
    };
    expect((await layerOf(company)).table.array("Risk")).toEqual([1, 9, null, [2, 9]]);
    expect((await layerOf(company, { optionLabels: true })).table.array("Risk")).toEqual(["Low", 9, null, ["High", 9]]);
  });
});

describe("the title of a layer", () => {
  it.each([
    [["TRENCHES", "TRENCHES"], "TRENCHES from"],
    [["TRENCHES", "CABLES"], "Layer from"],
    [[null], "Layer from"],
  ])("of %j", async (types, title) => {
    const layer = await layerOf({ features: types.map((semantic_type, n) => feature(n + 1, { semantic_type })) });
    expect(String((await toMimeBundle(layer))["text/html"])).toContain(title);
  });
});
