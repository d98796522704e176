import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fromRecords, openSnapshot, type PropertyChange, pull } from "../../../src/index.js";
import type { SnapshotFile } from "../../../src/snapshot/format/manifest.js";
import { schemaOf } from "../../../src/snapshot/format/table-schema.js";
import { compactLog } from "../../../src/snapshot/pull/compact-log.js";
import { Journal } from "../../../src/snapshot/pull/journal.js";
import type { PullContext, PullProgress } from "../../../src/snapshot/pull/pull-context.js";
import { PullEstimate } from "../../../src/snapshot/pull/pull-estimate.js";
import { recordFeed } from "../../../src/snapshot/pull/record-feed.js";
import { WorkTables } from "../../../src/snapshot/pull/work-tables.js";
import { encodeRecord } from "../../../src/snapshot/write/encode-record.js";
import { change, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

it("puts the small parts of many pulls together, without losing a change", async () => {
  const path = join(folder, "nightly");
  const parts: number[] = [];
  for (let night = 1; night <= 13; night += 1) {
    const log = Array.from({ length: night }, (_, index) => change(index + 1, { new_value: `night ${index + 1}` }));
    const updated_at = `2024-06-${String(night).padStart(2, "0")}T00:00:00Z`;
    await pull(
      fromRecords({ sites: [site(12)], layerFeatures: [feature(1, { updated_at })], propertyChanges: log }),
      path,
    );
    parts.push(logFiles(path).length);
  }
  expect(parts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]);

  const snapshot = await openSnapshot(path);
  const history = await snapshot.history({ site_id: 12 });
  expect(history.changes().array("change_id")).toEqual(Array.from({ length: 13 }, (_, index) => uuid(index + 1)));
  await snapshot.close();
});

/** A clock that stops a pull once a site's parts are joined, before the state is published. */
function stopsBehindJoin(path: string): () => Date {
  return () => {
    const journal = join(path, ".pull", "journal.ndjson");
    if (existsSync(journal) && readFileSync(journal, "utf8").includes('"step":"join/')) throw new Error("stopped");
    return new Date();
  };
}

it("asks for every log when a pull that was stopped behind a join is continued with fullLog", async () => {
  const path = join(folder, "continued");
  const features = Array.from({ length: 400 }, (_, index) => feature(index + 1));
  const company = (night: number, others: readonly PropertyChange[] = []) => {
    const updated_at = `2024-06-${String(night).padStart(2, "0")}T00:00:00Z`;
    const log = Array.from({ length: night }, (_, index) => change(index + 1, { new_value: `night ${index + 1}` }));
    const layerFeatures = features.with(0, feature(1, { updated_at }));
    return fromRecords({ sites: [site(12)], layerFeatures, propertyChanges: [...log, ...others] });
  };
  for (let night = 1; night <= 11; night += 1) await pull(company(night), path);
  expect(logFiles(path)).toHaveLength(11);

  // Their features look untouched, and are not among those that this pull looks at all the same.
  const others = features.slice(1, 201).map(({ id }) => change(1000 + id, { layer_feature_id: id }));
  await expect(pull(company(12, others), path, { now: stopsBehindJoin(path) })).rejects.toThrow("stopped");
  const { found } = await pull(company(12, others), path, { fullLog: true });
  expect(found.property_changes).toBe(201);

  const snapshot = await openSnapshot(path);
  const history = await snapshot.history({ site_id: 12 });
  expect(history.changes().numRows()).toBe(212);
  await snapshot.close();
});

it("leaves parts of large records and few small ones as they are", async () => {
  const path = join(folder, "large");
  const parts: (readonly string[])[] = [];
  for (let night = 1; night <= 14; night += 1) {
    const log = Array.from({ length: night }, (_, index) =>
      change(index + 1, { new_value: index < 12 ? `${index} ${"large ".repeat(4000)}` : "small" }),
    );
    const updated_at = `2024-06-${String(night).padStart(2, "0")}T00:00:00Z`;
    await pull(
      fromRecords({ sites: [site(12)], layerFeatures: [feature(1, { updated_at })], propertyChanges: log }),
      path,
    );
    parts.push(logFiles(path).map((file) => file.path));
  }
  expect(parts.map(({ length }) => length)).toEqual(Array.from({ length: 14 }, (_, night) => night + 1));
  expect(parts[13]?.toSorted()).toEqual(expect.arrayContaining([...(parts[12] ?? [])]));
});

it("says how far it is with each site's log, and stops where it is told to", async () => {
  const path = join(folder, "stopped");
  const company = (night: number) => {
    const updated_at = `2024-06-${String(night).padStart(2, "0")}T00:00:00Z`;
    const log = Array.from({ length: night }, (_, index) => change(index + 1, { new_value: `night ${index + 1}` }));
    return fromRecords({ sites: [site(12)], layerFeatures: [feature(1, { updated_at })], propertyChanges: log });
  };
  for (let night = 1; night <= 11; night += 1) await pull(company(night), path);
  const stop = new AbortController();
  const told: unknown[] = [];
  const onProgress = ({ stage, rows, total }: PullProgress) => {
    if (!stage.endsWith("property_changes of site 12")) return;
    told.push([stage, rows, total]);
    stop.abort(new Error("enough"));
  };
  await expect(pull(company(12), path, { signal: stop.signal, onProgress })).rejects.toThrow("enough");
  expect(told).toEqual([["sorting property_changes of site 12", 0, 12]]);
  expect(readFileSync(join(path, ".pull", "journal.ndjson"), "utf8")).not.toContain("join/");
  const { rows } = await pull(company(12), path, { onProgress });
  expect(told.slice(1)).toEqual([
    ["sorting property_changes of site 12", 0, 12],
    ["sorting property_changes of site 12", 12, 12],
    ["joining property_changes of site 12", 0, 12],
    ["joining property_changes of site 12", 12, 12],
  ]);
  expect(rows.propertyChanges).toBe(12);
  expect(logFiles(path)).toHaveLength(1);
});

it("does not take a join that was stopped for one of other parts", async () => {
  const path = join(folder, "other-parts");
  await pull(fromRecords({ sites: [site(12)], layerFeatures: [feature(1)] }), path);
  const journal = await Journal.open(path, header, 60_000);
  const tables = await WorkTables.open(journal.folder);
  const context: PullContext = { ...idle, root: path, journal, tables, previous: undefined };
  const schema = schemaOf("propertyChanges");
  const part = async (n: number) => {
    await tables.create(schema);
    const row = encodeRecord(schema, change(n));
    if ("problem" in row) throw new Error(row.problem);
    await tables.append(schema, [row]);
    return tables.write(schema, 12);
  };
  const [one, two, three] = [await part(1), await part(2), await part(3)];
  const rows = async (files: readonly SnapshotFile[]) =>
    (await compactLog(context, files)).reduce((sum, file) => sum + file.rows, 0);
  expect(await rows([one, two])).toBe(2);
  expect(await rows([one, two, three])).toBe(3);
  tables.close();
});

const header = {
  version: 4,
  origin: "records",
  site_id: null,
  generation: 1,
  pseudonyms: null,
  rewrite: false,
  fullLog: false,
  started_at: "2024-06-01T00:00:00Z",
} as const;

/** What a join of parts does not ask for. */
const idle = {
  rewrite: false,
  feed: recordFeed(fromRecords({}).reader, {}),
  estimate: new PullEstimate(10_000, true),
  concurrency: 1,
  signal: undefined,
  now: () => new Date(),
  report: () => {},
};

function logFiles(path: string): readonly { readonly path: string }[] {
  const { files } = JSON.parse(readFileSync(join(path, "manifest.json"), "utf8")) as {
    readonly files: readonly { readonly resource: string; readonly path: string }[];
  };
  return files.filter(({ resource }) => resource === "propertyChanges");
}
