import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PropertyChange } from "../../../src/api/resources.js";
import { compareText } from "../../../src/core/json.js";
import { type ChangeLog, causeId } from "../../../src/history/log/change-log.js";
import { logFromColumns } from "../../../src/history/log/log-from-columns.js";
import { changeColumnsOfRecords } from "../../../src/tables/read/change-columns.js";
import { randomRuns } from "../../support/random-runs.js";
import { change } from "../../support/records.js";

const id = (n: number) => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
const inCase = (text: string, upper: boolean) => (upper ? text.toUpperCase() : text);
const value = fc.constantFrom<unknown>(null, "a", "1", 1, 0, -0, true, [1, "x"], { a: 1, b: [-0] }, { b: [0], a: 1 });

const changes = fc.array(
  fc
    .record({
      n: fc.integer({ min: 0, max: 0xaf }),
      feature: fc.constantFrom(1, 2, 3, 99),
      key: fc.constantFrom("STATUS", "VOLUME", id(0xab)),
      upper: fc.boolean(),
      new_value: value,
      system: fc.boolean(),
      user_id: fc.constantFrom(null, 7, 8),
      cause: fc.option(fc.integer({ min: 0, max: 0xbf }), { nil: null }),
      created_at: fc.constantFrom("2024-01-01T00:00:00Z", "2024-01-01T00:00:00", "2016-12-31T23:59:60Z", "2024-02-30"),
    })
    .map(({ n, feature, key, upper, cause, ...rest }): PropertyChange => {
      const caused_by_change_id = cause === null ? null : inCase(id(cause), !upper);
      const property_key = key === "STATUS" ? key : inCase(key, upper);
      return change(n, {
        ...rest,
        id: inCase(id(n), upper),
        layer_feature_id: feature,
        property_key,
        caused_by_change_id,
      });
    }),
  { maxLength: 60 },
);

const rowOf = new Map([1, 2, 3].map((feature, row) => [feature, row]));

/** The changes of a log, as objects. */
function changesOf(log: ChangeLog) {
  return Array.from({ length: log.length }, (_, change) => ({
    id: log.ids.at(change),
    row: log.rows[change],
    key: log.keys[log.keyCodes[change] ?? 0],
    value: log.values[log.valueCodes[change] ?? 0],
    us: log.timesUs[change],
    system: log.system[change] === 1,
    user: log.users[log.userCodes[change] ?? 0],
    cause: causeId(log, change),
  }));
}

function wantedOf(all: readonly PropertyChange[]) {
  const first = new Map<string, PropertyChange>();
  for (const one of all) {
    const key = one.id.toLowerCase();
    if (one.layer_feature_id !== 99 && !first.has(key)) first.set(key, one);
  }
  const wanted = [...first].sort(([a], [b]) => compareText(a, b)).map(([, one]) => one);
  const canonical = (one: PropertyChange) =>
    wanted.find(({ new_value }) => JSON.stringify(sortKeys(new_value)) === JSON.stringify(sortKeys(one.new_value)));
  return wanted.map((one) => ({
    id: one.id.toLowerCase(),
    row: one.layer_feature_id - 1,
    key: one.property_key.length === 36 ? one.property_key.toLowerCase() : one.property_key,
    value: canonical(one)?.new_value,
    us: usOf(one.created_at),
    text: one.created_at,
    system: one.system,
    user: one.user_id,
    cause: one.caused_by_change_id?.toLowerCase() ?? null,
  }));
}

const sortKeys = (given: unknown): unknown =>
  typeof given === "object" && given !== null && !Array.isArray(given)
    ? Object.fromEntries(Object.entries(given).sort(([a], [b]) => compareText(a, b)))
    : given;

const usOf = (text: string) =>
  text === "2024-02-30" ? Number.NaN : 1000 * (text.endsWith("60Z") ? Date.UTC(2017, 0, 1) : Date.UTC(2024, 0, 1));

describe("a log from columns", () => {
  it("is the same for changes in any parts and order", () => {
    const cuts = fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 }));
    const check = (all: readonly PropertyChange[], [a, b]: readonly [number, number]) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const parts = [all.slice(0, from), all.slice(from, to), all.slice(to)].map(changeColumnsOfRecords);
      const { log, whole, diagnostics } = logFromColumns(parts, rowOf, false);
      const wanted = wantedOf(all);
      expect(changesOf(whole)).toEqual(wanted.map(({ text: _, ...one }) => ({ ...one, us: one.us || 0 })));
      const dated = wanted.filter(({ us }) => !Number.isNaN(us));
      expect(changesOf(log)).toEqual(dated.map(({ text: _, ...one }) => one));
      expect(log === whole).toBe(dated.length === wanted.length);
      const count = (code: string) => diagnostics.find((diagnostic) => diagnostic.code === code)?.count ?? 0;
      expect(count("timestamp-impossible")).toBe(wanted.length - dated.length);
      expect(count("timestamp-without-zone")).toBe(wanted.filter(({ text }) => text.endsWith("00")).length);
      expect(count("timestamp-rolled-over")).toBe(wanted.filter(({ text }) => text.endsWith("60Z")).length);
      // Keys are in the order of their first change.
      expect(whole.keys).toEqual([...new Set(wanted.map(({ key }) => key))]);
    };
    fc.assert(fc.property(changes, cuts, check), { numRuns: randomRuns(300) });
  });

  it("throws with the first change whose time does not exist", () => {
    const all = [3, 1, 2].map((n) => change(n, { id: id(n), created_at: n === 1 ? "2024-01-01T00:00:00Z" : "soon" }));
    expect(() => logFromColumns([changeColumnsOfRecords(all)], new Map([[1, 0]]))).toThrow(id(2));
  });

  it("resolves causes, and lists each unknown cause once", () => {
    const length = 1000;
    const causeOf = (n: number) => (n % 3 === 0 ? null : n % 3 === 1 ? (n * 389) % length : length + (n % 5));
    const all = Array.from({ length }, (_, n) => {
      const cause = causeOf(n);
      return change(n, { id: id(n), caused_by_change_id: cause === null ? null : id(cause) });
    });
    const { log } = logFromColumns([changeColumnsOfRecords(all.toReversed())], new Map([[1, 0]]));
    expect(changesOf(log).map(({ cause }) => cause)).toEqual(all.map(({ caused_by_change_id }) => caused_by_change_id));
    expect(new Set(log.outsideCauses).size).toBe(log.outsideCauses.length);
    expect(log.outsideCauses).toHaveLength(5);
  });
});
