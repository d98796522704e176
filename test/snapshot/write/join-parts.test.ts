import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedFiles } from "../../../src/snapshot/format/manifest.js";
import { schemaOf } from "../../../src/snapshot/format/table-schema.js";
import { joinParts, logParts } from "../../../src/snapshot/write/join-parts.js";
import { measureParts, type PlacedPart, writeCopy } from "../../../src/snapshot/write/write-part.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const schema = schemaOf("propertyChanges");
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  // As a pull has it.
  instance = await DuckDBInstance.create(":memory:", { memory_limit: "96MB", threads: "1" });
  connection = await instance.connect();
});
afterAll(() => instance.closeSync());

/** Digits that no compression makes much shorter. */
const noise = (bytes: number) =>
  `array_to_string(list_transform(range(${Math.ceil(bytes / 32)}), lambda n: md5(n || ':' || id)), '')`;

/**
 * A sorted part of the log, as a step of a pull writes it.
 *
 * @param rows query of the numbers `n` of the changes
 * @param feature id of the feature, an expression of `n`
 * @param bytes of each record
 */
async function partOf(rows: string, feature: string, bytes: number, root = folder): Promise<PlacedPart> {
  const file = await writeCopy(
    connection,
    logParts,
    root,
    7,
    `SELECT id, layer_feature_id, 'STATUS' AS property_key, '1' AS new_value, false AS system, 1::BIGINT AS user_id,
       NULL::VARCHAR AS caused_by_change_id, created_at, strlen(record)::INTEGER AS record_bytes, record
     FROM (SELECT *, '{"id":"' || id || '","layer_feature_id":' || layer_feature_id ||
         ',"property_key":"STATUS","new_value":1,"system":false,"user_id":1,"caused_by_change_id":null,"created_at":"1970-01-01T00:00:00.00000'
         || us || 'Z","note":"' || ${noise(bytes)} || '"}' AS record FROM
       (SELECT printf('00000000-0000-7000-8000-%012d', n::BIGINT) AS id, (${feature})::BIGINT AS layer_feature_id,
          n % 5 AS us, make_timestamptz((n % 5)::BIGINT) AS created_at FROM (${rows})))
     ORDER BY ${schema.order.join()}`,
  );
  return { file, path: join(root, file.path) };
}

async function joinAll(root: string, parts: readonly PlacedPart[], logRows: number) {
  return joinParts(connection, root, await measureParts(connection, parts), logRows);
}

async function rows(sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][];
}

const read = (path: string) =>
  `read_parquet('${join(folder, path)}', hive_partitioning = false, file_row_number = true)`;

/** Ids of a file in the order of its rows, with their features. */
const idsOf = (path: string) => rows(`SELECT id[-12:], layer_feature_id FROM ${read(path)} ORDER BY file_row_number`);

describe("parts of a log", () => {
  it("are joined in the order of the log, with each change once", async () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(ids, { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        async (all, features) => {
          const taken = new Set<number>();
          const parts: PlacedPart[] = [];
          const log: (readonly [id: string, feature: string, us: number])[] = [];
          for (const part_ of all) {
            const fresh = part_.filter((id) => !taken.has(id));
            for (const id of fresh) {
              taken.add(id);
              log.push([String(id).padStart(12, "0"), String(id % features), id % 5]);
            }
            if (fresh.length > 0)
              parts.push(await partOf(`SELECT unnest([${fresh.join()}]) AS n`, `n % ${features}`, 40));
          }
          const joined = await joinAll(folder, parts, 1000);
          expect(joined).toHaveLength(1);
          const [file] = joined;
          expect(file).toMatchObject({ resource: "propertyChanges", site_id: 7, rows: taken.size });
          const wanted = log.toSorted(
            (a, b) => Number(a[1]) - Number(b[1]) || a[2] - b[2] || Number(a[0]) - Number(b[0]),
          );
          expect(await idsOf(file?.path ?? "")).toEqual(wanted.map(([id, feature]) => [id, feature]));
        },
      ),
      { numRuns: 15 },
    );
  });

  it("become files of 16 MB in order, with row groups of a hundredth of the log", async () => {
    const parts: PlacedPart[] = [];
    for (let step = 0; step < 12; step += 1) {
      const ids = `SELECT ${step} * 20000 + unnest(range(20000)) AS n`;
      parts.push(await partOf(ids, "n", 320));
    }
    const bytes = parts.reduce((sum, { file }) => sum + file.bytes, 0);
    const joined = await joinAll(folder, parts.toReversed(), 5_000_000);
    expect(joined).toHaveLength(Math.floor(bytes / 2 ** 24));
    let last = -1;
    for (const file of joined) {
      expect(statSync(join(folder, file.path)).size).toBe(file.bytes);
      expect(file.bytes).toBeGreaterThan(16_000_000);
      const found = await idsOf(file.path);
      expect(found).toHaveLength(file.rows);
      for (const [id] of found) {
        expect(Number(id)).toBe(last + 1);
        last = Number(id);
      }
      const groups = await rows(
        `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('${join(folder, file.path)}') ORDER BY 1`,
      );
      const [, size] = groups[0] ?? [];
      expect(Number(size)).toBeGreaterThan(40_000);
      expect(Number(size)).toBeLessThanOrEqual(50_000);
    }
    expect(last).toBe(239_999);
  });

  it("leave no other files than themselves and the joined file with its columns", async () => {
    const root = join(folder, "alone");
    mkdirSync(root);
    const parts: PlacedPart[] = [];
    for (const even of [0, 1]) {
      const rows = `SELECT 2 * unnest(range(140000)) + ${even} AS n`;
      parts.push(await partOf(rows, "n % 1000", 32, root));
    }
    const joined = await joinAll(root, parts, 280_000);
    expect(joined).toHaveLength(1);
    const stored = storedFiles({ files: joined }).map(({ path }) => path);
    expect(stored).toHaveLength(2);
    const left = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    expect(left.sort()).toEqual([...stored, ...parts.map(({ file }) => file.path)].sort());
  });

  it("keep small row groups in a small log, and are not joined if records are large", async () => {
    const small = [
      await partOf("SELECT unnest(range(9000)) AS n", "n", 40),
      await partOf("SELECT 9000 + unnest(range(9000)) AS n", "n", 40),
    ];
    const large = [
      await partOf("SELECT 20000 + unnest(range(8)) AS n", "1", 2 ** 20),
      await partOf("SELECT 20010 + unnest(range(8)) AS n", "1", 2 ** 20),
    ];
    const joined = await joinAll(folder, [...large, ...small], 18_016);
    expect(joined.map((file) => file.rows)).toEqual([18_000, 8, 8]);
    expect(joined.slice(1)).toMatchObject(large.map(({ file }) => file));
    for (const { columns } of joined) expect(statSync(join(folder, columns?.path ?? "")).size).toBe(columns?.bytes);
    const [file] = joined;
    const groups = await rows(
      `SELECT max(row_group_num_rows) FROM parquet_metadata('${join(folder, file?.path ?? "")}')`,
    );
    // DuckDB adds a small rest to the group before.
    expect(Number(groups[0]?.[0])).toBeLessThan(2 * 4096);
  });
});
