import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { joinParts, logParts } from "../../../src/snapshot/write/join-parts.js";
import { measureParts, type PlacedPart, writeCopy } from "../../../src/snapshot/write/write-part.js";
import { sqlText } from "../../../src/tables/sql/sql-text.js";
import { change } from "../../support/records.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** A part with a change of each of some features. */
async function partOf(...features: readonly number[]): Promise<PlacedPart> {
  const rows = features.map((id) => {
    const record = change(id, { layer_feature_id: id });
    return `(${sqlText(record.id)}, ${id}, ${sqlText(JSON.stringify(record))})`;
  });
  const select = `SELECT id, feature::BIGINT AS layer_feature_id, 'STATUS' AS property_key, '"OPEN"' AS new_value,
      false AS system, 7::BIGINT AS user_id, NULL::VARCHAR AS caused_by_change_id,
      TIMESTAMPTZ '2024-06-01T00:00:00Z' AS created_at, strlen(record)::INTEGER AS record_bytes, record
    FROM (VALUES ${rows.join()}) AS rows(id, feature, record) ORDER BY feature`;
  const file = await writeCopy(connection, logParts, folder, 7, select);
  return { file, path: join(folder, file.path) };
}

it.each([
  ["follow each other", [3, 4], [1, 2]],
  ["overlap", [1, 3], [2, 4]],
])("small parts that %s become one file in the order of features", async (_, ...features) => {
  const parts = await Promise.all(features.map((ids) => partOf(...ids)));
  const joined = await joinParts(connection, folder, await measureParts(connection, parts), 4);
  expect(joined).toMatchObject([{ resource: "propertyChanges", site_id: 7, rows: 4 }]);
  const found = await connection.runAndReadAll(
    `SELECT layer_feature_id::INTEGER FROM read_parquet(${sqlText(join(folder, joined[0]?.path ?? ""))}, file_row_number = true)
     ORDER BY file_row_number`,
  );
  expect(found.getRows().flat()).toEqual([1, 2, 3, 4]);
});
