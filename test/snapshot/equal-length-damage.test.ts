import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { sampleCompany } from "../../sample/sample-company.js";
import { SnapshotError } from "../../src/core/errors.js";
import { fromRecords, openSnapshot, pull } from "../../src/index.js";
import { exportNdjson } from "../../src/snapshot/ndjson/ndjson-files.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import type { Snapshot } from "../../src/snapshot/snapshot.js";
import { writeSample } from "../support/asked-sample.js";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const original = join(folder, "original.snapshot");
const path = join(folder, "damaged.snapshot");
let files: readonly string[] = [];

beforeAll(async () => {
  await writeSample(original, { features: 1000 });
  cpSync(original, path, { recursive: true });
  files = readdirSync(original, { recursive: true })
    .map(String)
    .filter((name) => /\.(parquet|columns)$/.test(name));
});

const flipped = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.integer({ min: 1, max: 255 })),
  {
    minLength: 1,
    maxLength: 8,
  },
);
const zeroedFromTheMiddle = (bytes: Buffer) => Buffer.from(bytes).fill(0, bytes.length >> 1);
const zeroedToTheMiddle = (bytes: Buffer) => Buffer.from(bytes).fill(0, 0, bytes.length >> 1);
const damage = fc.oneof(
  fc.constant(zeroedFromTheMiddle),
  fc.constant(zeroedToTheMiddle),
  flipped.map((flips) => (bytes: Buffer) => {
    const altered = Buffer.from(bytes);
    for (const [place, mask] of flips) {
      const at = Math.floor(place * bytes.length);
      altered[at] = (altered[at] ?? 0) ^ mask;
    }
    return altered;
  }),
);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** All ways to read a snapshot. */
const uses: Readonly<Record<string, (snapshot: Snapshot) => Promise<unknown>>> = {
  tables: async (snapshot) => [await snapshot.sites(), await snapshot.datasets(), await snapshot.propertyDefinitions()],
  layer: async (snapshot) => (await snapshot.layer({ semantic_type: "PUNCH_LIST_ITEMS" })).table.objects(),
  history: async (snapshot) => (await snapshot.history({ semantic_type: "TRENCHES" })).asOf("2025-06-30").objects(),
  records: (snapshot) => all(snapshot.records("layerFeatures", { site_id: [101, 102, 103, null] })),
  pages: (snapshot) =>
    all(snapshot.pages("layerFeatures", { semantic_type: "TRENCHES", _sortBy: ["-properties.STATUS"] })),
  "sql of features": async (snapshot) => (await snapshot.sql("FROM layer_features")).objects(),
  "sql of changes": async (snapshot) => (await snapshot.sql("FROM property_changes")).objects(),
  "sql of a view": async (snapshot) => (await snapshot.sql("FROM PUNCH_LIST_ITEMS")).objects(),
  copy: (snapshot) => snapshot.writeTo("FROM layer_features", join(folder, "copy.csv"), "csv"),
};

function expectNamed(error: unknown, file: string): void {
  expect(error).toBeInstanceOf(SnapshotError);
  expect((error as SnapshotError).message).toContain(basename(file));
  expect((error as SnapshotError).hint).toContain("siteframe verify");
}

/** Runs a test with one file damaged. */
async function withDamage(file: string, alter: (bytes: Buffer) => Buffer, test: () => Promise<void>): Promise<void> {
  const whole = readFileSync(join(original, file));
  const altered = alter(whole);
  writeFileSync(join(path, file), altered);
  try {
    if (!altered.equals(whole)) await test();
  } finally {
    writeFileSync(join(path, file), whole);
  }
}

function largeFiles(): readonly string[] {
  return files.filter((name) => /layer_features|property_changes/.test(name));
}

/** The error of a read of the damaged snapshot; undefined if the read did not reach the damage. */
async function refusal(read: (snapshot: Snapshot) => Promise<unknown>): Promise<unknown> {
  const snapshot = await openSnapshot(path);
  try {
    return await read(snapshot).then(
      () => undefined,
      (error: unknown) => error,
    );
  } finally {
    await snapshot.close();
  }
}

describe("a file that was altered and is as long as before", () => {
  it("is refused when the snapshot is opened if its table is small", async () => {
    const small = files.filter((name) => !/layer_features|property_changes/.test(name));
    expect(small).toHaveLength(10);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...small), damage, (file, alter) =>
        withDamage(file, alter, async () => expectNamed(await openSnapshot(path).catch((error) => error), file)),
      ),
      { numRuns: 25 },
    );
  });

  it("is named by every read that reaches it if its table is large", async () => {
    const use = fc.constantFrom(...Object.values(uses));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...largeFiles()), damage, use, (file, alter, read) =>
        withDamage(file, alter, async () => {
          const error = await refusal(read);
          if (error !== undefined) expectNamed(error, file);
        }),
      ),
      { numRuns: 60 },
    );
  });

  const largeUses = Object.entries(uses).filter(([name]) => name !== "tables");
  it.each(largeUses)("is named if half of it is lost, by %s", async (_name, read) => {
    let refused = 0;
    for (const file of largeFiles()) {
      for (const alter of [zeroedFromTheMiddle, zeroedToTheMiddle]) {
        await withDamage(file, alter, async () => {
          const error = await refusal(read);
          if (error === undefined) return;
          refused += 1;
          expectNamed(error, file);
        });
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it("is named by a pull", async () => {
    const company = sampleCompany({ features: 1000 });
    const [layerFeatures, propertyChanges] = [
      [...company.layerFeatures()],
      [...company.propertyChanges()].slice(0, 50),
    ];
    const source = fromRecords({ ...company, layerFeatures, propertyChanges });
    const log = files.filter((name) => name.startsWith("files/property_changes"));
    for (const file of log) {
      await withDamage(file, zeroedFromTheMiddle, async () =>
        expectNamed(await pull(source, path).catch((error) => error), file),
      );
    }
    expect(log.length).toBeGreaterThan(1);
  });

  it("is neither served nor exported", async () => {
    const parquet = files.filter((name) => name.endsWith(".parquet"));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...parquet), damage, (file, alter) =>
        withDamage(file, alter, async () => {
          expectNamed(await openStore(path).catch((error) => error), file);
          expectNamed(await exportNdjson(path, join(folder, "export")).catch((error) => error), file);
        }),
      ),
      { numRuns: 8 },
    );
  });
});
