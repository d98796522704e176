import fc from "fast-check";
import { expect, test } from "vitest";
import { UUID_WORDS, uuidText } from "../../../src/core/uuid.js";
import {
  type ChangeColumns,
  changeColumnsOfRecords,
  changeFlags,
  sliceChanges,
} from "../../../src/tables/read/change-columns.js";
import { KeptChanges, PassingChanges, SharedList } from "../../../src/tables/read/kept-changes.js";
import { change, uuid } from "../../support/records.js";

/** The changes of columns as plain objects. Reads each column once. */
function rowsOf({ rowCount, ids, featureIds, timesUs, flags, causes, keys, values, users }: ChangeColumns) {
  let cause = 0;
  return Array.from({ length: rowCount }, (_, row) => {
    const flag = flags[row] ?? 0;
    const isCaused = (flag & changeFlags.caused) !== 0;
    if (isCaused) cause += 1;
    return {
      id: uuidText(ids, UUID_WORDS * row),
      feature: featureIds[row],
      us: timesUs[row],
      flag,
      key: keys.values[keys.codes[row] ?? -1],
      value: values.values[values.codes[row] ?? -1],
      user: users.values[users.codes[row] ?? -1],
      cause: isCaused ? uuidText(causes, UUID_WORDS * (cause - 1)) : null,
    };
  });
}

const record = fc
  .record({
    new_value: fc.constantFrom<unknown>(null, true, 0, -0, 1.5, "a", "b", ["x"], { a: 1 }),
    layer_feature_id: fc.nat({ max: 5 }),
    property_key: fc.constantFrom("STATUS", "VOLUME"),
    system: fc.boolean(),
    user_id: fc.constantFrom(null, 7, 8),
    caused_by_change_id: fc.option(fc.nat({ max: 99 }).map(uuid), { nil: null }),
    created_at: fc.constantFrom(
      "2024-01-01T00:00:00Z",
      "2024-01-01T00:00:00.000001",
      "2016-12-31T23:59:60Z",
      "2024-02-30",
    ),
  })
  .map((given) => change(1, given));
const page = fc.record({
  records: fc.array(record, { maxLength: 12 }),
  from: fc.nat({ max: 3 }),
  to: fc.nat({ max: 3 }),
});

test("keeps parts of pages unchanged, in segments of every size", () => {
  fc.assert(
    fc.property(
      fc.array(page),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
      (pages, sizes) => {
        const kept = new KeptChanges(sizes);
        const wanted = pages.flatMap(({ records, from, to }, n) => {
          const columns = changeColumnsOfRecords(records.map((one, row) => ({ ...one, id: uuid(100 * n + row) })));
          const [start, end] = [
            Math.min(from, records.length),
            Math.max(records.length - to, Math.min(from, records.length)),
          ];
          const slice = sliceChanges(columns, start, end);
          kept.add(slice);
          return rowsOf(slice);
        });
        const parts = kept.parts();
        expect(parts.map(({ rowCount }) => rowCount)).toEqual(segmentsOf(wanted.length, sizes));
        expect(parts.flatMap(rowsOf)).toEqual(wanted);
        expect(kept.parts()).toEqual([]);
      },
    ),
  );
});

function segmentsOf(count: number, sizes: readonly number[]): readonly number[] {
  const lengths: number[] = [];
  for (let rest = count; rest > 0; ) {
    const size = sizes[lengths.length] ?? sizes.at(-1) ?? 1;
    lengths.push(Math.min(size, rest));
    rest -= size;
  }
  return lengths;
}

test("widens codes as values are added, and keeps earlier codes", () => {
  const kept = new KeptChanges([100_000]);
  const records = Array.from({ length: 70_000 }, (_, n) => change(n, { new_value: n, caused_by_change_id: uuid(n) }));
  for (const [start, end] of [
    [0, 200],
    [200, 300],
    [300, 70_000],
  ])
    kept.add(changeColumnsOfRecords(records.slice(start, end)));
  const [part] = kept.parts();
  const rows = part ? rowsOf(part) : [];
  expect(rows.map(({ value }) => value)).toEqual(records.map(({ new_value }) => new_value));
  expect(rows.map(({ cause }) => cause)).toEqual(records.map(({ caused_by_change_id }) => caused_by_change_id));
});

test("returns a column once, and releases its memory on request", () => {
  const kept = new KeptChanges([100_000]);
  kept.add(changeColumnsOfRecords([change(1), change(2)]));
  const [part] = kept.parts();
  const ids = part?.ids ?? new Uint32Array();
  expect(ids.length).toBe(2 * UUID_WORDS);
  part?.forget?.(ids);
  expect(ids.length).toBe(0);
  expect(() => part?.ids).toThrow("ids of changes were given away already");
});

test("passing changes return each long column once, and keep their lists of values", () => {
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

const objects = [["a"], { a: 1 }, ["a"]];
const value = fc.constantFrom<unknown>(null, true, false, 0, -0, 1, "0", "", "a", ...objects);

test("gives each value one code in all lists", () => {
  fc.assert(
    fc.property(fc.array(fc.array(value)), (lists) => {
      const shared = new SharedList();
      const codes = lists.map((list) => shared.codesOf(list));
      const decoded = codes.map((ofList) => Array.from(ofList, (code) => shared.values[code]));
      for (const [n, list] of lists.entries()) {
        expect(decoded[n]?.every((found, index) => Object.is(found, list[index]))).toBe(true);
      }
      const different = lists
        .flat()
        .filter((one, index, all) => all.findIndex((other) => Object.is(one, other)) === index);
      expect(shared.values).toEqual(different);
    }),
  );
});

test("lists all values if few of them repeat", () => {
  const shared = new SharedList(4);
  const lists = [["a", "b"], ["a"], ["c", "d"], ["a", "e"]];
  const decoded = lists.map((list) => Array.from(shared.codesOf(list), (code) => shared.values[code]));
  expect(decoded).toEqual(lists);
  expect(shared.values).toEqual(["a", "b", "c", "d", "a", "e"]);
});

test("looks values up as long as they repeat", () => {
  const shared = new SharedList(4);
  for (let n = 0; n < 3; n += 1) shared.codesOf(["a", "b"]);
  expect([...shared.codesOf(["a", "c", "d", "a", "e"])]).toEqual([0, 2, 3, 0, 4]);
  expect(shared.values).toEqual(["a", "b", "c", "d", "e"]);
});
