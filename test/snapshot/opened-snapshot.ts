import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { fromRecords, type OpenSnapshotOptions, openSnapshot, pull, type Snapshot } from "../../src/index.js";
import type { RecordSet } from "../../src/source/from-records.js";
import { dataset } from "../support/records.js";
import { site } from "./moving-service.js";

/** Opens a snapshot, and closes it when the test ends. */
export async function openedSnapshot(path: string, options: OpenSnapshotOptions = {}): Promise<Snapshot> {
  const snapshot = await openSnapshot(path, options);
  onTestFinished(() => snapshot.close());
  return snapshot;
}

/**
 * Pulls records into a snapshot and opens it, until the test ends.
 *
 * @param records Default: site 12 and dataset 1 without features
 * @param path Default: a folder that is removed when the test ends
 */
export async function pulledSnapshot(records: RecordSet, path = folderOfTest()): Promise<Snapshot> {
  const all = { sites: [site(12)], datasets: [dataset(1)], ...records };
  await pull(fromRecords(all), path, { showProgress: false });
  return openedSnapshot(path);
}

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "siteframe-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
