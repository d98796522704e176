import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import type { Layer } from "../../src/layer/layer.js";
import { fromRecords } from "../../src/source/from-records.js";
import { randomRuns } from "../support/random-runs.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";
import { refusal } from "../support/refusal.js";

const [type, spares, power, maker] = [uuid(1), uuid(2), uuid(3), uuid(4)];

const definitions = [
  definition(type, "Module type", { type: "RELATIONSHIP" }),
  definition(spares, "Spares", { type: "RELATIONSHIP" }),
  definition(power, "Power", { type: "FLOAT", dataset_id: 2, config: { unit: "W" } }),
  definition(maker, "Maker", { dataset_id: 2 }),
];

const panel = (id: number, model: unknown, list: unknown = null) =>
  feature(id, { properties: { STATUS: "OPEN", [type]: model, [spares]: list } });

const model = (id: number, watts: number, name: string) => {
  const properties = { STATUS: "SOLD", [power]: watts, [maker]: name };
  return feature(id, { semantic_type: "MODELS", dataset_id: 2, properties });
};

const models = [model(900, 580, "Solenne"), model(901, 610, "Arcos")];

async function read(panels: readonly ReturnType<typeof feature>[]): Promise<readonly [Layer, Layer]> {
  const source = fromRecords({
    layerFeatures: [...panels, ...models],
    propertyChanges: [
      change(1, { layer_feature_id: 1, property_key: type, new_value: 901, created_at: "2024-02-01T00:00:00Z" }),
      change(2, { layer_feature_id: 1, property_key: type, new_value: 900, created_at: "2024-03-01T00:00:00Z" }),
    ],
    propertyDefinitions: definitions,
    datasets: [dataset(1), dataset(2)],
  });
  return Promise.all([source.layer({ dataset_id: 1 }), source.layer({ dataset_id: 2 })]);
}

describe("follow", () => {
  it("adds columns of the related features after the relation", async () => {
    const [panels, related] = await read([panel(1, 900), panel(2, 901), panel(3, null)]);
    const followed = panels.lookup("Module type", related, ["Power", "Maker"]);
    expect(followed.table.columnNames().slice(2, 7)).toEqual(["Module type", "Power", "Maker", "STATUS", "Spares"]);
    expect(followed.schema.map(({ column }) => column)).toEqual(followed.table.columnNames());
    expect(followed.table.array("Power")).toEqual([580, 610, null]);
    expect(followed.table.array("Maker")).toEqual(["Solenne", "Arcos", null]);
    expect(followed.diagnostics).toEqual(panels.diagnostics);
    expect(panels.table.columnNames()).not.toContain("Power");
  });

  it("keeps the definitions, for describe(), exports and queries", async () => {
    const [panels, related] = await read([panel(1, 900), panel(2, 901), panel(3, null)]);
    const followed = panels.lookup("Module type", related, ["Power"]);
    const entry = followed.schema.find(({ column }) => column === "Power");
    expect(entry).toMatchObject({ type: "FLOAT", nulls: 1, source: "definition", property_keys: [power] });
    const described = followed.describe().filter((row: { column: string }) => row.column === "Power");
    expect(described.object()).toMatchObject({ unit: "W", min: 580, max: 610, nulls: 1 });
    expect((await followed.sql(`SELECT sum("Power") AS watts FROM layer`)).objects()).toEqual([{ watts: 1190 }]);
    expect(followed.toGeoJSON().features[0]?.properties).toMatchObject({ Power: 580 });
  });

  it("has lists for lists, in the same order", async () => {
    const [panels, related] = await read([panel(1, 900, [901, 900, 901]), panel(2, 900, []), panel(3, 900, [5, 900])]);
    const followed = panels.lookup("Spares", related, ["Power"]);
    expect(followed.table.array("Power")).toEqual([[610, 580, 610], [], [null, 580]]);
    expect(followed.diagnostics).toContainEqual(expect.objectContaining({ code: "relation-unresolved", count: 1 }));
    expect(await followed.toCSV()).toContain("[610,580,610]");
  });

  it("reports unknown ids", async () => {
    const [panels, related] = await read([7, "900", 7, "x", { id: 900 }].map((value, n) => panel(n + 1, value)));
    const followed = panels.lookup("Module type", related, ["Power"]);
    expect(followed.table.array("Power")).toEqual([null, 580, null, null, null]);
    expect(followed.diagnostics).toContainEqual({
      code: "relation-unresolved",
      severity: "warning",
      message:
        '4 ids in "Module type" are not the id of a feature of the related layer, such as 7; their values are null.',
      count: 4,
      facts: { column: "Module type", ids: [7] },
    });
  });

  it("adds a prefix to names, and refuses an existing name", async () => {
    const [panels, related] = await read([panel(1, 900)]);
    const followed = panels.lookup("Module type", related, ["STATUS", "visible_id"], { prefix: "Module type: " });
    expect(followed.table.columnNames().slice(2, 5)).toEqual([
      "Module type",
      "Module type: STATUS",
      "Module type: visible_id",
    ]);
    expect(followed.table.object()).toMatchObject({ STATUS: "OPEN", "Module type: STATUS": "SOLD" });
    expect(() => panels.lookup("Module type", related, ["STATUS"])).toThrow(
      expect.objectContaining({
        message: 'lookup(): the layer already has a column "STATUS".',
        hint: 'Add a prefix: { prefix: "Module type: " }.',
      }),
    );
    expect(() => panels.lookup("Module type", related, ["Power", "Power"])).toThrow(ArgumentError);
  });

  it("refuses misspelled names", async () => {
    const [panels, related] = await read([panel(1, 900)]);
    const refused = (...given: readonly unknown[]) => refusal(() => Reflect.apply(panels.lookup, panels, given));
    expect(refused("Modul type", related, ["Power"])).toContain('Did you mean "Module type"?');
    expect(refused("Module type", related, ["power"])).toContain('Did you mean "Power"?');
    expect(refused("Module type", related, [])).toContain("an array of column names");
    expect(refused("Module type", related, "Power")).toContain("an array of column names");
    expect(refused("Module type", 5, ["Power"])).toContain("needs the related layer");
    expect(refused("Module type", related, ["Power"], { perfix: "a" })).toContain("Did you mean prefix?");
  });

  it("follows relations as of a date, repeatedly", async () => {
    const [panels, related] = await read([panel(1, 900, [900]), panel(2, 901)]);
    const past = (await panels.history()).layerAsOf("2024-02-15").lookup("Module type", related, ["Power"]);
    expect(past.table.array("Power")).toEqual([610, 610]);
    expect(past.provenance.asOf).toBe("2024-02-15");
    const twice = past.lookup("Spares", related, ["Power"], { prefix: "Spares: " });
    expect(twice.table.columnNames().slice(3, 7)).toEqual(["Power", "STATUS", "Spares", "Spares: Power"]);
    expect(twice.table.array("Spares: Power")).toEqual([[580], null]);
    expect((await twice.spatialJoin(twice, { predicate: "nearest", maxMeters: 1 })).array("other.Power")).toEqual([
      610, 610,
    ]);
  });

  it("agrees with a loop over both layers", async () => {
    const id = fc.oneof(fc.constantFrom(900, 901, 902), fc.constant(null));
    const cell = fc.oneof(id, fc.array(id, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 8 }), async (cells) => {
        const [panels, related] = await read(cells.map((value, n) => panel(n + 1, value)));
        const wattsOf = (value: unknown): unknown => models.find((one) => one.id === value)?.properties[power] ?? null;
        const found = panels.lookup("Module type", related, ["Power"]);
        expect(found.table.array("Power")).toEqual(
          cells.map((value) => (Array.isArray(value) ? value.map(wattsOf) : wattsOf(value))),
        );
      }),
      { numRuns: randomRuns(50) },
    );
  });
});
