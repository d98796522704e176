import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { diskReason } from "../../src/core/disk-reason.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";

const folder = temporaryFolder();

it.each([
  ["ENOSPC: no space left on device, write", "the device has no space left"],
  ["EDQUOT: disk quota exceeded, write", "the disk quota is used up"],
  ['IO Error: Could not write file "/data/a.parquet": No space left on device', "the device has no space left"],
  ['IO Error: Cannot open file "/data/a.parquet": Read-only file system', "the file system is read-only"],
  ["EACCES: permission denied, open '/data/a.csv'", "permission is denied"],
  ["EIO: i/o error, write", "EIO: i/o error, write"],
])("returns the reason of %s", (message, words) => {
  expect(diskReason(new Error(message))?.words).toContain(words);
});

it.each(["eio", "EBUSY", "read-only", "permission denied"])("ignores the name of a folder: %s", async (name) => {
  const file = join(folder, name);
  await writeFile(file, "");
  const errors = [
    await mkdir(file).catch((error: unknown) => error),
    await readFile(join(file, "x")).catch((error: unknown) => error),
  ];
  expect(errors.map((error) => [error instanceof Error, diskReason(error)])).toEqual([
    [true, undefined],
    [true, undefined],
  ]);
  expect(diskReason(new Error(`IO Error: Cannot open file "${file}/x": Not a directory`))).toBeUndefined();
});
