import { inspect, types } from "node:util";
import { ColumnTable } from "arquero";
import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import { LazyHistory } from "../../src/history/lazy/lazy-history.js";
import {
  compareCaptures,
  diagnosticsOf,
  fromChanges,
  fromRecords,
  inspection,
  openSnapshot,
  progress,
} from "../../src/index.js";
import { histogram, layerMap, Plot, plot, sCurve } from "../../src/plot/index.js";
import { Snapshot } from "../../src/snapshot/snapshot.js";
import { show } from "../../src/tables/display/show.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { site } from "../snapshot/moving-service.js";
import { feature } from "../support/records.js";

const source = fromRecords(
  {
    sites: [site(12)],
    datasets: [],
    layerFeatures: [feature(1, { site_id: 12, properties: { STATUS: "OPEN" } })],
    propertyChanges: [],
  },
  { readAt: new Date("2024-03-31") },
);
const layer = await source.layer({ site_id: 12 });
const history = await layer.history();
const park = await source.site(12);
const changes = [{ id: 1, at: "2024-01-01", state: "OPEN" }];
const changeOptions = { id: "id", property: "STATUS", value: "state", time: "at", timeZone: "UTC" } as const;

// A promise instead of its value, as in a script without type checks.
// biome-ignore lint/suspicious/noExplicitAny: see above
const unchecked = (value: unknown): any => value;

/** Use without `await`, the call that returned the promise, and the member that the promise lacks. */
const forgotten: Readonly<Record<string, readonly [use: () => unknown, call: string, member?: string]>> = {
  "a layer of a site": [() => unchecked(source.site(12)).layer("X"), "source.site", "layer"],
  "a history of a layer": [() => unchecked(source.layer({ site_id: 12 })).history(), "source.layer", "history"],
  "a layer's table": [() => unchecked(park.layer("X" as never)).table, "site.layer", "table"],
  "a question of a history": [() => unchecked(layer.history()).asOf("2024-01-01"), "layer.history", "asOf"],
  "rows of a table": [() => unchecked(source.sites()).objects(), "source.sites", "objects"],
  "a verb": [() => unchecked(layer.sql("SELECT 1")).filter(() => true), "layer.sql", "filter"],
  "a loop": [
    () => {
      for (const row of unchecked(layer.centroids())) return row;
    },
    "layer.centroids",
    "rows",
  ],
  "a spread": [() => [...unchecked(layer.centroids())], "layer.centroids", "rows"],
  "a snapshot": [() => unchecked(openSnapshot("none")).layer({ site_id: 1 }), "openSnapshot", "layer"],
  "a history of changes": [
    () => unchecked(fromChanges(changes, changeOptions)).counts("STATUS", []),
    "fromChanges",
    "counts",
  ],
  comparisons: [
    () => unchecked(compareCaptures([layer, layer], { maxMeters: 1 })).groupby("capture"),
    "compareCaptures",
    "groupby",
  ],
  inspections: [
    () => unchecked(inspection([layer], { classColumn: "STATUS" } as never)).anomalies,
    "inspection",
    "anomalies",
  ],
  "progress of a site": [
    () => unchecked(progress([history] as never, { done: "OPEN" } as never)).totals,
    "progress",
    "totals",
  ],
  "a figure": [() => layerMap(unchecked(source.layer({ site_id: 12 }))), "source.layer"],
  "a figure of a history": [
    () => sCurve(unchecked(layer.history()), "STATUS", { until: "2024-02-01" }),
    "layer.history",
  ],
  "a mark": [
    () => plot({ marks: [Plot.dot(unchecked(layer.centroids()), { x: "id" })] }).toSVG(),
    "layer.centroids",
    "",
  ],
  "a table that is shown": [() => show(unchecked(layer.centroids())), "layer.centroids"],
  "a join": [() => layer.table.join(unchecked(layer.centroids()), "id"), "layer.centroids", ""],
  diagnostics: [() => diagnosticsOf(unchecked(source.layer({ site_id: 12 }))), "source.layer", "diagnostics"],
};

describe("a forgotten await is reported by", () => {
  test.each(Object.entries(forgotten))("%s", (_, [use, call, member]) => {
    const failed = failure(use);
    expect(failed).toBeInstanceOf(ArgumentError);
    const problem = member === undefined ? "was given where its value is needed." : `has no ${member}`;
    expect(failed.message).toContain(`${call}() returns a promise, which ${problem}`);
    const isWhole = member === undefined || member === "rows";
    const fix = isWhole ? `await ${call}(…)` : `(await ${call}(…)).${member}`;
    expect(failed.hint).toContain(`Did you forget \`await\`? Write ${fix}`);
  });

  test("figures of any promise", () => {
    const own = (async () => layer)();
    expect(failure(() => histogram(unchecked(own), "STATUS"))).toMatchObject({
      message: "A promise was given where its value is needed.",
      hint: "Did you forget `await`?",
    });
  });
});

describe("a promise of Siteframe", () => {
  test("can be awaited in every way", async () => {
    const promise = source.layer({ site_id: 12 });
    expect(promise).toBeInstanceOf(Promise);
    expect(types.isPromise(promise)).toBe(true);
    expect(Promise.resolve(promise)).toBe(promise);
    expect(Object.keys(promise)).toEqual([]);
    const [awaited] = await Promise.all([promise, source.sites()]);
    expect(awaited.rowCount).toBe(1);
    expect(await promise.then(({ rowCount }) => rowCount)).toBe(1);
    expect(await promise.finally(() => undefined)).toBe(awaited);
    expect((await Promise.allSettled([promise]))[0]).toMatchObject({ status: "fulfilled" });
    await expect(Promise.race([promise])).resolves.toBe(awaited);
    await expect(openSnapshot("none").catch(() => "caught")).resolves.toBe("caught");
  });

  test("is printed as a promise", async () => {
    const promise = source.layer({ site_id: 12 });
    expect(inspect(promise)).toBe("Promise { <pending> }");
    expect(JSON.stringify({ promise })).toBe('{"promise":{}}');
    expect(String(promise)).toBe("[object Promise]");
    expect(inspect(promise, { showHidden: true, depth: 4 })).toContain("Promise {");
    expect(failure(() => expect(promise).toBe(1)).message).toBe("expected Promise{…} to be 1 // Object.is equality");
    await promise;
    expect(inspect(promise, { depth: -1 })).toBe("[Promise]");
  });

  test("is shown with a hint as the result of a cell", async () => {
    const hint = "Did you forget `await`? Write await source.layer(…).";
    expect(await toMimeBundle(source.layer({ site_id: 12 }))).toEqual({
      "text/plain": `Promise { <pending> }\n${hint}`,
    });
    expect(await toMimeBundle(new Promise(() => undefined))).toEqual({ "text/plain": "Promise { <pending> }" });
  });

  test("accepts new properties", () => {
    const promise = unchecked(source.sites());
    promise.table = "mine";
    expect(promise.table).toBe("mine");
  });
});

test("a forgotten await causes no unhandled rejection", async () => {
  const seen: unknown[] = [];
  const take = (reason: unknown) => seen.push(reason);
  process.on("unhandledRejection", take);
  failure(() => unchecked(openSnapshot("none")).layer({ site_id: 1 }));
  await new Promise((done) => setTimeout(done, 200));
  process.off("unhandledRejection", take);
  expect(seen).toEqual([]);
});

test("every member of returned objects is known", () => {
  /** Members of any value or of promises, and members that users do not call. */
  const others =
    "constructor catch finally then name size id data reader toJSON input past definitions engine kinds mistyped " +
    "length heldValues goneDiagnostics presentKinds scope scopeParts sandboxed valueOrder";
  const given = [ColumnTable.prototype, layer, history, park, Snapshot.prototype, LazyHistory.prototype];
  const promise = source.sites();
  const missing = [...new Set(given.flatMap(membersOf))].filter((name) => !(name in promise));
  expect(missing.filter((name) => !others.split(" ").includes(name))).toEqual([]);
});

function membersOf(value: object): readonly string[] {
  const own = Object.getOwnPropertyNames(value).filter((name) => !name.startsWith("_"));
  const above: unknown = Object.getPrototypeOf(value);
  return above === null || above === Object.prototype ? own : [...own, ...membersOf(above as object)];
}

function failure(use: () => unknown): ArgumentError {
  try {
    use();
  } catch (error) {
    return error as ArgumentError;
  }
  throw new Error("It did not fail.");
}
