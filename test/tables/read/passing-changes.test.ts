import { expect, test } from "vitest";
import { changeColumnsOfRecords } from "../../../src/tables/read/change-columns.js";
import { PassingChanges } from "../../../src/tables/read/passing-changes.js";
import { change } from "../../support/records.js";

test("changes give each long column away once, as it was, and keep their lists of values", () => {
  const changes = changeColumnsOfRecords([change(1, { new_value: ["a"] }), change(2)]);
  const passing = new PassingChanges(changes);
  for (const name of ["ids", "featureIds", "timesUs", "flags", "causes"] as const) {
    expect(passing[name]).toBe(changes[name]);
    expect(() => passing[name]).toThrow(`${name} of changes were given away already`);
  }
  for (const name of ["rowCount", "keys", "values", "users"] as const) {
    expect(passing[name]).toBe(changes[name]);
    expect(passing[name]).toBe(changes[name]);
  }
});
