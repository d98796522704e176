import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fromRecords, pull } from "../../../src/index.js";
import { exportNdjson, importNdjson } from "../../../src/snapshot/ndjson/ndjson-files.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../feature.js";
import { pruneLater } from "../prune-later.js";
import { temporaryFolder, temporaryPaths } from "../temporary-folder.js";

/** The files for which the disk has no room, and the code of the error. */
const disk = vi.hoisted(() => ({ isFull: (_path: string): boolean => false, code: "ENOSPC" }));

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  const refuse = async () => {
    throw Object.assign(new Error(`${disk.code}: no room, write`), { code: disk.code, syscall: "write" });
  };
  const opened: typeof open = async (path, ...rest) => {
    const handle: FileHandle = await real.open(path, ...rest);
    return disk.isFull(String(path)) ? Object.assign(handle, { writeFile: refuse, write: refuse }) : handle;
  };
  return { ...real, open: opened };
});

const folder = temporaryFolder();
const newPath = temporaryPaths(folder);
const records = { layerFeatures: [feature(1, {})] };

afterEach(() => {
  disk.isFull = () => false;
  disk.code = "ENOSPC";
});

/** Expects an error that names the folder and the full disk, with a hint. */
async function expectFull(work: Promise<unknown>, path: string, hint: RegExp): Promise<void> {
  await expect(work).rejects.toMatchObject({
    name: "SnapshotError",
    message: `${path} cannot be written: the device has no space left.`,
    hint: expect.stringMatching(hint),
  });
}

const isLock = (path: string) => path.includes(".lock");

describe("a full disk", () => {
  it("is reported by every call that takes the lock, and leaves no lock", async () => {
    const [made, pulled] = [newPath(), newPath()];
    await writeSnapshot(made, records);
    disk.isFull = isLock;
    await expectFull(writeSnapshot(made, records), made, /Make room/);
    await expectFull(pull(fromRecords(records), pulled), pulled, /Make room/);
    await expectFull(pruneLater(made, 1), made, /Make room/);
    for (const path of [made, pulled]) expect(readdirSync(path).filter(isLock)).toEqual([]);
    disk.isFull = () => false;
    expect((await writeSnapshot(made, records)).generation).toBe(2);
    expect((await pull(fromRecords(records), pulled)).generation).toBe(1);
  });

  it("is reported by a write, which keeps the earlier generation", async () => {
    const path = newPath();
    await writeSnapshot(path, records);
    const before = readFileSync(join(path, "manifest.json"), "utf8");
    const dir = newPath();
    mkdirSync(dir);
    writeFileSync(join(dir, "layer_features.ndjson"), `${JSON.stringify(feature(2, {}))}\n`);
    for (const isFull of [
      (file: string) => file.endsWith(".unfinished"),
      (file: string) => /\.unfinished-[^/]*$/.test(file),
    ]) {
      disk.isFull = isFull;
      await expectFull(importNdjson(dir, path), path, /Make room/);
      expect(readFileSync(join(path, "manifest.json"), "utf8")).toBe(before);
      expect(readdirSync(path).filter(isLock)).toEqual([]);
    }
  });

  it("is reported by an export, which leaves no partial file", async () => {
    const [path, dir] = [newPath(), newPath()];
    await writeSnapshot(path, records);
    disk.isFull = (file) => file.startsWith(join(dir, "layer_features"));
    await expectFull(exportNdjson(path, dir), dir, /Make room/);
    expect(readdirSync(dir).filter((name) => name.includes("layer_features"))).toEqual([]);
  });

  it.each([
    { code: "EACCES", syscall: "open", path: join(folder, "elsewhere", "sites.ndjson") },
    { code: "EIO", syscall: "read" },
  ])("is not reported for records that cannot be read: $code", async (facts) => {
    const error = Object.assign(new Error(`${facts.code}: no, ${facts.syscall}`), facts);
    const unreadable = (function* () {
      yield feature(1, {});
      throw error;
    })();
    await expect(writeSnapshot(newPath(), { layerFeatures: unreadable })).rejects.toBe(error);
  });

  it.each([
    ["EDQUOT", "the disk quota is used up"],
    ["EROFS", "the file system is read-only"],
    ["EIO", "EIO: no room, write"],
  ])("is distinguished from other reasons: %s", async (code, reason) => {
    const path = newPath();
    disk.code = code;
    disk.isFull = isLock;
    await expect(writeSnapshot(path, records)).rejects.toThrow(`${path} cannot be written: ${reason}.`);
  });
});
