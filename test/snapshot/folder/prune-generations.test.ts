import { readdirSync } from "node:fs";
import type { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { pinTables } from "../../../src/index.js";
import { pruneGenerations } from "../../../src/snapshot/folder/tidy-folder.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../../support/records.js";
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

it("removes what a prune that was stopped has left, a pinned folder too", async () => {
  const path = join(folder, "stopped");
  await writeSnapshot(path, { layerFeatures: [feature(1, { site_id: 1 })] });
  await pinTables(path);
  await writeSnapshot(path, { layerFeatures: [feature(2, { site_id: 1 })] });
  disk.fails = true;
  await expect(pruneGenerations(path, 1)).rejects.toThrow(/EIO/);
  disk.fails = false;
  await pruneGenerations(path, 1);
  expect(readdirSync(join(path, "generations")).filter((name) => name.startsWith("000001"))).toEqual([]);
  expect(readdirSync(path).filter((name) => name.startsWith(".unfinished"))).toEqual([]);
});

it("never takes a pinned folder for whole of which a part was removed", async () => {
  const path = join(folder, "half");
  await writeSnapshot(path, { layerFeatures: [feature(1, { site_id: 1 })] });
  const pinned = await pinTables(path);
  await writeSnapshot(path, { layerFeatures: [feature(2, { site_id: 1 })] });
  disk.fails = true;
  await expect(pruneGenerations(path, 1)).rejects.toThrow(/EIO/);
  disk.fails = false;
  expect(readdirSync(join(path, "generations"))).not.toContain("000001");
  expect((await pinTables(path, { generation: 1 })).path).toBe(pinned.path);
  expect(readdirSync(join(pinned.path, "layer_features"))).toEqual(["site_id=1"]);
});
