import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromRecords, makeLake, openSnapshot, pull } from "../../../src/index.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython, type Python } from "../../support/python.js";
import { BUCKET_REGION, type ServedBucket, serveBucket } from "../../support/serve-bucket.js";
import { feature } from "../feature.js";
import { guideStatements } from "../guide-listing.js";
import { site } from "../moving-service.js";
import { pruneLater } from "../prune-later.js";
import { expectSamePast } from "../sql/same-past.js";
import { temporaryFolder } from "../temporary-folder.js";
import { LakeReader } from "./ask-lake.js";

const folder = temporaryFolder();
const python = findPython("awscli, boto3, duckdb, duckdb_extension_ducklake, duckdb_extension_httpfs, moto.server");
const BUCKET = "acme-data";
const HOME = `s3://${BUCKET}/acme.snapshot`;

describe.skipIf(!python)("a lake in a bucket", () => {
  let reader: LakeReader;
  let bucket: ServedBucket;
  beforeAll(async () => {
    reader = new LakeReader(python);
    bucket = await serveBucket(python as Python, BUCKET);
  });
  afterAll(async () => {
    reader.close();
    await bucket[Symbol.asyncDispose]();
  });

  const secret = (key = bucket.secretAccessKey) =>
    `CREATE SECRET (TYPE s3, KEY_ID '${bucket.accessKeyId}', SECRET '${key}', REGION '${BUCKET_REGION}',
      ENDPOINT '${new URL(bucket.url).host}', URL_STYLE 'path', USE_SSL false)`;

  /** The commands of the guide that upload a snapshot, run beside it. */
  async function upload(path: string) {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/guide/snapshots.md"), "utf8");
    const commands = guide.split("\n").filter((line) => line.startsWith("aws s3 "));
    expect(commands).toHaveLength(5);
    for (const command of commands) await bucket.run(command, dirname(path));
  }

  it("comes there by the commands of the guide, and with a later state has what the folder has", async () => {
    const path = join(folder, "synced", "acme.snapshot");
    const stored = new Set<string>();
    for (const [month, status] of ["OPEN", "DONE", "CLOSED"].entries()) {
      const readAt = new Date(Date.UTC(2025, month + 1, 1));
      const records = { sites: [site(7)], layerFeatures: [feature(1, { STATUS: status }, 7)] };
      await pull(fromRecords(records, { readAt }), path, { progress: false, now: () => readAt });
      await makeLake(path, { location: HOME });
      if (month === 2) await pruneLater(path, 1);
      writeFileSync(join(path, ".unfinished.parquet"), "");
      bucket.requests.length = 0;
      await upload(path);
      const changed = bucket.requests.filter(({ method }) => method === "PUT" || method === "DELETE");
      for (const { method, key } of changed) method === "PUT" ? stored.add(key) : stored.delete(key);
      const inFolder = readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
        .map((entry) => join(entry.parentPath, entry.name).slice(dirname(path).length + 1));
      expect([...stored].sort()).toEqual(inFolder.sort());
      // No reader finds a name of what is not there.
      const order = changed.map(({ method, key }) =>
        method === "DELETE" ? "gone" : /\.(json|ducklake)$/.exec(key)?.[1],
      );
      const names = order.indexOf("json");
      expect(order.slice(0, names).every((kind) => kind === undefined)).toBe(true);
      expect(order.slice(names).includes(undefined)).toBe(false);
      expect(order.lastIndexOf("json")).toBeLessThan(order.includes("gone") ? order.indexOf("gone") : order.length);
      // Files that were listed before this generation was uploaded can still be opened; a new listing has this one.
      const read = "SELECT properties['STATUS'] AS status FROM read_parquet(files_of('layer_features'))";
      if (month === 1) expect((await reader.sql(read)).array("status")).toEqual(['"OPEN"']);
      await reader.start([secret(), guideStatements(HOME)]);
      expect((await reader.sql(read)).array("status")).toEqual([`"${status}"`]);
    }
    await reader.attach(`${HOME}/lake.ducklake`, "lake", "READ_ONLY", [secret()]);
    expect((await reader.sql('SELECT "STATUS" FROM TRENCHES')).array("STATUS")).toEqual(["CLOSED"]);
  });

  it("says what a history says, and no more of it is read than a query needs", async () => {
    const path = join(folder, "sample", "acme.snapshot");
    await writeSample(path);
    await makeLake(path, { location: HOME });
    await upload(path);
    await reader.attach(`${HOME}/lake.ducklake`, "lake", "READ_ONLY", [secret()]);
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history({ semantic_type: "TRENCHES" });
    await expectSamePast({ sql: (query) => reader.sql(query) }, "TRENCHES", history, ["2024-06-30", "2025-10-26"]);
    const expected = history.asOf("2024-06-30").numRows();
    await snapshot.close();

    await reader.attach(`${HOME}/lake.ducklake`, "lake", "READ_ONLY", [secret()]);
    bucket.requests.length = 0;
    const counted = await reader.sql("SELECT count(*) AS n, min(id) AS first FROM layer_features WHERE site_id = 103");
    expect(counted.get("n", 0)).toBe(102);
    const files = new Set(bucket.requests.map(({ key }) => key).filter((key) => key.endsWith(".parquet")));
    expect(files.size).toBeGreaterThan(0);
    for (const key of files) expect(key).toMatch(/\/layer_features\/site_id=(103|__HIVE_DEFAULT_PARTITION__)\//);

    await reader.attach(`${HOME}/lake.ducklake`, "lake", "READ_ONLY", [secret()]);
    bucket.requests.length = 0;
    const states = await reader.sql(
      "SELECT \"STATUS\", count(*) AS n FROM trenches_at(DATE '2024-06-30') GROUP BY ALL",
    );
    expect((states.array("n") as number[]).reduce((sum, n) => sum + n, 0)).toBe(expected);
    const log = bucket.requests.filter(({ method, key }) => method === "GET" && key.includes("/property_changes/"));
    expect(log.length).toBeGreaterThan(0);
    for (const { range, status, isSigned } of log) {
      expect({ range, status, isSigned }).toEqual({
        range: expect.stringMatching(/^bytes=\d+-\d+$/),
        status: 206,
        isSigned: true,
      });
    }
    const stored = [...new Set(log.map(({ key }) => key))].reduce(
      (sum, key) => sum + statSync(join(dirname(path), key)).size,
      0,
    );
    const fetched = log.reduce((sum, { bytes }) => sum + bytes, 0);
    // The records, which are most of each file, are not asked for.
    expect(fetched).toBeLessThan(stored / 2);
  });

  it("is attached by the statements of the guide", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/guide/snapshots.md"), "utf8");
    const block = [...guide.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql).find(isOfS3) ?? "";
    const statements = block.split(";").map((statement) => statement.trim());
    // The extension is there already, and the store is not Amazon's.
    expect(statements.splice(0, 2)).toEqual([
      "INSTALL httpfs",
      "CREATE SECRET (TYPE s3, KEY_ID 'AKIA…', SECRET '…', REGION 'eu-central-1')",
    ]);
    await reader.start([secret(), ...statements.filter((statement) => statement !== "")]);
    expect((await reader.sql("FROM TRENCHES_AT(DATE '2025-06-30')")).numRows()).toBeGreaterThan(0);
  });

  it("is not given to who has no key", async () => {
    bucket.requests.length = 0;
    const attached = reader.attach(`${HOME}/lake.ducklake`, "lake", "READ_ONLY", [secret("wrong")]);
    await expect(attached).rejects.toThrow(/database does not exist/);
    expect(bucket.requests.map(({ status }) => status)).toContain(403);
    expect(bucket.requests.every(({ status }) => status === 403)).toBe(true);
  });
});

const isOfS3 = (sql: string) => sql.includes("TYPE s3");
