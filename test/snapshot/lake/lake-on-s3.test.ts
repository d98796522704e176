import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromRecords, openSnapshot, pull, writeDuckLake } from "../../../src/index.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython, type Python } from "../../support/python.js";
import { BUCKET_REGION, type ServedBucket, serveBucket } from "../../support/serve-bucket.js";
import { feature } from "../feature.js";
import { guideStatements } from "../guide-listing.js";
import { site } from "../moving-service.js";
import { pruneLater } from "../prune-later.js";
import { expectSamePast, withoutLogged } from "../sql/same-past.js";
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

  /** Runs the commands of the guide that upload a snapshot. */
  async function upload(path: string) {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/how-to/remote-snapshots.md"), "utf8");
    const commands = guide.split("\n").filter((line) => line.startsWith("aws s3 "));
    expect(commands).toHaveLength(5);
    for (const command of commands) await bucket.run(command, dirname(path));
  }

  it("has the files of the folder after the commands of the guide, also of a later generation", async () => {
    const path = join(folder, "synced", "acme.snapshot");
    const stored = new Set<string>();
    for (const [month, status] of ["OPEN", "DONE", "CLOSED"].entries()) {
      const readAt = new Date(Date.UTC(2025, month + 1, 1));
      const records = { sites: [site(7)], layerFeatures: [feature(1, { STATUS: status }, 7)] };
      await pull(fromRecords(records, { readAt }), path, { showProgress: false, now: () => readAt });
      await writeDuckLake(path, { location: HOME });
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
      // A manifest is uploaded after its files, and files are removed last.
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

  it("returns the same as a history, and sends signed ranges of files only", async () => {
    const path = join(folder, "sample", "acme.snapshot");
    await writeSample(path);
    await writeDuckLake(path, { location: HOME });
    await upload(path);
    await reader.attach(`${HOME}/lake.ducklake`, "lake", "READ_ONLY", [secret()]);
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history({ semantic_type: "TRENCHES" });
    const lake = { sql: async (query: string) => withoutLogged(await reader.sql(query)) };
    await expectSamePast(lake, "TRENCHES", history, ["2024-06-30", "2025-10-26"]);
    const expected = history.asOf("2024-06-30").numRows();
    await snapshot.close();

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
  });

  it("is attached by the statements of the guide", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/how-to/ducklake.md"), "utf8");
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

  it("is not sent without the key", async () => {
    bucket.requests.length = 0;
    const attached = reader.attach(`${HOME}/lake.ducklake`, "lake", "READ_ONLY", [secret("wrong")]);
    await expect(attached).rejects.toThrow(/database does not exist/);
    expect(bucket.requests.map(({ status }) => status)).toContain(403);
    expect(bucket.requests.every(({ status }) => status === 403)).toBe(true);
  });
});

const isOfS3 = (sql: string) => sql.includes("TYPE s3");
