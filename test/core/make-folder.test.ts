import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolderOf } from "../../src/core/make-folder.js";
import { fromRecords, pull } from "../../src/index.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";

const folder = temporaryFolder();

it("makes the folder of a file, and those above it", async () => {
  await makeFolderOf(join(folder, "a", "b", "report.html"));
  expect(existsSync(join(folder, "a", "b"))).toBe(true);
});

it("gives the path, the reason and a fix if it cannot", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const [path, reason] of [
    [join(file, "report.html"), "a file has the name of the folder"],
    [join(file, "below", "report.html"), "a part of its path is a file, not a folder"],
    [join(folder, "x".repeat(300), "report.html"), "the name of its folder is too long"],
  ] as const) {
    await expect(makeFolderOf(path)).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: `${path} cannot be written: ${reason}.`,
      hint: "Give a path in a folder that can be written.",
    });
  }
  await expect(pull(fromRecords({ sites: [] }), join(file, "acme.snapshot"))).rejects.toMatchObject({
    code: "ERR_SNAPSHOT",
    message: `${join(file, "acme.snapshot")} cannot be written: a part of its path is a file, not a folder.`,
  });
});
