import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fromRecords, type LayerFeature, type PropertyChange, pull, type Source } from "../../../src/index.js";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import type { SnapshotFile } from "../../../src/snapshot/format/manifest.js";
import { schemaOf } from "../../../src/snapshot/format/table-schema.js";
import { compactLog } from "../../../src/snapshot/pull/compact-log.js";
import { Journal } from "../../../src/snapshot/pull/journal.js";
import type { PullContext, PullProgress } from "../../../src/snapshot/pull/pull-context.js";
import { PullEstimate } from "../../../src/snapshot/pull/pull-estimate.js";
import { recordFeed } from "../../../src/snapshot/pull/record-feed.js";
import { WorkTables } from "../../../src/snapshot/pull/work-tables.js";
import { encodeRecord } from "../../../src/snapshot/write/encode-record.js";
import { change, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

/** The log of a feature after so many nights, with one change each night. */
function logOf(nights: number, textOf = (night: number) => `night ${night}`): readonly PropertyChange[] {
  return Array.from({ length: nights }, (_, index) => change(index + 1, { new_value: textOf(index + 1) }));
}

/** The company of a night, in which feature 1 is edited. */
function companyOf(night: number, propertyChanges = logOf(night), others: readonly LayerFeature[] = []): Source {
  const edited = feature(1, { updated_at: `2024-06-${String(night).padStart(2, "0")}T00:00:00Z` });
  return fromRecords({ sites: [site(12)], layerFeatures: [edited, ...others], propertyChanges });
}

it("joins the small parts of many pulls without losing a change", async () => {
  const path = join(folder, "nightly");
  const parts: number[] = [];
  for (let night = 1; night <= 13; night += 1) {
    await pull(companyOf(night), path);
    parts.push((await logFiles(path)).length);
  }
  expect(parts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]);
  const history = await (await openedSnapshot(path)).history({ site_id: 12 });
  expect(history.changes().array("change_id")).toEqual(logOf(13).map(({ id }) => id));
});

/** A clock that stops a pull once a site's parts are joined, before the generation is published. */
function stopsBehindJoin(path: string): () => Date {
  return () => {
    const journal = join(path, ".pull", "journal.ndjson");
    if (existsSync(journal) && readFileSync(journal, "utf8").includes('"step":"join/')) throw new Error("stopped");
    return new Date();
  };
}

it("requests every log if a pull that was stopped after a join is resumed with fullLog", async () => {
  const path = join(folder, "continued");
  const unedited = Array.from({ length: 399 }, (_, index) => feature(index + 2));
  for (let night = 1; night <= 11; night += 1) await pull(companyOf(night, logOf(night), unedited), path);
  expect(await logFiles(path)).toHaveLength(11);

  // Their features look unedited, and are not in the audit share of this pull.
  const more = unedited.slice(0, 200).map(({ id }) => change(1000 + id, { layer_feature_id: id }));
  const last = companyOf(12, [...logOf(12), ...more], unedited);
  await expect(pull(last, path, { now: stopsBehindJoin(path) })).rejects.toThrow("stopped");
  const { found } = await pull(last, path, { fullLog: true });
  expect(found.property_changes).toBe(201);
  expect((await (await openedSnapshot(path)).history({ site_id: 12 })).length).toBe(212);
});

it("keeps parts with large records, and parts of few small records", async () => {
  const path = join(folder, "large");
  const textOf = (night: number) => (night <= 12 ? `${night} ${"large ".repeat(4000)}` : "small");
  let before: readonly SnapshotFile[] = [];
  for (let night = 1; night <= 14; night += 1) {
    await pull(companyOf(night, logOf(night, textOf)), path);
    const files = await logFiles(path);
    expect(files).toHaveLength(night);
    expect(files).toEqual(expect.arrayContaining([...before]));
    before = files;
  }
});

it("reports progress for each site's log, and can be aborted", async () => {
  const path = join(folder, "stopped");
  for (let night = 1; night <= 11; night += 1) await pull(companyOf(night), path);
  const stop = new AbortController();
  const reported: unknown[] = [];
  const onProgress = ({ stage, rows, total }: PullProgress) => {
    if (!stage.endsWith("property_changes of site 12")) return;
    reported.push([stage, rows, total]);
    stop.abort(new Error("enough"));
  };
  await expect(pull(companyOf(12), path, { signal: stop.signal, onProgress })).rejects.toThrow("enough");
  expect(reported).toEqual([["sorting property_changes of site 12", 0, 12]]);
  expect(readFileSync(join(path, ".pull", "journal.ndjson"), "utf8")).not.toContain("join/");
  const { rows } = await pull(companyOf(12), path, { onProgress });
  expect(reported.slice(1)).toEqual([
    ["sorting property_changes of site 12", 0, 12],
    ["sorting property_changes of site 12", 12, 12],
    ["joining property_changes of site 12", 0, 12],
    ["joining property_changes of site 12", 12, 12],
  ]);
  expect(rows.propertyChanges).toBe(12);
  expect(await logFiles(path)).toHaveLength(1);
});

it("does not reuse a stopped join of other parts", async () => {
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

/** Members that a join of parts does not use. */
const idle = {
  rewrite: false,
  feed: recordFeed(fromRecords({}).reader, {}),
  estimate: new PullEstimate(10_000, true),
  concurrency: 1,
  signal: undefined,
  now: () => new Date(),
  report: () => {},
};

async function logFiles(path: string): Promise<readonly SnapshotFile[]> {
  return (await readManifest(path)).files.filter(({ resource }) => resource === "propertyChanges");
}
