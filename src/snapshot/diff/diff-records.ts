import type { DuckDBConnection } from "@duckdb/node-api";
import type { ResourceName } from "../../api/resources.js";
import type { Pseudonym } from "../../client/page/pseudonym.js";
import { redactRecord } from "../../client/page/redact-record.js";
import { schemaOf } from "../format/table-schema.js";
import { differingMembers, type JsonRecord, pairedRecords } from "./paired-records.js";

/** A field of a record that differs; no field of a record that is new or gone. */
export interface FieldDiff {
  readonly resource: ResourceName;
  /** The later version, or the only one. */
  readonly record: JsonRecord;
  readonly change: "new" | "gone" | "changed";
  readonly field: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields in which records of two states differ. */
export async function diffRecords(
  connection: DuckDBConnection,
  resource: ResourceName,
  pseudonym: Pseudonym | undefined,
): Promise<readonly FieldDiff[]> {
  const found: FieldDiff[] = [];
  const shown = (record: JsonRecord) => (pseudonym ? redactRecord(resource, record, pseudonym) : record);
  for await (const pair of pairedRecords(connection, schemaOf(resource).name)) {
    const [before, after] = [pair.before && shown(pair.before), pair.after && shown(pair.after)];
    if (before && after) {
      for (const field of differingMembers(before, after)) {
        const values = { before: before[field] ?? null, after: after[field] ?? null };
        found.push({ resource, record: after, change: "changed", field, ...values });
      }
    } else {
      const record = after ?? before ?? {};
      found.push({ resource, record, change: after ? "new" : "gone", field: null, before: null, after: null });
    }
  }
  return found;
}

/** How many records the fields are of. */
export function countRecords(found: readonly FieldDiff[]): number {
  return new Set(found.map(({ resource, record }) => `${resource} ${String(record["id"])}`)).size;
}
