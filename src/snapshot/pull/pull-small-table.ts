import type { ResolvedFilters } from "../../api/params.js";
import type { ResourceName } from "../../api/resources.js";
import { resources } from "../../api/resources.js";
import { schemaOf } from "../format/table-schema.js";
import { editMembers } from "../json/edit-members.js";
import { type EncodedRecord, encodeRecord } from "../write/encode-record.js";
import { rowId } from "./decode-rows.js";
import type { PullStep } from "./journal.js";
import type { PullContext } from "./pull-context.js";

/** Reads a resource that is small enough to be kept whole. */
export function pullSmallTable(
  context: PullContext,
  resource: ResourceName,
  filters: ResolvedFilters,
): Promise<PullStep> {
  const { journal, tables, now, report, signal } = context;
  const schema = schemaOf(resource);
  return journal.step(schema.name, async () => {
    const from = now().toISOString();
    const rows = new Map<number | string, EncodedRecord>();
    for await (const batch of context.feed.rows(resource, filters)) {
      signal?.throwIfAborted();
      for (const row of batch) rows.set(rowId(row), row);
      report({ stage: schema.name, rows: rows.size, total: undefined, remainingMs: undefined });
    }
    if (resource === "datasets") await addTypes(context, rows);
    await tables.create(schema);
    await tables.append(schema, rows.values());
    const file = await tables.write(schema, undefined);
    await tables.create(schema);
    return { step: schema.name, from, to: now().toISOString(), files: [file] };
  });
}

/**
 * Adds `type` to the datasets: the API filters by it and does not return it, so each known type is asked for. A
 * snapshot can then filter by it, too.
 */
async function addTypes({ feed }: PullContext, rows: Map<number | string, EncodedRecord>): Promise<void> {
  const schema = schemaOf("datasets");
  for (const type of resources.datasets.hidden.type.seen) {
    for await (const batch of feed.rows("datasets", new Map([["type", [type]]]))) {
      for (const row of batch) {
        const known = rows.get(rowId(row));
        if (!known) continue;
        const typed = encodeRecord(schema, editMembers(known.text, new Map([["type", JSON.stringify(type)]])));
        if (!("problem" in typed)) rows.set(rowId(row), typed);
      }
    }
  }
}
