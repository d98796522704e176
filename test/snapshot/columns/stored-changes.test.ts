import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LayerFeature, PropertyChange } from "../../../src/api/resources.js";
import { SnapshotError } from "../../../src/core/errors.js";
import type { History } from "../../../src/history/history.js";
import { fromRecords, openSnapshot, pull } from "../../../src/index.js";
import type { ChangeHeader, ChangeSection } from "../../../src/snapshot/columns/column-file.js";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import type { Source } from "../../../src/source/source.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryPaths } from "../temporary-folder.js";
import { columnsOf, headerOf, spoil } from "./stored-columns.js";

const newPath = temporaryPaths();

const KEY = "abcdef00-0000-4000-8000-000000000001";

/** Values as an API may write them: equal values in several spellings, and values that only `JSON.parse` distinguishes. */
const valueText = fc.oneof(
  fc.constantFrom("null", "true", "1", "1.0", "1e0", '"1"', "0", "-0", "1e400", "-1e999", "9007199254740993", "0.5"),
  fc.constantFrom('"é"', '"\\u00e9"', '"\\ud800"', '""', '"null"', '"\\u2028"'),
  fc.constantFrom(
    '{"a":1,"b":[-0]}',
    '{"b":[0],"a":1}',
    "[]",
    "{}",
    '[1,"x"]',
    '[ 1.0, "x" ]',
    '{"__proto__":1}',
    "[1e400]",
  ),
);

const drawn = fc.record({
  n: fc.nat({ max: 80 }),
  random: fc.boolean(),
  upper: fc.boolean(),
  feature: fc.integer({ min: 1, max: 12 }),
  key: fc.constantFrom("STATUS", "STATUS", "sp ace", KEY, uuid(7)),
  valueText,
  system: fc.boolean(),
  user: fc.constantFrom(null, 7, 8),
  cause: fc.option(fc.nat({ max: 90 }), { nil: null }),
  at: fc.constantFrom(
    "2024-03-01T00:00:00Z",
    "2024-03-01T01:00:00+01:00",
    "2024-03-01T00:00:00",
    "2024-03-01T00:00:00.000001Z",
    "2024-02-29 23:59:60Z",
    "2024-02-29T24:00:00Z",
    "1969-12-31T23:59:59.999999Z",
    "0099-01-01T00:00:00Z",
    "2254-01-01T00:00:00.000007Z",
  ),
  isImpossible: fc.boolean(),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

/** Ids in and out of the order in which they are made. */
const idOf = (n: number, random: boolean) =>
  uuid(n, random ? ((n * 0x9e3779b1) >>> 0).toString(16).padStart(8, "0") : "0190aaaa");

function changeText({ n, random, upper, cause, ...over }: Drawn, isImpossible: boolean): string {
  const cased = (text: string, isUpper: boolean) => (isUpper ? text.toUpperCase() : text);
  const by = cause === null ? null : cased(idOf(cause, random), !upper);
  const at = isImpossible ? "2024-02-30T00:00:00Z" : over.at;
  return (
    `{ "created_at":"${at}","id":"${cased(idOf(n, random), upper)}","layer_feature_id":${over.feature},"new_value":7,` +
    `"property_key":"${over.key === "STATUS" ? "STAT\\u0055S" : cased(over.key, upper && over.key !== "sp ace")}","new_value":${over.valueText},` +
    `"system":${over.system},"user_id":${over.user},"caused_by_change_id":${JSON.stringify(by)},"extra":{"created_at":"soon"} }`
  );
}

const logs = fc.uniqueArray(drawn, { selector: ({ n, random }) => idOf(n, random), maxLength: 60 });

/** Twelve features, on two sites and none; every third in another dataset. */
const layerFeatures: readonly LayerFeature[] = Array.from({ length: 12 }, (_, index) => {
  const id = index + 1;
  const site_id = id % 4 === 0 ? null : 1 + (id % 2);
  return feature(id, {
    site_id,
    dataset_id: id % 3 === 0 ? 2 : 1,
    properties: { STATUS: "OPEN", [KEY.toUpperCase()]: id },
  });
});

const others = {
  layerFeatures,
  datasets: [dataset(1, { site_id: 1 }), dataset(2, { site_id: 2 })],
  propertyDefinitions: [definition(KEY, "Depth")],
};

const queries = [
  { site_id: [1, 2, null] },
  { site_id: 1 },
  { site_id: null, dataset_id: 2 },
  { dataset_id: 2 },
  { site_id: 99 },
] as const;

/** Tables of a history. */
function answers(history: History) {
  const rows = (table: { objects(): unknown[] }) => table.objects();
  const grid = ["2024-02-29", "2024-03-01"];
  const { columns, diagnostics, length } = history;
  return {
    columns,
    diagnostics,
    length,
    changes: rows(history.changes()),
    states: grid.map((date) => rows(history.states(date))),
    asOf: grid.map((date) => rows(history.asOf(date, { absent: "keep" }))),
    panel: rows(history.panel(grid)),
    perColumn: columns.map((column) => [rows(history.counts(column, grid)), rows(history.intervals(column))]),
    causes: rows(history.causeTrees()),
    lateEdits: rows(history.lateEdits()),
    people: rows(history.editsByUser()),
    reconcile: rows(history.reconcile().mismatches),
    known: history.length > 0 ? rows(history.knownAt(uuid(9, "0190aaaa")).changes()) : [],
  };
}

async function each(source: Source, options: { readonly strict?: boolean; readonly redact?: boolean }) {
  const found = [];
  for (const params of queries) found.push(answers(await source.history(params, { timeZone: "UTC", ...options })));
  return found;
}

describe("a history from column files", () => {
  it("equals the one from records in memory", async () => {
    const run = async (log: readonly Drawn[]) => {
      const path = newPath();
      const texts = log.map((one) => changeText(one, false));
      await writeSnapshot(path, { ...others, propertyChanges: texts }, { readAt: new Date("2025-01-01") });
      const propertyChanges = texts.map((text) => JSON.parse(text) as PropertyChange);
      const memory = fromRecords({ ...others, propertyChanges }, { readAt: new Date("2025-01-01") });
      const stored = await openSnapshot(path);
      expect(await each(stored, {})).toEqual(await each(memory, {}));
      await stored.close();
      rmSync(path, { recursive: true });
    };
    await fc.assert(fc.asyncProperty(logs, run), { numRuns: 10 });
  });

  it("refuses changes with impossible times, or leaves them out if the read is not strict", async () => {
    const run = async (log: readonly Drawn[]) => {
      const path = newPath();
      const propertyChanges = log.map((one) => JSON.parse(changeText(one, one.isImpossible)) as PropertyChange);
      const memory = fromRecords({ ...others, propertyChanges, sites: [] }, { readAt: new Date("2025-01-01") });
      await pull(memory, path, { strict: false, now: () => new Date("2025-01-01") });
      const stored = await openSnapshot(path);
      expect(await each(stored, { strict: false })).toEqual(await each(memory, { strict: false }));
      for (const params of queries) {
        const [wanted, found] = await Promise.all(
          [memory, stored].map((source) => source.history(params).then(answers, ({ message }: Error) => message)),
        );
        expect(found).toEqual(wanted);
      }
      await stored.close();
      rmSync(path, { recursive: true });
    };
    await fc.assert(fc.asyncProperty(logs, run), { numRuns: 4 });
  });
});

const partsOf = async (path: string) =>
  (await readManifest(path)).files.filter(({ resource }) => resource === "propertyChanges");
const columnsAt = (path: string, site = 1) => columnsOf(path, "propertyChanges", site);

/** Features 1 and 2 of site 1, feature 3 of site 2, three changes each. */
async function twoSites(): Promise<string> {
  const path = newPath();
  const features = [1, 2, 3].map((id) => feature(id, { site_id: id === 3 ? 2 : 1, dataset_id: 1 }));
  const propertyChanges = Array.from({ length: 9 }, (_, n) => {
    const by = n === 5 ? uuid(1) : null;
    return change(n + 1, { layer_feature_id: 1 + (n % 3), new_value: `value ${n}`, caused_by_change_id: by });
  });
  await writeSnapshot(path, { ...others, layerFeatures: features, propertyChanges });
  return path;
}

async function historyOf(path: string, params: object): Promise<History> {
  return (await openedSnapshot(path)).history(params as never);
}

describe("column files of changes", () => {
  it("store 16 bytes for an id, one byte for a code of few values, and each value once", async () => {
    const path = newPath();
    const propertyChanges = Array.from({ length: 70_000 }, (_, n) =>
      change(n, { layer_feature_id: 1 + (n % 2), new_value: n, user_id: n % 1000, property_key: `KEY ${n % 200}` }),
    );
    await writeSnapshot(path, { ...others, propertyChanges });
    const parts = await partsOf(path);
    const features = parts.map(({ rows, columns }) => {
      const { sections, ...header } = headerOf<ChangeHeader>(join(path, columns?.path ?? ""));
      const size = (name: ChangeSection) => sections[name].bytes / rows;
      expect([size("ids"), size("times"), size("flags"), size("keys"), size("users")]).toEqual([16, 8, 1, 1, 2]);
      expect(size("values")).toBe(rows > 65_536 ? 4 : 2);
      expect(header.rows).toBe(rows);
      return sections.features.bytes / 8;
    });
    expect(features.reduce((sum, count) => sum + count, 0)).toBe(2);
    const history = await historyOf(path, { site_id: [1, 2] });
    expect(history.changes().array("value")).toEqual(propertyChanges.map(({ new_value }) => new_value));
  });

  it("are enough for a history, without the Parquet files of changes", async () => {
    const path = await twoSites();
    const expected = (await historyOf(path, { site_id: [1, 2] })).changes().objects();
    expect(expected).toHaveLength(9);
    const snapshot = await openedSnapshot(path);
    for (const { path: file } of await partsOf(path)) rmSync(join(path, file));
    expect((await snapshot.history({ site_id: [1, 2] })).changes().objects()).toEqual(expected);
  });

  it("are read from the first to the last change of the features only", async () => {
    const path = await twoSites();
    const [file, other] = [await columnsAt(path), await columnsAt(path, 2)];
    const { sections, end } = headerOf<ChangeHeader>(file);
    const { sections: otherSections, end: otherEnd } = headerOf<ChangeHeader>(other);
    // The first feature's ids, which are the first three rows, and all of the other site.
    spoil(file, end + sections.ids.offset, 3 * 16);
    for (const name of ["ids", "times", "values", "valuesList"] as const) {
      spoil(other, otherEnd + otherSections[name].offset, otherSections[name].bytes);
    }
    const snapshot = await openedSnapshot(path);
    const layer = await snapshot.layer({ site_id: 1, dataset_id: 1 });
    expect((await layer.history()).length).toBe(4);
    await expect(snapshot.history({ site_id: 2 })).rejects.toThrow(SnapshotError);
  });

  it.each(["starts", "keys", "keysList", "values", "valuesList", "users", "usersList", "times", "flags"] as const)(
    "cause an error with the file name if %s are damaged",
    async (section) => {
      const path = await twoSites();
      const file = await columnsAt(path);
      const { sections, end } = headerOf<ChangeHeader>(file);
      spoil(file, end + sections[section].offset, sections[section].bytes);
      const reading = historyOf(path, { site_id: 1 });
      await expect(reading).rejects.toThrow(SnapshotError);
      await expect(reading).rejects.toThrow(/site_id=1.*columns was altered after it was written/);
    },
  );

  it("cause an error if the header was changed", async () => {
    const path = await twoSites();
    const file = await columnsAt(path);
    const { rows, undated, sections, end } = headerOf<ChangeHeader>(file);
    const body = readFileSync(file).subarray(end);
    const changed = (over: object) => {
      const text = JSON.stringify({ rows, undated, sections, ...over });
      const begin = Buffer.from(`SFCOLS01........${text.padEnd(8 * Math.ceil(text.length / 8))}`);
      begin.writeUInt32LE(begin.length - 16, 8);
      writeFileSync(file, Buffer.concat([begin, body, Buffer.alloc(end)]).subarray(0, end + body.length));
    };
    for (const over of [
      { rows: 1 },
      { undated: "" },
      { sections: 1 },
      { sections: { ...sections, users: sections.ids } },
      { sections: { ...sections, ids: { offset: 9, bytes: 9 ** 9 } } },
      { sections: { ...sections, causes: { offset: -8, bytes: 0 } } },
    ]) {
      changed(over);
      await expect(historyOf(path, { site_id: 1 })).rejects.toThrow(/was altered after it was written/);
    }
    changed({});
    expect((await historyOf(path, { site_id: 1 })).length).toBe(6);
  });

  it("cause an error if they are cut or missing", async () => {
    const path = await twoSites();
    const snapshot = await openSnapshot(path);
    const file = await columnsAt(path);
    truncateSync(file, headerOf<ChangeHeader>(file).end + 40);
    await expect(snapshot.history({ site_id: 1 })).rejects.toThrow(/is shorter than it was written/);
    rmSync(file);
    await expect(snapshot.history({ site_id: 1 })).rejects.toThrow(/is missing/);
    await snapshot.close();
    await expect(snapshot.history({ site_id: 1 })).rejects.toThrow(/was closed/);
  });
});
