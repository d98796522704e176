import { expect, test } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import { fromRecords } from "../../src/source/from-records.js";
import { change, feature } from "../support/records.js";

const source = fromRecords({
  layerFeatures: [feature(1, { properties: { STATUS: "OPEN" } }), feature(2, { properties: { STATUS: "CLOSED" } })],
  propertyChanges: [change(1, { layer_feature_id: 1, new_value: "OPEN" })],
});
const layer = await source.layer({ site_id: 12 });
const history = await layer.history();

test("layers have columns and a length, and histories a length", () => {
  expect(layer.columns).toEqual(layer.table.columnNames());
  expect([layer.length, history.length]).toEqual([2, history.changes().numRows()]);
});

test("derive() accepts the object form of Arquero", () => {
  const derived = layer.derive(
    { Double: (d) => 2 * Number(d["id"]), More: (d) => Number(d["Double"]) + 1 },
    { unit: "m" },
  );
  expect(derived.table.array("More")).toEqual([3, 5]);
  expect(derived.added).toEqual(["Double", "More"]);
  expect(derived.schema.find(({ column }) => column === "Double")?.unit).toBe("m");
});

test.each<[string, () => unknown, string]>([
  ["history.at() of a date", () => history.at("2025-06-30" as never), "Did you mean asOf()?"],
  ["history.at() of a table", () => history.at([{ id: 1 }] as never), "Did you mean joinAsOf()?"],
  ["layer.join()", () => layer.join({} as never), "spatialJoin()"],
  ["layer.join() by key", () => layer.join({} as never), "layer.table.join("],
  ["layer.filter()", () => layer.filter((() => true) as never), "layer.table.filter("],
  ["layer.head()", () => layer.head(5 as never), "layer.table.slice("],
])("%s names the method to use", (_, call, hint) => {
  expect(call).toThrow(ArgumentError);
  expect(call).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }));
});
