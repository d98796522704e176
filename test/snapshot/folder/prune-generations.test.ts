import { existsSync, readdirSync, writeFileSync } from "node:fs";
import type { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { pinGeneration, verifySnapshot } from "../../../src/index.js";
import { readGeneration } from "../../../src/snapshot/folder/manifest-file.js";
import { pruneGenerations } from "../../../src/snapshot/folder/prune-generations.js";
import { storedFiles } from "../../../src/snapshot/format/manifest.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../../support/records.js";
import { pruneLater } from "../prune-later.js";
import { temporaryFolder } from "../temporary-folder.js";

/** Whether folders cannot be removed, as if the process had ended there. */
const disk = vi.hoisted(() => ({ fails: false }));

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  const removed: typeof rm = async (path, options) => {
    if (!disk.fails || !options?.recursive) return real.rm(path, options);
    throw Object.assign(new Error("EIO: i/o error, rm"), { code: "EIO", syscall: "rm" });
  };
  return { ...real, rm: removed };
});

const folder = temporaryFolder();

it("removes the rest of a stopped prune, also a pinned folder", async () => {
  const path = join(folder, "stopped");
  await writeSnapshot(path, { layerFeatures: [feature(1, { site_id: 1 })] });
  await pinGeneration(path);
  await writeSnapshot(path, { layerFeatures: [feature(2, { site_id: 1 })] });
  disk.fails = true;
  await expect(pruneLater(path, 1)).rejects.toThrow(/EIO/);
  disk.fails = false;
  await pruneLater(path, 1);
  expect(readdirSync(join(path, "generations")).filter((name) => name.startsWith("000001"))).toEqual([]);
  expect(readdirSync(path).filter((name) => name.startsWith(".unfinished"))).toEqual([]);
});

it("does not use a partly removed pinned folder", async () => {
  const path = join(folder, "half");
  await writeSnapshot(path, { layerFeatures: [feature(1, { site_id: 1 })] });
  const pinned = await pinGeneration(path);
  await writeSnapshot(path, { layerFeatures: [feature(2, { site_id: 1 })] });
  disk.fails = true;
  await expect(pruneLater(path, 1)).rejects.toThrow(/EIO/);
  disk.fails = false;
  expect(readdirSync(join(path, "generations"))).not.toContain("000001");
  expect((await pinGeneration(path, { generation: 1 })).path).toBe(pinned.path);
  expect(readdirSync(join(pinned.path, "layer_features"))).toEqual(["site_id=1"]);
});

it("keeps the generation that was the newest in the last 24 hours, for its readers", async () => {
  const path = join(folder, "read");
  const hours = (count: number) => () => new Date(Date.UTC(2026, 0, 1, count));
  for (const [index, written] of [0, 24, 72].entries()) {
    await writeSnapshot(path, { layerFeatures: [feature(index + 1, { site_id: 1 })] }, { now: hours(written) });
  }
  const listed = storedFiles(await readGeneration(path, 2)).map((file) => join(path, file.path));
  expect(await pruneGenerations(path, 1, hours(72 + 23))).toEqual({ removed: [1], keptForReaders: [2] });
  expect(listed.filter((file) => !existsSync(file))).toEqual([]);
  expect(await pruneGenerations(path, 1, hours(72 + 24))).toEqual({ removed: [2], keptForReaders: [] });
  expect(listed.some(existsSync)).toBe(true);
  expect(listed.every(existsSync)).toBe(false);
  expect((await verifySnapshot(path)).damage).toEqual([]);
  await expect(readGeneration(path, 2)).rejects.toThrow("has no generation 2");
});

it("removes only files that no generation lists", async () => {
  const path = join(folder, "unlisted");
  await writeSnapshot(path, { layerFeatures: [feature(1, { site_id: 1 })] });
  const site = join(path, "files", "layer_features", "site_id=1");
  const names = readdirSync(site);
  const foreign = ["notes.txt", "part-1.parquet", "part-0123456789abcdef.parquet.part"];
  for (const name of [...foreign, "part-0123456789abcdef.parquet"]) writeFileSync(join(site, name), "");
  await pruneGenerations(path, 1);
  expect(readdirSync(site).sort()).toEqual([...names, ...foreign].sort());
});
