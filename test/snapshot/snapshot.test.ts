import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SnapshotError } from "../../src/index.js";
import { askForFiles } from "../../src/snapshot/snapshot.js";
import { temporaryFolder } from "./temporary-folder.js";

it("names the missing and incomplete files in a process that cannot fetch them", async () => {
  const root = temporaryFolder();
  writeFileSync(join(root, "whole"), "abc");
  writeFileSync(join(root, "cut"), "ab");
  const [whole, cut, missing] = ["whole", "cut", "missing"].map((path) => ({ path, bytes: 3, sha256: "" }));
  const fetcher = askForFiles(root);
  const lacking = fetcher.fetch([whole, cut, missing].flatMap((file) => file ?? []));
  await expect(lacking).rejects.toBeInstanceOf(SnapshotError);
  await expect(lacking).rejects.toMatchObject({ facts: { lacking: ["cut", "missing"] } });
  expect(await fetcher.fetch([whole].flatMap((file) => file ?? []))).toBeUndefined();
});
