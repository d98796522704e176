import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { replaceFile } from "../../../src/tables/export/replace-file.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";

const folder = temporaryFolder();
const uuid = "01890000-0000-7000-8000-000000000001";
const another = "01890000-0000-7000-8000-000000000002";

it("removes files that a killed process left, and no others", async () => {
  const place = join(folder, "reports");
  await mkdir(place);
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  const leave = (name: string, at?: Date) => {
    writeFileSync(join(place, name), "part");
    if (at) utimesSync(join(place, name), at, at);
  };
  leave(`a.csv.${uuid}.unfinished`, longAgo);
  const kept = [
    `a.csv.${another}.unfinished`,
    `b.csv.${uuid}.unfinished`,
    "a.csv.mine.unfinished",
    `a.csv.${uuid}.finished`,
  ];
  leave(kept[0] ?? "");
  for (const name of kept.slice(1)) leave(name, longAgo);
  const path = join(place, "a.csv");
  await replaceFile(path, async (unfinished) => writeFileSync(unfinished, "whole"));
  expect(readFileSync(path, "utf8")).toBe("whole");
  expect(readdirSync(place).sort()).toEqual(["a.csv", ...kept].sort());
});

it("reports a full disk and keeps the existing file", async () => {
  const path = join(folder, "full.csv");
  writeFileSync(path, "before");
  const full = (message: string) => async (unfinished: string) => {
    writeFileSync(unfinished, "par");
    throw Object.assign(new Error(message.replace("FILE", unfinished)), { syscall: "write" });
  };
  for (const message of [
    "ENOSPC: no space left on device, write",
    'Could not write file "FILE": No space left on device',
  ]) {
    await expect(replaceFile(path, full(message))).rejects.toMatchObject({
      code: "ERR_FILE",
      message: `${path} cannot be written: the device has no space left.`,
      hint: expect.stringMatching(/^Free disk space/),
    });
  }
  const other = Object.assign(new Error("EACCES: permission denied, open '/elsewhere'"), { path: "/elsewhere" });
  await expect(replaceFile(path, () => Promise.reject(other))).rejects.toBe(other);
  expect(readFileSync(path, "utf8")).toBe("before");
  expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
});
