import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LayerFeature, PropertyChange } from "../../src/api/resources.js";
import { ArgumentError } from "../../src/core/errors.js";
import type { HistoryOptions } from "../../src/history/history-options.js";
import { fromRecords } from "../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

function historyOf(features: readonly LayerFeature[], changes: readonly PropertyChange[], options?: HistoryOptions) {
  const source = fromRecords({
    layerFeatures: features,
    propertyChanges: changes,
    datasets: [dataset(1)],
    propertyDefinitions: [definition(uuid(5, "dddddddd"), "Depth")],
  });
  return source.history({ site_id: 12 }, options);
}

const at = (created_at: string, new_value: unknown, n: number) => change(n, { created_at, new_value });

describe("asOf", () => {
  const features = [
    feature(1, { properties: { STATUS: "CLOSED", VOLUME: 4 } }),
    feature(2, { properties: { STATUS: "OPEN" }, created_at: "2024-07-01T00:00:00Z" }),
  ];
  const log = [
    at("2024-03-01T00:00:00Z", "OPEN", 1),
    at("2024-04-01T00:00:00Z", null, 2),
    at("2024-05-01T00:00:00Z", "CLOSED", 3),
  ];

  it.each([
    ["2024-02-01", "unknown", null],
    ["2024-03-15", "logged", "OPEN"],
    ["2024-04-15", "cleared", null],
    ["2024-05-01", "logged", "CLOSED"],
  ])("on %s says %s", async (date, state, value) => {
    const history = await historyOf(features, log);
    expect(history.asOf(date).object()).toMatchObject({ id: 1, STATUS: value, VOLUME: 4 });
    const states = history.states(date).objects() as Record<string, unknown>[];
    expect(states.filter(({ id }) => id === 1)).toEqual([
      expect.objectContaining({ column: "STATUS", state, value }),
      expect.objectContaining({ column: "VOLUME", state: "unchanged", value: 4 }),
    ]);
  });

  it("leaves out what did not exist yet, or keeps it on request", async () => {
    const history = await historyOf(features, log);
    expect(history.asOf("2024-06-30").array("id")).toEqual([1]);
    expect(history.asOf("2024-07-01").array("id")).toEqual([1, 2]);
    expect(history.asOf("2024-06-30", { absent: "keep" }).objects()[1]).toMatchObject({ id: 2, STATUS: null });
    const states = history.states("2024-06-30", { absent: "keep" }).objects() as Record<string, unknown>[];
    expect(states.filter(({ id }) => id === 2).map(({ state }) => state)).toEqual(["absent", "absent"]);
  });

  it("counts a feature as present once any property changed, chosen or not, even before its creation", async () => {
    const early = change(9, { layer_feature_id: 2, property_key: "VOLUME", created_at: "2024-06-01T00:00:00Z" });
    const history = await historyOf(features, [early], { columns: ["STATUS"] });
    expect(history.asOf("2024-06-15").array("id")).toEqual([1, 2]);
  });

  it("fills the unknown with the first later value on request", async () => {
    const history = await historyOf(features, log);
    expect(history.asOf("2024-02-01", { unknown: "backfill" }).get("STATUS", 0)).toBe("OPEN");
  });

  it("includes an instant itself, to the microsecond, and breaks ties by id", async () => {
    const history = await historyOf(
      [feature(1)],
      [
        at("2024-03-01T00:00:00.000002Z", "b", 1),
        at("2024-03-01T00:00:00.000001Z", "a", 3),
        at("2024-03-01T00:00:00.000002Z", "c", 2),
      ],
    );
    expect(history.asOf("2024-03-01T00:00:00.000001Z").get("STATUS", 0)).toBe("a");
    expect(history.asOf("2024-03-01T00:00:00.000002Z").get("STATUS", 0)).toBe("c");
    expect(history.asOf(new Date("2024-03-01T00:00:00.001Z")).get("STATUS", 0)).toBe("c");
    expect(history.changes.array("value")).toEqual(["a", "b", "c"]);
    expect(history.changes.array("previous")).toEqual([null, "a", "b"]);
    expect(history.changes.array("seq")).toEqual([2, 0, 1]);
  });

  it("ends a calendar date at the next midnight of its zone", async () => {
    const changes = [at("2024-06-30T21:59:59.999999Z", "before", 1), at("2024-06-30T22:00:00Z", "after", 2)];
    const berlin = await historyOf([feature(1)], changes, { timeZone: "Europe/Berlin" });
    expect(berlin.asOf("2024-06-30").get("STATUS", 0)).toBe("before");
    const utc = await historyOf([feature(1)], changes);
    expect(utc.asOf("2024-06-30").get("STATUS", 0)).toBe("after");
  });

  it("gives a property that only the log knows a column", async () => {
    const history = await historyOf(
      [feature(1)],
      [change(1, { property_key: uuid(5, "DDDDDDDD"), new_value: "deep" })],
    );
    expect(history.asOf("2025-01-01").get("Depth", 0)).toBe("deep");
  });

  it.each(["2025-02-30", "yesterday", "2025-06-30T10:00:00", "2025-13-01", ""])("refuses the time %j", async (time) => {
    const history = await historyOf([feature(1)], []);
    expect(() => history.asOf(time)).toThrow(ArgumentError);
  });

  it("refuses unknown columns, zones and invalid dates", async () => {
    const history = await historyOf([feature(1)], []);
    expect(() => history.asOf(new Date(Number.NaN))).toThrow(ArgumentError);
    expect(() => history.asOf("2025-01-01", { columns: ["Nope"] })).toThrow(/Nope/);
    await expect(historyOf([feature(1)], [], { timeZone: "Mars/Olympus" })).rejects.toThrow(/Mars/);
    await expect(historyOf([feature(1)], [], { columns: ["Nope"] })).rejects.toThrow(ArgumentError);
  });
});

describe("against a direct transcription of the rules", () => {
  const instants = [
    "2024-01-01T00:00:00Z",
    "2024-01-01T00:00:00.000001Z",
    "2024-01-02T00:00:00Z",
    "2024-01-03T12:00:00.5Z",
  ];
  const arbitraryChange = fc.record({
    layer_feature_id: fc.constantFrom(1, 2, 3),
    property_key: fc.constantFrom("STATUS", "VOLUME", "ASSIGNEE"),
    new_value: fc.constantFrom<unknown>(null, "a", "b", 1, "1", [1]),
    created_at: fc.constantFrom(...instants),
  });

  function oracle(row: LayerFeature, key: string, log: readonly PropertyChange[], instant: string) {
    const order = (time: string) =>
      time
        .replace("Z", "")
        .padEnd(26, time.includes(".") ? "0" : ".")
        .replace(/\.+$/, ".000000")
        .slice(0, 26);
    const own = log.filter((entry) => entry.layer_feature_id === row.id);
    const until = (entries: readonly PropertyChange[]) =>
      entries.filter((entry) => order(entry.created_at) <= order(instant));
    if (order(row.created_at) > order(instant) && until(own).length === 0) return { state: "absent", value: null };
    const cell = own.filter((entry) => entry.property_key === key);
    if (cell.length === 0) return { state: "unchanged", value: row.properties[key] ?? null };
    const sorted = [...until(cell)].sort((a, b) => (order(a.created_at) + a.id < order(b.created_at) + b.id ? -1 : 1));
    const last = sorted.at(-1);
    if (!last) return { state: "unknown", value: null };
    return { state: last.new_value === null ? "cleared" : "logged", value: last.new_value };
  }

  it("agrees on random logs", async () => {
    const keys = ["ASSIGNEE", "STATUS", "VOLUME"];
    const features = [1, 2, 3].map((id) =>
      feature(id, {
        properties: { STATUS: `s${id}`, VOLUME: id, ASSIGNEE: null },
        created_at: instants[id] ?? "",
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryChange, { maxLength: 25 }),
        fc.constantFrom(...instants),
        async (entries, instant) => {
          const log = entries.map((entry, index) => change(index + 1, entry));
          const history = await historyOf(features, [...log].reverse());
          const expected = features.flatMap((row) =>
            keys.map((key) => ({ id: row.id, column: key, ...oracle(row, key, log, instant) })),
          );
          const actual = (history.states(instant, { absent: "keep" }).objects() as Record<string, unknown>[]).map(
            ({ id, column, state, value }) => ({ id, column, state, value }),
          );
          expect(actual).toEqual(expected);
          const present = new Set(expected.filter(({ state }) => state !== "absent").map(({ id }) => id));
          expect(history.asOf(instant).array("id")).toEqual([...present]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
