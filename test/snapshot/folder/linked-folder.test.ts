import { lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../../support/records.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

/** Writes a state with so many features of site 1. */
async function write(path: string, count: number): Promise<void> {
  const layerFeatures = Array.from({ length: count }, (_, index) => feature(index + 1, { site_id: 1 }));
  await writeSnapshot(path, { layerFeatures });
}

/** Features of a state, by column and by SQL. */
async function count(path: string, generation?: number): Promise<readonly unknown[]> {
  const snapshot = await openedSnapshot(path, generation === undefined ? {} : { generation });
  const { table } = await snapshot.layer({ site_id: 1 });
  return [table.numRows(), (await snapshot.sql("SELECT count(*)::INTEGER AS n FROM layer_features")).get("n", 0)];
}

describe("a snapshot with links", () => {
  it("is written and read through a link to its folder, which stays one", async () => {
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    const path = join(folder, "link");
    await write(path, 1);
    await write(path, 2);
    expect(await count(path)).toEqual([2, 2]);
    expect(await count(join(folder, "real"), 1)).toEqual([1, 1]);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });
});
