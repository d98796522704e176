import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { replaceFile } from "../../../src/columns/export/replace-file.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";

const folder = temporaryFolder();
const uuid = "01890000-0000-7000-8000-000000000001";
const another = "01890000-0000-7000-8000-000000000002";

it("removes what a process that was killed has left beside the file, and nothing else", async () => {
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
