import type { DuckDBConnection } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import type { Pseudonym } from "../../client/page/pseudonym.js";
import { redactRecord } from "../../client/page/redact-record.js";
import { dateOf, exactUs } from "../../core/instant.js";
import type { KeyResolver } from "../../layer/property-key.js";
import { toTable } from "../../tables/column/table.js";
import { wholeChunks } from "../database/whole-chunks.js";
import type { JsonRecord } from "./paired-records.js";

/** What came into the log. */
export interface LogDiff {
  readonly changes: ColumnTable;
  readonly count: number;
  /** Changes of the earlier state that the later one does not have. */
  readonly lost: number;
}

/** Files of the log are put together now and then, so that ids tell what is new. */
const byId = (of: string, other: string) =>
  `FROM ${of}_property_changes c ANTI JOIN ${other}_property_changes d ON lower(c.id::VARCHAR) = lower(d.id::VARCHAR)`;

/** The changes that the later state has and the earlier one has not, by `created_at`, then by id. */
export async function diffLog(
  connection: DuckDBConnection,
  resolve: KeyResolver,
  pseudonym: Pseudonym | undefined,
): Promise<LogDiff> {
  const records: JsonRecord[] = [];
  const visibleIds: unknown[] = [];
  const sql = `SELECT c.record AS record, f.visible_id AS visible_id
    FROM (SELECT record, id, created_at, layer_feature_id ${byId("to", "from")}) c
    LEFT JOIN (SELECT id, visible_id FROM layer_features UNION ALL SELECT id, visible_id FROM gone_features) f
      ON f.id = c.layer_feature_id
    ORDER BY c.created_at, lower(c.id::VARCHAR)`;
  for await (const chunk of wholeChunks(connection, sql)) {
    const [texts, visible] = [chunk.getColumnValues(0), chunk.getColumnValues(1)];
    for (const [row, text] of texts.entries()) {
      const record = JSON.parse(String(text)) as JsonRecord;
      records.push(pseudonym ? redactRecord("propertyChanges", record, pseudonym) : record);
      visibleIds.push(visible[row] ?? null);
    }
  }
  const [[lost] = []] = await (await connection.run(`SELECT count(*)::DOUBLE ${byId("from", "to")}`)).getRows();
  return { changes: changesTable(records, visibleIds, resolve), count: records.length, lost: Number(lost) };
}

function changesTable(records: readonly JsonRecord[], visibleIds: readonly unknown[], resolve: KeyResolver) {
  const field = (name: string) => records.map((record) => record[name] ?? null);
  const keys = records.map((record) => String(record["property_key"]));
  return toTable([
    ["change_id", field("id")],
    ["id", field("layer_feature_id")],
    ["visible_id", visibleIds],
    ["column", keys.map((key) => resolve(key).definition?.name ?? key)],
    ["property_key", keys],
    ["value", field("new_value")],
    ["system", field("system")],
    ["user_id", field("user_id")],
    ["caused_by_change_id", field("caused_by_change_id")],
    ["created_at", field("created_at").map(instant)],
  ]);
}

/** A time that does not exist stays the text that came. */
function instant(text: unknown): unknown {
  const us = typeof text === "string" ? exactUs(text) : undefined;
  return us === undefined ? text : dateOf(us);
}
