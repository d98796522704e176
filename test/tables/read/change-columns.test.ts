import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { PropertyChange } from "../../../src/api/resources.js";
import { uuidText } from "../../../src/core/uuid.js";
import { finishPage } from "../../../src/tables/read/assemble-pages.js";
import {
  type ChangeColumns,
  type CodedColumn,
  changeColumnsOfBytes,
  changeColumnsOfRecords,
  changeFlags,
  sliceChanges,
} from "../../../src/tables/read/change-columns.js";
import { readPage } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, uuid } from "../../support/records.js";
import { ways } from "../ways.js";

/** Bytes from which on a page is read in WebAssembly. */
let large = 0;

function columnsOf(changes: readonly object[]) {
  const reader = new RecordReader("propertyChanges", large);
  readPage(Buffer.from(JSON.stringify({ data: changes })), reader);
  return changeColumnsOfBytes(finishPage(reader, reader.take()));
}

const uuids = (words: Uint32Array) => Array.from({ length: words.length / 4 }, (_, n) => uuidText(words, 4 * n));

describe.each(ways)("columns of property changes, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it("hold numbers, codes and instants instead of records", () => {
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
    expect(columns.keys).toEqual({ codes: new Uint8Array(8), values: ["STATUS"] });
    expect(columns.users.values).toEqual([null, 7]);
    const { system, caused } = changeFlags;
    expect([...columns.flags]).toEqual([system, 0, system, caused, system, 0, system, 0]);
    expect([...columns.featureIds]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(uuids(columns.ids)).toEqual(changes.map(({ id }) => id));
    expect(uuids(columns.causes)).toEqual([uuid(1)]);
    expect(columns.timesUs[7]).toBe(Date.UTC(2024, 5, 1) * 1000 + 7);
  });

  it("are sliced without a copy, each change with its cause", () => {
    const causes = [uuid(90), null, uuid(91).toUpperCase(), uuid(92), null];
    const changes = causes.map((caused_by_change_id, n) => change(n, { caused_by_change_id, new_value: n }));
    const columns = columnsOf(changes);
    for (const [start, end] of [
      [0, 5],
      [1, 4],
      [2, 3],
      [4, 4],
    ] as const) {
      const slice = sliceChanges(columns, start, end);
      expect(slice.rowCount).toBe(end - start);
      expect(uuids(slice.ids)).toEqual(changes.slice(start, end).map(({ id }) => id));
      expect(Array.from(slice.values.codes, (code) => slice.values.values[code])).toEqual(
        [0, 1, 2, 3, 4].slice(start, end),
      );
      const named = causes.slice(start, end).flatMap((cause) => (cause === null ? [] : [cause.toLowerCase()]));
      expect(uuids(slice.causes)).toEqual(named);
      expect(slice.ids.buffer).toBe(columns.ids.buffer);
    }
  });

  it("flag times without a zone and leap seconds, and hold NaN for invalid times", () => {
    const texts = ["2024-06-01T00:00:00Z", "2024-06-01T00:00:00", "soon", "2024-05-31T24:00:00"];
    const columns = columnsOf(texts.map((created_at, n) => change(n, { created_at })));
    const { zoneless, rolledOver } = changeFlags;
    expect([...columns.flags]).toEqual([0, zoneless, 0, zoneless + rolledOver]);
    const june = Date.UTC(2024, 5, 1) * 1000;
    expect([...columns.timesUs]).toEqual([june, june, Number.NaN, june]);
  });

  it("equal the columns of the same records, in any notation", () => {
    fc.assert(
      fc.property(
        fc.array(anyChange, { maxLength: 30 }),
        fc.array(anyWriting, { minLength: 1 }),
        (changes, writings) => {
          const text = changes.map((record, n) => written(record, writings[n % writings.length] ?? "plain")).join(",");
          const reader = new RecordReader("propertyChanges", large);
          readPage(Buffer.from(`{"data":[${text}]}`), reader);
          const read = changeColumnsOfBytes(finishPage(reader, reader.take()));
          expect(plain(read)).toEqual(plain(changeColumnsOfRecords(changes as unknown as PropertyChange[])));
        },
      ),
      { numRuns: randomRuns(120) },
    );
  });
});

const hex = fc.integer({ min: 0, max: 0xffff }).map((n) => uuid(n).replace(/^0/, "a"));
const anyUuid = fc.oneof(
  { weight: 8, arbitrary: hex },
  { weight: 1, arbitrary: hex.map((text) => text.toUpperCase()) },
);
const rarely = <T, U>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare });

/** Changes that a lenient read accepts. */
const anyChange = fc.record({
  id: anyUuid,
  layer_feature_id: fc.nat(),
  property_key: fc.constantFrom("STATUS", "status", "a longer key of a property", ""),
  new_value: fc.oneof(
    fc.constantFrom(null, true, false, 0, -0.5, 1e300, "OPEN", "OPEN \u00fc", ""),
    fc.string({ unit: "binary", maxLength: 5 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.array(fc.nat(3), { maxLength: 2 }),
  ),
  system: rarely(fc.boolean(), fc.constantFrom(null, "true", 1)),
  user_id: fc.option(fc.nat(4)),
  caused_by_change_id: fc.option(anyUuid, { freq: 3 }),
  created_at: rarely(
    fc.integer({ min: 0, max: 9999 }).map((n) => `2024-05-06T07:08:09.${String(n).padStart(4, "0")}Z`),
    fc.constantFrom(null, "2024-06-01T00:00:00", "2024-05-31T24:00:00Z", "soon", 17),
  ),
});

const anyWriting = fc.constantFrom("plain", "plain", "plain", "spaced", "reversed", "id twice");

function written(record: object, writing: string): string {
  const text = JSON.stringify(record);
  if (writing === "spaced") return JSON.stringify(record, null, 1);
  if (writing === "reversed") return JSON.stringify(Object.fromEntries(Object.entries(record).reverse()));
  return writing === "id twice" ? text.replace("{", `{"id":"${uuid(3)}",`) : text;
}

/** Columns with values instead of codes. */
function plain({ keys, values, users, ids, causes, ...rest }: ChangeColumns) {
  const decoded = ({ codes, values: of }: CodedColumn) => Array.from(codes, (code) => of[code]);
  return {
    ...rest,
    keys: decoded(keys),
    values: decoded(values),
    users: decoded(users),
    ids: uuids(ids),
    causes: uuids(causes),
  };
}
