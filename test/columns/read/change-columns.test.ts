import { describe, expect, it } from "vitest";
import { finishPage } from "../../../src/columns/read/assemble-pages.js";
import { changeColumnsOfBytes } from "../../../src/columns/read/change-columns.js";
import { readPage } from "../../../src/columns/read/read-page.js";
import { RecordReader } from "../../../src/columns/read/record-reader.js";
import { change, uuid } from "../../support/records.js";

function columnsOf(changes: readonly object[]) {
  const reader = new RecordReader("propertyChanges");
  readPage(Buffer.from(JSON.stringify({ data: changes })), reader);
  return changeColumnsOfBytes(finishPage(reader, reader.take()));
}

describe("columns of property changes", () => {
  it("holds numbers, codes and instants instead of records", () => {
    const values = ["OPEN", null, 1.5, ["a"], "OPEN", true, 1.5, ["a"]];
    const changes = values.map((new_value, n) =>
      change(n + 1, {
        new_value,
        layer_feature_id: n,
        system: n % 2 === 0,
        user_id: n % 2 === 0 ? null : 7,
        created_at: `2024-06-01T00:00:00.00000${n}Z`,
        caused_by_change_id: n === 3 ? uuid(1) : null,
      }),
    );
    const columns = columnsOf(changes);
    expect(Array.from(columns.values.codes, (code) => columns.values.values[code])).toEqual(values);
    expect(columns.values.values).toEqual(["OPEN", null, 1.5, ["a"], true, ["a"]]);
    expect(columns.keys).toEqual({ codes: new Int32Array(8), values: ["STATUS"] });
    expect(columns.users.values).toEqual([null, 7]);
    expect([...columns.system]).toEqual([1, 0, 1, 0, 1, 0, 1, 0]);
    expect([...columns.featureIds]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([...columns.ids]).toEqual(changes.map(({ id }) => id));
    expect(columns.causes.at(3)).toBe(uuid(1));
    expect(columns.timesUs[7]).toBe(Date.UTC(2024, 5, 1) * 1000 + 7);
    expect(columns.zoneless).toBe(0);
  });

  it("counts times without a zone, and tells what is no time", () => {
    const texts = ["2024-06-01T00:00:00Z", "2024-06-01T00:00:00", "soon"];
    const columns = columnsOf(texts.map((created_at, n) => change(n, { created_at })));
    expect(columns.zoneless).toBe(1);
    expect([...columns.timesUs]).toEqual([Date.UTC(2024, 5, 1) * 1000, Date.UTC(2024, 5, 1) * 1000, Number.NaN]);
  });
});
