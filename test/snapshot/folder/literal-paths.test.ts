import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { diffSnapshots, fromRecords, pull, verifySnapshot, writeDuckLake } from "../../../src/index.js";
import { openStore } from "../../../src/snapshot/serve/open-store.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { change, dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const original = join(folder, "original.snapshot");
const readAt = new Date("2025-02-01T00:00:00Z");
const records = {
  sites: [site(7), site(8)],
  datasets: [dataset(1, { site_id: 7 }), dataset(2, { site_id: 8 })],
  layerFeatures: [
    feature(1, { site_id: 7, dataset_id: 1, properties: { STATUS: "OPEN" } }),
    feature(2, { site_id: 8, dataset_id: 2, properties: { STATUS: "DONE" } }),
  ],
  propertyChanges: [
    change(1, { layer_feature_id: 1, new_value: "OPEN" }),
    change(2, { layer_feature_id: 2, new_value: "DONE" }),
  ],
};
const later = { ...records, layerFeatures: records.layerFeatures.slice(1) };
const pullInto = (path: string, given: typeof records) =>
  pull(fromRecords(given, { readAt }), path, { showProgress: false, now: () => readAt });

beforeAll(() => pullInto(original, records));

/** A copy whose Parquet files are damaged: reading one of them fails. */
function copyDamaged(path: string): void {
  cpSync(original, path, { recursive: true });
  for (const name of readdirSync(path, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".parquet")) writeFileSync(join(path, name), "damaged");
  }
}

/** Names of snapshot folders, each with a name that it matches as a pattern. */
const patterns = [
  ["acme [1].snapshot", "acme 1.snapshot"],
  ["{a,b}.snapshot", "a.snapshot"],
  // Windows forbids these characters.
  ...(process.platform === "win32"
    ? []
    : [
        ["what?.snapshot", "what1.snapshot"],
        ["a*b.snapshot", "axb.snapshot"],
      ]),
].map(([name = "", match = ""], index) => ({ name: `${index}/${name}`, match: `${index}/${match}` }));

/** Names that readers of partitions take for a column. */
const partitions = ["k=v.snapshot", "id=9/layer_feature_id=3"].map((name) => ({ name }));

const names: readonly { readonly name: string; readonly match?: string }[] = [...patterns, ...partitions];

describe.each(names)("a snapshot in $name", ({ name, match }) => {
  const path = join(folder, name);
  beforeAll(() => {
    if (match !== undefined) copyDamaged(join(folder, match));
    mkdirSync(join(path, ".."), { recursive: true });
    cpSync(original, path, { recursive: true });
  });

  it.each([false, true])("answers SQL from its own files, sandbox: %s", async (sandbox) => {
    const snapshot = await openedSnapshot(path);
    const rows = async (sql: string) => (await snapshot.sql(sql, { sandbox })).objects();
    expect(await rows("SELECT id, site_id FROM layer_features WHERE site_id = 8")).toEqual([{ id: 2, site_id: 8 }]);
    expect(await rows("SELECT layer_feature_id AS f, site_id, value FROM property_changes ORDER BY f")).toEqual([
      { f: 1, site_id: 7, value: "OPEN" },
      { f: 2, site_id: 8, value: "DONE" },
    ]);
    const columns = (await rows("DESCRIBE layer_features")) as { readonly column_name: string }[];
    expect(columns.map(({ column_name }) => column_name)).not.toContain("k");
    const target = `${path}-${sandbox}.csv`;
    await snapshot.writeTo("SELECT name FROM sites ORDER BY id", target, "csv", { sandbox });
    expect(existsSync(target)).toBe(true);
  });

  it("has layers, histories and questions", async () => {
    const snapshot = await openedSnapshot(path);
    expect((await snapshot.layer({ site_id: 7 })).table.array("STATUS")).toEqual(["OPEN"]);
    await using questions = await snapshot.lazyHistory({ site_id: [7, 8] });
    const dates = ["2025-01-01"];
    const history = await snapshot.history({ site_id: [7, 8] });
    expect((await questions.counts("STATUS", { dates })).objects()).toEqual(
      history.counts("STATUS", { dates }).objects(),
    );
    const target = `${path}.parquet`;
    await questions.counts("STATUS", { dates }).writeTo(target);
    expect(existsSync(target)).toBe(true);
  });

  it("is verified, served, pulled again, compared and made a lake", async () => {
    expect((await verifySnapshot(path)).damage).toEqual([]);
    await (await openStore(path)).close();
    await pullInto(path, later);
    expect((await verifySnapshot(path)).damage).toEqual([]);
    const diff = await diffSnapshots(path);
    expect(diff.features.objects()).toMatchObject([{ id: 1 }]);
    if (name.includes("?")) {
      await expect(writeDuckLake(path)).rejects.toMatchObject({
        code: "ERR_SNAPSHOT",
        message: expect.stringContaining("?"),
      });
    } else expect((await writeDuckLake(path)).generations).toEqual([1, 2]);
  });

  it("is written from records", async () => {
    const written = join(folder, "written", name);
    mkdirSync(join(written, ".."), { recursive: true });
    const writing = writeSnapshot(written, records, { readAt });
    if (name.includes("?")) {
      await expect(writing).rejects.toMatchObject({ code: "ERR_SNAPSHOT", message: expect.stringContaining("?") });
    } else expect((await writing).files.length).toBeGreaterThan(0);
  });
});
