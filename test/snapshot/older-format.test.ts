import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { diffSnapshots, fromRecords, makeLake, openSnapshot, pinTables, pull, SnapshotError } from "../../src/index.js";
import { pruneGenerations } from "../../src/snapshot/folder/prune-generations.js";
import { listGenerations } from "../../src/snapshot/folder/read-generation.js";
import { exportNdjson } from "../../src/snapshot/ndjson/export-ndjson.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { dataset, feature } from "../support/records.js";
import { temporaryFolder } from "./temporary-folder.js";

const path = join(temporaryFolder(), "older.snapshot");
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
  const server = createServer((_, response) => void response.end(readFileSync(manifest)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    return await openSnapshot(`http://127.0.0.1:${port}`, { cache: join(path, "..", "cache") });
  } finally {
    server.close();
  }
}

const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["openSnapshot()", () => openSnapshot(path)],
  ["openSnapshot() of an earlier generation", () => openSnapshot(path, { generation: 1 })],
  ["openSnapshot() of an address", openRemote],
  ["pull()", () => pull(fromRecords(records), path)],
  ["diffSnapshots()", () => diffSnapshots(path)],
  ["makeLake()", () => makeLake(path)],
  ["pinTables()", () => pinTables(path)],
  ["verify", () => verifySnapshot(path)],
  ["import", () => writeSnapshot(path, records)],
  ["export", () => exportNdjson(path, join(path, "..", "exported"))],
  ["list", () => listGenerations(path)],
  ["prune", () => pruneGenerations(path, 1)],
  ["serve", () => openStore(path)],
];

describe.each([1, 2, 3, 4])("a snapshot of format version %i", (version) => {
  it.each(calls)("is refused by %s, with the command that pulls it again", async (_, call) => {
    setVersion(version);
    const error = await call().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SnapshotError);
    expect((error as SnapshotError).message).toMatch(
      new RegExp(`manifest\\.json has format version ${version}, and this Siteframe reads version 5\\.$`),
    );
    expect((error as SnapshotError).hint).toContain("siteframe pull new.snapshot");
  });
});
