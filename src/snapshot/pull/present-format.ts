import { SnapshotError } from "../../core/errors.js";
import { isCanonical, type SnapshotFile } from "../format/manifest.js";
import { schemaOf, type TableSchema } from "../format/table-schema.js";
import { type EncodedRecord, encodeRecord } from "../write/encode-record.js";
import { logParts } from "../write/join-parts.js";
import { type PullContext, pathOf, previousFiles } from "./pull-context.js";
import { parquet, type WorkTables } from "./work-tables.js";

/**
 * The log of the state before in the present format: files of an older one are written anew, a step each, so that a
 * pull that is killed goes on behind the last.
 */
export async function presentLog(context: PullContext): Promise<readonly SnapshotFile[]> {
  const { previous, journal, tables, signal, now, report } = context;
  const schema = schemaOf("propertyChanges");
  const files = previousFiles(context, schema.resource);
  if (!previous || isCanonical(previous)) return files;
  const total = files.reduce((sum, file) => sum + file.rows, 0);
  const written: SnapshotFile[] = [];
  let rows = 0;
  for (const file of files) {
    signal?.throwIfAborted();
    const step = await journal.step(`format/${file.path}`, async () => {
      const from = now().toISOString();
      await tables.create(schema);
      await loadRecords(tables, schema, [pathOf(context, file)], "true");
      const anew = await tables.write(logParts, file.site_id ?? null);
      await tables.create(schema);
      return { step: `format/${file.path}`, from, to: now().toISOString(), files: [anew] };
    });
    written.push(...step.files);
    rows += file.rows;
    report({ stage: schema.name, rows, total, remainingMs: undefined });
  }
  return written;
}

/**
 * Adds the rows of files of an older format to the table of a resource, made anew of their records.
 *
 * @param condition over the files' columns; it does not see temporary tables
 */
export async function loadRecords(
  tables: WorkTables,
  schema: TableSchema,
  paths: readonly string[],
  condition: string,
): Promise<void> {
  const stored = tables.texts(`SELECT record FROM ${parquet(schema, paths)} WHERE ${condition}`);
  for await (const texts of stored) {
    await tables.append(
      schema,
      texts.map((text) => encodeAgain(schema, text)),
    );
  }
}

function encodeAgain(schema: TableSchema, text: string): EncodedRecord {
  // What could be stored once is kept, times that do not exist among it.
  const row = encodeRecord(schema, text, () => {});
  if ("problem" in row) {
    throw new SnapshotError(`A record of ${schema.name} that was stored breaks the contract: ${row.problem}.`, {
      hint: "See with siteframe verify whether a file is damaged.",
    });
  }
  return row;
}
