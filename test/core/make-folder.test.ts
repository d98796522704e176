import { existsSync, statSync, writeFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { diskReason, makeFolder, makeFolderOf, makeFolderSync } from "../../src/core/make-folder.js";
import { fromRecords, pull } from "../../src/index.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";

const folder = temporaryFolder();

it("makes the folder of a file, with its parents", async () => {
  await makeFolderOf(join(folder, "a", "b", "report.html"));
  expect(existsSync(join(folder, "a", "b"))).toBe(true);
});

it("reports the path, the reason and a fix on failure", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const [path, reason] of [
    [join(file, "report.html"), "a file has the name of the folder"],
    [join(file, "below", "report.html"), "a part of its path is a file, not a folder"],
    [join(folder, "x".repeat(300), "report.html"), "the name of its folder is too long"],
  ] as const) {
    await expect(makeFolderOf(path)).rejects.toMatchObject({
      code: "ERR_FILE",
      message: `${path} cannot be written: ${reason}.`,
      hint: "Use a path in a writable folder.",
    });
  }
  await expect(pull(fromRecords({ sites: [] }), join(file, "acme.snapshot"))).rejects.toMatchObject({
    code: "ERR_SNAPSHOT",
    message: `${join(file, "acme.snapshot")} cannot be written: a part of its path is a file, not a folder.`,
  });
});

it.runIf(process.platform === "linux")("fails where folders cannot be made, at any depth", async () => {
  for (const path of ["/proc/none", "/proc/none/below/it"]) {
    await expect(makeFolder(path)).rejects.toMatchObject({ code: "ENOENT" });
    expect(() => makeFolderSync(path)).toThrow(expect.objectContaining({ code: "ENOENT" }));
    await expect(makeFolderOf(join(path, "report.html"))).rejects.toThrow("its folder cannot be created");
    await expect(pull(fromRecords({ sites: [] }), path)).rejects.toMatchObject({
      code: "ERR_SNAPSHOT",
      message: `${path} cannot be written: its folder cannot be created.`,
    });
  }
});

it("makes missing folders once, with the mode for each, and returns the first", async () => {
  const [first, second] = [join(folder, "first"), join(folder, "second")];
  expect(await makeFolder(join(first, "a", "b"), 0o700)).toBe(first);
  expect(await makeFolder(join(first, "a", "b"))).toBeUndefined();
  expect(await Promise.all([1, 2, 3].map(() => makeFolder(join(first, "c", "d"))))).toContain(join(first, "c"));
  makeFolderSync(join(second, "a"), 0o700);
  makeFolderSync(join(second, "a"));
  if (process.platform !== "win32") {
    for (const made of [first, join(first, "a"), second]) expect(statSync(made).mode & 0o777).toBe(0o700);
  }
});

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
