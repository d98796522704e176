import type { Resource } from "../../api/form/resource.js";
import type { ResolvedFilters } from "../../api/params.js";
import { type ResourceName, resources } from "../../api/resources.js";
import type { Id } from "../../client/page/page-decoder.js";
import { orderedLookahead } from "../../client/sweep/ordered-lookahead.js";
import { schemaOf } from "../format/table-schema.js";
import { editMembers } from "../json/edit-members.js";
import { type EncodedRecord, encodeRecord } from "../write/encode-record.js";
import { rowId } from "./decode-rows.js";
import type { PullStep } from "./journal.js";
import type { PullContext } from "./pull-context.js";

/**
 * Reads a resource that is small enough to be kept whole. Others may be read meanwhile.
 *
 * @param findFilters gives what to ask for; it may wait for other resources
 */
export function pullSmallTable(
  context: PullContext,
  resource: ResourceName,
  findFilters: () => Promise<ResolvedFilters>,
): Promise<PullStep> {
  const { journal, tables, now, report, signal } = context;
  const schema = schemaOf(resource);
  return journal.step(schema.name, async () => {
    const filters = await findFilters();
    const from = now().toISOString();
    const rows = new Map<Id, EncodedRecord>();
    for await (const batch of context.feed.rows(resource, filters)) {
      signal?.throwIfAborted();
      for (const row of batch) rows.set(rowId(row), row);
      report({ stage: schema.name, rows: rows.size, total: undefined, remainingMs: undefined });
    }
    await addHidden(context, resource, filters, rows);
    const to = now().toISOString();
    const file = await tables.inTurn(async () => {
      await tables.create(schema);
      await tables.append(schema, rows.values());
      const written = await tables.write(schema, undefined);
      await tables.create(schema);
      return written;
    });
    return { step: schema.name, from, to, files: [file] };
  });
}

/**
 * Adds attributes that the API filters by and does not return, such as a dataset's `type`: each known value is asked
 * for. A snapshot can then filter by it, too.
 */
async function addHidden(
  { feed, concurrency }: PullContext,
  resource: ResourceName,
  filters: ResolvedFilters,
  rows: Map<Id, EncodedRecord>,
): Promise<void> {
  const schema = schemaOf(resource);
  const { hidden = {}, endpoint }: Resource = resources[resource];
  const attributes = Object.entries(hidden).filter(([name]) => Object.hasOwn(endpoint.filters, name));
  const values = attributes.flatMap(([name, { seen = [] }]) => seen.map((value) => ({ name, value })));
  const ask = async ({ name, value }: (typeof values)[number]) => {
    const ids: Id[] = [];
    for await (const batch of feed.rows(resource, new Map([...filters, [name, [value]]])))
      ids.push(...batch.map(rowId));
    return { name, value, ids };
  };
  for await (const { name, value, ids } of orderedLookahead(values, { tasks: concurrency }, ask)) {
    for (const id of ids) {
      const known = rows.get(id);
      if (!known) continue;
      const edited = encodeRecord(schema, editMembers(known.text, new Map([[name, JSON.stringify(value)]])));
      if (!("problem" in edited)) rows.set(id, edited);
    }
  }
}
