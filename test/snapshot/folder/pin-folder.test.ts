import { readdirSync, readFileSync, rmSync } from "node:fs";
import type { copyFile, link } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { pinGeneration } from "../../../src/index.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../../support/records.js";
import { temporaryFolder } from "../temporary-folder.js";

/** Whether Parquet is on another file system than the pinned folder, and whether that file system is full. */
const disk = vi.hoisted(() => ({ isOther: false, isFull: false }));

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  const linked: typeof link = async (from, to) => {
    if (!disk.isOther || !String(from).endsWith(".parquet")) return real.link(from, to);
    throw Object.assign(new Error("EXDEV: cross-device link not permitted, link"), { code: "EXDEV", syscall: "link" });
  };
  const copied: typeof copyFile = async (...args) => {
    if (!disk.isFull) return real.copyFile(...args);
    throw Object.assign(new Error("ENOSPC: no space left on device, copyfile"), {
      code: "ENOSPC",
      syscall: "copyfile",
    });
  };
  return { ...real, link: linked, copyFile: copied };
});

afterEach(() => {
  disk.isOther = false;
  disk.isFull = false;
});

const folder = temporaryFolder();
const unfinished = (path: string) => readdirSync(path).filter((name) => name.startsWith(".unfinished"));

async function written(name: string) {
  const path = join(folder, name);
  const { files } = await writeSnapshot(path, { layerFeatures: [feature(1, { site_id: 1 })] });
  return { path, file: files.find(({ resource }) => resource === "layerFeatures")?.path ?? "" };
}

it("names a missing file, and leaves nothing behind", async () => {
  const { path, file } = await written("missing");
  rmSync(join(path, file));
  await expect(pinGeneration(path)).rejects.toMatchObject({
    name: "SnapshotError",
    message: expect.stringContaining(`${join(path, file)} is missing`),
  });
  expect(unfinished(path)).toEqual([]);
});

it("copies files of another file system, and leaves nothing behind if the disk is full", async () => {
  const { path, file } = await written("copied");
  disk.isOther = true;
  disk.isFull = true;
  await expect(pinGeneration(path)).rejects.toThrow(/the device has no space left/);
  expect(unfinished(path)).toEqual([]);
  disk.isFull = false;
  const pinned = await pinGeneration(path);
  expect(readFileSync(join(pinned.path, file.replace("files/", "")))).toEqual(readFileSync(join(path, file)));
  expect(unfinished(path)).toEqual([]);
});

it("makes no folder for a table that has no rows", async () => {
  const { path } = await written("empty");
  const pinned = await pinGeneration(path);
  const names = ["blocks", "datasets", "layer_features", "operations", "property_definitions", "sites"];
  expect(readdirSync(pinned.path).sort()).toEqual(names);
  expect(readdirSync(join(path, "files"))).not.toContain("property_changes");
});
