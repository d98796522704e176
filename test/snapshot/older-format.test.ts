import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { diffSnapshots, fromRecords, openSnapshot, pinGeneration, pull, writeDuckLake } from "../../src/index.js";
import { listGenerations } from "../../src/snapshot/folder/manifest-file.js";
import { pruneGenerations } from "../../src/snapshot/folder/prune-generations.js";
import { exportNdjson } from "../../src/snapshot/ndjson/ndjson-files.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { dataset, feature } from "../support/records.js";
import { serveFolder } from "./serve-folder.js";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const path = join(folder, "older.snapshot");
const manifest = join(path, "manifest.json");
const records = { datasets: [dataset(1)], layerFeatures: [feature(1)] };

function setVersion(version: number): void {
  const content = JSON.parse(readFileSync(manifest, "utf8")) as object;
  writeFileSync(manifest, JSON.stringify({ ...content, version }));
}

beforeAll(async () => {
  await writeSnapshot(path, records);
});

async function openRemote(): Promise<unknown> {
  await using served = await serveFolder(folder);
  return await openSnapshot(`${served.url}/older.snapshot`, { cacheDirectory: join(folder, "cache") });
}

const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["openSnapshot()", () => openSnapshot(path)],
  ["openSnapshot() of an earlier generation", () => openSnapshot(path, { generation: 1 })],
  ["openSnapshot() of an address", openRemote],
  ["pull()", () => pull(fromRecords(records), path)],
  ["diffSnapshots()", () => diffSnapshots(path)],
  ["writeDuckLake()", () => writeDuckLake(path)],
  ["pinGeneration()", () => pinGeneration(path)],
  ["verify", () => verifySnapshot(path)],
  ["import", () => writeSnapshot(path, records)],
  ["export", () => exportNdjson(path, join(folder, "exported"))],
  ["list", () => listGenerations(path)],
  ["prune", () => pruneGenerations(path, 1)],
  ["serve", () => openStore(path)],
];

describe.each([1, 4])("a snapshot of format version %i", (version) => {
  it.each(calls)("is refused by %s, with the command that pulls it again", async (_, call) => {
    setVersion(version);
    await expect(call()).rejects.toMatchObject({
      name: "SnapshotError",
      message: expect.stringMatching(
        new RegExp(`manifest\\.json has format version ${version}, but this Siteframe reads version 5\\.$`),
      ),
      hint: expect.stringContaining("siteframe pull new.snapshot"),
    });
  });
});
