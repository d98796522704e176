import type { DuckDBConnection } from "@duckdb/node-api";
import { sameJson } from "../../core/json/json.js";
import { wholeChunks } from "../database/whole-chunks.js";

/** A record as JSON carries it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A record of which the two states have different versions, or one has none. */
export interface RecordPair {
  readonly before: JsonRecord | undefined;
  readonly after: JsonRecord | undefined;
  /** Of features: whether the earlier state knew it as gone. */
  readonly wasGone: boolean;
  /** Of features: when it was found to be gone, microseconds since 1970. */
  readonly goneAtUs: number | undefined;
}

/** The records of a table that differ, in ascending order of ids. The order of members makes no difference. */
export async function* pairedRecords(connection: DuckDBConnection, table: string): AsyncGenerator<RecordPair> {
  const isFeatures = table === "layer_features";
  // Older formats have ids of UUIDs as they came.
  const id = (side: string) => `lower(${side}.id::VARCHAR)`;
  const gone = isFeatures
    ? `, n.id IN (SELECT id FROM from_gone_features) AS was_gone,
       (SELECT epoch_us(max(gone_at))::DOUBLE FROM to_gone_features g WHERE g.id = o.id) AS gone_us`
    : ", false AS was_gone, NULL::DOUBLE AS gone_us";
  const sql = `SELECT o.record AS before, n.record AS after ${gone}
    FROM from_${table} o FULL JOIN to_${table} n ON ${id("o")} = ${id("n")}
    WHERE o.record IS DISTINCT FROM n.record ORDER BY coalesce(n.id, o.id)`;
  for await (const chunk of wholeChunks(connection, sql)) {
    const [befores = [], afters = [], wereGone = [], goneUs = []] = [0, 1, 2, 3].map((column) =>
      chunk.getColumnValues(column),
    );
    for (const [row, text] of befores.entries()) {
      const [before, after] = [parsed(text), parsed(afters[row])];
      if (before && after && sameJson(before, after)) continue;
      const us = goneUs[row];
      yield { before, after, wasGone: wereGone[row] === true, goneAtUs: typeof us === "number" ? us : undefined };
    }
  }
}

function parsed(text: unknown): JsonRecord | undefined {
  return typeof text === "string" ? (JSON.parse(text) as JsonRecord) : undefined;
}

/** The members of two records that differ, by name, in the order of the first and then of the second. */
export function differingMembers(before: JsonRecord, after: JsonRecord): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !sameJson(before[name] ?? null, after[name] ?? null));
}
