import { inspect, types } from "node:util";
import { ColumnTable } from "arquero";
import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import { Questions } from "../../src/history/questions/questions.js";
import {
  compareCaptures,
  findingsOf,
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

// A promise where its value should be, as in a script that nobody checks.
// biome-ignore lint/suspicious/noExplicitAny: see above
const unchecked = (value: unknown): any => value;

/** What is forgotten, and what is told. */
const forgotten: Readonly<Record<string, readonly [use: () => unknown, message: string, written: string]>> = {
  "a layer of a site": [
    () => unchecked(source.site(12)).layer("X"),
    "source.site() gives a promise, which has no layer before it is awaited.",
    "(await source.site(…)).layer",
  ],
  "a history of a layer": [
    () => unchecked(source.layer({ site_id: 12 })).history(),
    "source.layer() gives a promise, which has no history before it is awaited.",
    "(await source.layer(…)).history",
  ],
  "a layer's table": [
    () => unchecked(park.layer("X" as never)).table,
    "site.layer() gives a promise, which has no table before it is awaited.",
    "(await site.layer(…)).table",
  ],
  "a question of a history": [
    () => unchecked(layer.history()).asOf("2024-01-01"),
    "layer.history() gives a promise, which has no asOf before it is awaited.",
    "(await layer.history(…)).asOf",
  ],
  "rows of a table": [
    () => unchecked(source.sites()).objects(),
    "source.sites() gives a promise, which has no objects before it is awaited.",
    "(await source.sites(…)).objects",
  ],
  "a verb": [
    () => unchecked(layer.sql("SELECT 1")).filter(() => true),
    "layer.sql() gives a promise, which has no filter before it is awaited.",
    "(await layer.sql(…)).filter",
  ],
  "a loop": [
    () => {
      for (const row of unchecked(layer.places())) return row;
    },
    "layer.places() gives a promise, which has no rows before it is awaited.",
    "await layer.places(…)",
  ],
  "a spread": [
    () => [...unchecked(layer.places())],
    "layer.places() gives a promise, which has no rows before it is awaited.",
    "await layer.places(…)",
  ],
  "a snapshot": [
    () => unchecked(openSnapshot("none")).layer({ site_id: 1 }),
    "openSnapshot() gives a promise, which has no layer before it is awaited.",
    "(await openSnapshot(…)).layer",
  ],
  "a history of changes": [
    () => unchecked(fromChanges(changes, changeOptions)).counts("STATUS", []),
    "fromChanges() gives a promise, which has no counts before it is awaited.",
    "(await fromChanges(…)).counts",
  ],
  comparisons: [
    () => unchecked(compareCaptures([layer, layer], { maxDistance: 1 })).groupby("capture"),
    "compareCaptures() gives a promise, which has no groupby before it is awaited.",
    "(await compareCaptures(…)).groupby",
  ],
  inspections: [
    () => unchecked(inspection([layer], { classes: "STATUS" } as never)).anomalies,
    "inspection() gives a promise, which has no anomalies before it is awaited.",
    "(await inspection(…)).anomalies",
  ],
  "progress of a site": [
    () => unchecked(progress([history] as never, { done: "OPEN" } as never)).totals,
    "progress() gives a promise, which has no totals before it is awaited.",
    "(await progress(…)).totals",
  ],
  "a figure": [
    () => layerMap(unchecked(source.layer({ site_id: 12 }))),
    "source.layer() gives a promise, which was given where its value is needed.",
    "await source.layer(…)",
  ],
  "a figure of a history": [
    () => sCurve(unchecked(layer.history()), "STATUS", { until: "2024-02-01" }),
    "layer.history() gives a promise, which was given where its value is needed.",
    "await layer.history(…)",
  ],
  "a figure of one's own": [
    () => plot({ marks: [Plot.dot(unchecked(layer.places()), { x: "id" })] }).toSVG(),
    "layer.places() gives a promise, which",
    "await layer.places(…)",
  ],
  "a table that is shown": [
    () => show(unchecked(layer.places())),
    "layer.places() gives a promise, which was given where its value is needed.",
    "await layer.places(…)",
  ],
  "a join": [
    () => layer.table.join(unchecked(layer.places()), "id"),
    "layer.places() gives a promise, which has no",
    "(await layer.places(…)).",
  ],
  findings: [
    () => findingsOf(unchecked(source.layer({ site_id: 12 }))),
    "source.layer() gives a promise, which has no findings before it is awaited.",
    "(await source.layer(…)).findings",
  ],
};

describe("a forgotten await is told by", () => {
  test.each(Object.entries(forgotten))("%s", (_, [use, message, written]) => {
    const failed = failure(use);
    expect(failed).toBeInstanceOf(ArgumentError);
    expect(failed.message).toContain(message);
    expect(failed.hint).toContain("Did you forget `await`? Write ");
    expect(failed.hint).toContain(written);
  });

  test("figures of a promise of the user's own", () => {
    const own = (async () => layer)();
    expect(failure(() => histogram(unchecked(own), "STATUS"))).toMatchObject({
      message: "A promise was given where its value is needed.",
      hint: "Did you forget `await`?",
    });
  });
});

describe("a promise of ours stays a promise", () => {
  test("to those who await it, in whatever way", async () => {
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

  test("to those who print it", async () => {
    const promise = source.layer({ site_id: 12 });
    expect(inspect(promise)).toBe("Promise { <pending> }");
    expect(JSON.stringify({ promise })).toBe('{"promise":{}}');
    expect(String(promise)).toBe("[object Promise]");
    expect(inspect(promise, { showHidden: true, depth: 4 })).toContain("Promise {");
    expect(failure(() => expect(promise).toBe(1)).message).toBe("expected Promise{…} to be 1 // Object.is equality");
    await promise;
    expect(inspect(promise, { depth: -1 })).toBe("[Promise]");
  });

  test("but for a cell that ends with it, which says what was meant", async () => {
    const hint = "Did you forget `await`? Write await source.layer(…).";
    expect(await toMimeBundle(source.layer({ site_id: 12 }))).toEqual({
      "text/plain": `Promise { <pending> }\n${hint}`,
    });
    expect(await toMimeBundle(new Promise(() => undefined))).toEqual({ "text/plain": "Promise { <pending> }" });
  });

  test("to those who mark it", () => {
    const promise = unchecked(source.sites());
    promise.table = "mine";
    expect(promise.table).toBe("mine");
  });
});

test("nothing that was forgotten fails later, unseen", async () => {
  const seen: unknown[] = [];
  const take = (reason: unknown) => seen.push(reason);
  process.on("unhandledRejection", take);
  failure(() => unchecked(openSnapshot("none")).layer({ site_id: 1 }));
  await new Promise((done) => setTimeout(done, 200));
  process.off("unhandledRejection", take);
  expect(seen).toEqual([]);
});

test("every member of what calls give is known", () => {
  /** What anybody may look for in any value, what is of a promise as well, and what users do not call. */
  const others =
    "constructor catch finally then name size id data reader toJSON input past definitions engine kinds mistyped " +
    "heldValues goneFindings presentKinds scope scopeParts sandboxed valueOrder";
  const given = [ColumnTable.prototype, layer, history, park, Snapshot.prototype, Questions.prototype];
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
