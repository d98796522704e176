import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PropertyDefinition } from "../../../src/api/resources.js";
import type { LayerOptions } from "../../../src/layer/layer-data.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";

const [a, b, c] = [uuid(1, "aaaaaaaa"), uuid(2, "bbbbbbbb"), uuid(3, "cccccccc")];

/** Property columns of a layer, and of its history, whose log has more keys. */
async function columnsOf(
  definitions: readonly PropertyDefinition[],
  featureKeys: readonly string[],
  logKeys: readonly string[],
  options: LayerOptions = {},
) {
  const source = fromRecords({
    layerFeatures: [feature(1, { properties: Object.fromEntries(featureKeys.map((key) => [key, null])) })],
    propertyChanges: logKeys.map((property_key, n) => change(n, { property_key, new_value: property_key })),
    datasets: [dataset(1), dataset(2)],
    propertyDefinitions: definitions,
  });
  const layer = await source.layer({ site_id: 12 }, options);
  const history = await layer.history();
  const now = history.asOf("2025-01-01");
  return {
    layer: layer.schema.filter(({ source: from }) => from !== "base").map(({ column }) => column),
    history: history.columns,
    values: Object.fromEntries(history.columns.map((column) => [column, now.get(column, 0)])),
    diagnostics: history.diagnostics,
  };
}

describe("the columns of a history", () => {
  it("keeps the layer's name if the log has a property of another type with that name", async () => {
    const definitions = [definition(a, "Risk"), definition(b, "Risk", { dataset_id: 2, type: "NUMBER" })];
    const { layer, history, values, diagnostics } = await columnsOf(definitions, [a], [b]);
    expect(layer).toEqual(["Risk"]);
    expect(history).toEqual(["Risk", "Risk (Dataset 2)"]);
    expect(values).toEqual({ Risk: null, "Risk (Dataset 2)": b });
    expect(diagnostics.filter(({ code }) => code === "column-suffixed")).toEqual([
      expect.objectContaining({ facts: expect.objectContaining({ columns: ["Risk", "Risk (Dataset 2)"] }) }),
    ]);
  });

  it("joins a property with the same name and type to the layer's column", async () => {
    const definitions = [definition(a, "Risk"), definition(b, "Risk", { dataset_id: 2 })];
    const { history, values, diagnostics } = await columnsOf(definitions, [b], [a]);
    expect(history).toEqual(["Risk"]);
    expect(values).toEqual({ Risk: a });
    expect(diagnostics.map(({ code, count }) => [code, count])).toEqual([
      ["column-merged", 2],
      ["log-differs-from-current", 1],
    ]);
  });

  it("suffixes properties of the log with duplicateNames: suffix", async () => {
    const definitions = [definition(a, "Risk"), definition(b, "Risk", { dataset_id: 2 })];
    const { layer, history } = await columnsOf(definitions, [a], [b], { duplicateNames: "suffix" });
    expect(layer).toEqual(["Risk"]);
    expect(history).toEqual(["Risk", "Risk (Dataset 2)"]);
  });

  it("suffixes a built-in key of the log if a definition has its name", async () => {
    const { layer, history, values } = await columnsOf([definition(a, "STATUS")], [a], ["STATUS"]);
    expect(layer).toEqual(["STATUS"]);
    expect(history).toEqual(["STATUS", "STATUS (built-in)"]);
    expect(values).toEqual({ STATUS: null, "STATUS (built-in)": "STATUS" });
  });

  it("never repeats a suffixed name of the layer", async () => {
    const definitions = [
      definition(a, "Risk"),
      definition(b, "Risk", { type: "NUMBER", dataset_id: 2 }),
      definition(c, "Risk (Dataset 1)"),
    ];
    const { layer, history } = await columnsOf(definitions, [a, b], [c]);
    expect(layer).toEqual(["Risk (Dataset 1)", "Risk (Dataset 2)"]);
    expect(history).toEqual(["Risk (Dataset 1)", "Risk (Dataset 1) (Dataset 1)", "Risk (Dataset 2)"]);
  });

  it("refuses a repeated name with duplicateNames: error", async () => {
    const definitions = [definition(a, "Risk"), definition(b, "Risk", { dataset_id: 2 })];
    await expect(columnsOf(definitions, [a], [b], { duplicateNames: "error" })).rejects.toThrow(/the name "Risk"/);
  });

  it("are the columns of the layer and more, with unique names", async () => {
    const names = fc.constantFrom("A", "B", "A (Dataset 1)", "A (built-in)", "id", "properties.id", "STATUS", "");
    const definitions = fc.array(
      fc.record({
        name: names,
        dataset_id: fc.constantFrom(1, 2),
        type: fc.constantFrom("STRING", "NUMBER"),
        place: fc.constantFrom("layer", "log"),
      }),
      { maxLength: 8 },
    );
    const builtIn = fc.array(fc.constantFrom("STATUS", "A", "B", "id"), { maxLength: 3 });
    const duplicateNames = fc.constantFrom("merge" as const, "suffix" as const);
    await fc.assert(
      fc.asyncProperty(definitions, builtIn, builtIn, duplicateNames, async (drawn, ownKeys, logKeys, duplicates) => {
        const defined = drawn.map(({ place: _, ...over }, n) => definition(uuid(n + 1), over.name, over));
        const keysAt = (wanted: string) => defined.filter((_, n) => drawn[n]?.place === wanted).map(({ id }) => id);
        const own = [...keysAt("layer"), ...ownKeys];
        const logged = [...keysAt("log"), ...logKeys];
        const shown = await columnsOf(defined, own, logged, { duplicateNames: duplicates });
        const without = await columnsOf(defined, own, [], { duplicateNames: duplicates });
        expect(shown.layer).toEqual(without.layer);
        expect(without.history).toEqual(without.layer);
        expect(shown.history.filter((name) => shown.layer.includes(name))).toEqual(shown.layer);
        expect(new Set(shown.history).size).toBe(shown.history.length);
      }),
      { numRuns: randomRuns(300) },
    );
  });
});
