import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSnapshot } from "../../../src/index.js";
import { pruneGenerations } from "../../../src/snapshot/folder/prune-generations.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../../support/records.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

/** Writes a state with so many features of site 1. */
async function write(path: string, count: number): Promise<void> {
  const layerFeatures = Array.from({ length: count }, (_, index) => feature(index + 1, { site_id: 1 }));
  await writeSnapshot(path, { layerFeatures });
}

/** Features of a state, by column and by SQL. */
async function count(path: string, generation?: number): Promise<readonly unknown[]> {
  const snapshot = await openSnapshot(path, generation === undefined ? {} : { generation });
  try {
    const { table } = await snapshot.layer({ site_id: 1 });
    return [table.numRows(), (await snapshot.sql("SELECT count(*)::INTEGER AS n FROM layer_features")).get("n", 0)];
  } finally {
    await snapshot.close();
  }
}

function parquetIn(path: string): readonly string[] {
  return readdirSync(path).filter((name) => name.endsWith(".parquet"));
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

  it.each(["layer_features", "layer_features/site_id=1", "columns", "generations"])(
    "keeps its states with %s linked to another place",
    async (name) => {
      const path = join(folder, `linked-${name.replace("/", "-")}`);
      await write(path, 1);
      await write(path, 2);
      const away = `${path}-away`;
      renameSync(join(path, name), away);
      symlinkSync(away, join(path, name));
      expect([await count(path), await count(path, 1)]).toEqual([
        [2, 2],
        [1, 1],
      ]);
      await write(path, 3);
      expect([await count(path), await count(path, 2), await count(path, 1)]).toEqual([
        [3, 3],
        [2, 2],
        [1, 1],
      ]);
      await pruneGenerations(path, 1);
      expect(await count(path)).toEqual([3, 3]);
      expect(parquetIn(join(path, "layer_features", "site_id=1"))).toHaveLength(1);
    },
  );

  it("leaves alone what is linked into the folder of a table", async () => {
    const path = join(folder, "with-backup");
    const mine = join(folder, "mine");
    mkdirSync(mine);
    writeFileSync(join(mine, "precious.parquet"), "");
    await write(path, 1);
    symlinkSync(mine, join(path, "layer_features", "backup"));
    await write(path, 2);
    expect(await count(path)).toEqual([2, 2]);
    expect(existsSync(join(mine, "precious.parquet"))).toBe(true);
  });

  it("leaves alone what lies where the folder of a table is linked to", async () => {
    const path = join(folder, "beside");
    const mine = join(folder, "mine-too");
    mkdirSync(mine);
    mkdirSync(path);
    writeFileSync(join(mine, "precious.parquet"), "");
    symlinkSync(mine, join(path, "layer_features"));
    await write(path, 1);
    expect(existsSync(join(mine, "precious.parquet"))).toBe(true);
  });

  it.each(["self", "site_id=2"])("keeps its files if %s of a table is a link back to them", async (name) => {
    const path = join(folder, `loop-${name}`);
    await write(path, 1);
    symlinkSync(name === "self" ? "." : "site_id=1", join(path, "layer_features", name));
    await write(path, 2);
    expect([await count(path), await count(path, 1)]).toEqual([
      [2, 2],
      [1, 1],
    ]);
  });
});
