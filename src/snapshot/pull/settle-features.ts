import { join } from "node:path";
import { GONE_FEATURES, isPresentFormat, type SnapshotFile } from "../format/manifest.js";
import { sqlText } from "../format/sql-text.js";
import { schemaOf } from "../format/table-schema.js";
import { fromStaged } from "../write/row-appender.js";
import { writeCopy } from "../write/write-part.js";
import type { PullStep } from "./journal.js";
import { loadRecords } from "./present-format.js";
import { type PullContext, pathOf } from "./pull-context.js";
import { parquet, type WorkTables } from "./work-tables.js";

/** The features of the new state, and what became of those of the state before. Ids are in ascending order. */
export interface SettledFeatures {
  readonly files: readonly SnapshotFile[];
  readonly goneFiles: readonly SnapshotFile[];
  readonly added: readonly number[];
  readonly changed: readonly number[];
  readonly gone: readonly number[];
  readonly returned: readonly number[];
  readonly settling: readonly number[];
}

const schema = schemaOf("layerFeatures");
/** Nothing reads them by column. */
const goneSchema = { ...schema, name: GONE_FEATURES, columnFiles: undefined };

/** Puts together what the sites' features are: only over all sites can it be told whether one moved or is gone. */
export async function settleFeatures(context: PullContext, steps: readonly PullStep[]): Promise<SettledFeatures> {
  const { tables, previous, root } = context;
  const added = steps.map(({ features }) => features?.added ?? []);
  const came = ascending(added);
  // In a first pull all are new, so that their ids tell whether one came twice.
  const isOnce = !previous && came.length === added.reduce((sum, { length }) => sum + length, 0);
  const all = steps.flatMap((step) => step.files);
  const { files, doubles } = isOnce ? { files: all, doubles: [] } : await dropDoubles(context, all);
  const oldGone = previous?.gone_files ?? [];
  const goneBefore = new Set(
    await tables.numbers(
      `SELECT id FROM ${parquet(
        schema,
        oldGone.map(({ path }) => join(root, path)),
      )}`,
    ),
  );
  const missing = new Set([
    ...steps.flatMap(({ features }) => features?.missing ?? []),
    ...(await featuresOfLostSites(context, steps)),
  ]);
  const before = new Set(await idsBefore(context, doubles));
  const moved = new Set(came.filter((id) => missing.has(id) || before.has(id)));
  const returned = came.filter((id) => goneBefore.has(id));
  const gone = [...missing].filter((id) => !moved.has(id));
  return {
    files,
    goneFiles: await writeGone(context, gone, returned),
    added: previous ? came.filter((id) => !moved.has(id) && !goneBefore.has(id)) : came,
    changed: ascending([...steps.map(({ features }) => features?.changed ?? []), [...moved]]),
    gone: ascending([gone]),
    returned,
    settling: ascending(steps.map(({ features }) => features?.settling ?? [])),
  };
}

/** A feature that moved to another site while the sites were read comes twice: the later reading counts. */
async function dropDoubles(
  context: PullContext,
  files: readonly SnapshotFile[],
): Promise<{ readonly files: readonly SnapshotFile[]; readonly doubles: readonly number[] }> {
  const { tables } = context;
  const paths = files.map((file) => pathOf(context, file));
  const doubles = await tables.numbers(
    `SELECT id FROM ${parquet(schema, paths)} GROUP BY id HAVING count(*) > 1 ORDER BY id`,
  );
  if (doubles.length === 0) return { files, doubles };
  const kept: SnapshotFile[] = [];
  const seen = new Set<number>();
  for (const file of [...files].reverse()) {
    const path = pathOf(context, file);
    const here = await tables.numbers(`SELECT id FROM ${parquet(schema, [path])} WHERE id IN (${doubles.join()})`);
    const repeated = here.filter((id) => seen.has(id));
    for (const id of here) seen.add(id);
    if (repeated.length === 0) {
      kept.unshift(file);
      continue;
    }
    await tables.create(schema);
    await tables.load(schema, [path], `id NOT IN (${repeated.join()})`);
    const written = await tables.write(schema, file.site_id ?? null);
    if (written.rows > 0) kept.unshift(written);
    await tables.create(schema);
  }
  return { files: kept, doubles };
}

/** Those of some features that the state before has. */
async function idsBefore({ tables, previous, root }: PullContext, ids: readonly number[]): Promise<readonly number[]> {
  const files = (previous?.files ?? []).filter(({ resource }) => resource === "layerFeatures");
  if (ids.length === 0 || files.length === 0) return [];
  const paths = files.map(({ path }) => join(root, path));
  return tables.numbers(`SELECT id FROM ${parquet(schema, paths)} WHERE id IN (${ids.join()})`);
}

/** The features of sites that are no longer listed. */
async function featuresOfLostSites(
  { tables, previous, root }: PullContext,
  steps: readonly PullStep[],
): Promise<number[]> {
  const read = new Set(steps.map(({ step }) => step));
  const lost = (previous?.files ?? []).filter(
    (file) => file.resource === "layerFeatures" && !read.has(`${schema.name}/${file.site_id}`),
  );
  if (lost.length === 0) return [];
  return tables.numbers(
    `SELECT id FROM ${parquet(
      schema,
      lost.map(({ path }) => join(root, path)),
    )}`,
  );
}

/** Writes the features that are gone as they were last; those that have been gone before keep their time. */
async function writeGone(
  { tables, previous, root, now }: PullContext,
  gone: readonly number[],
  returned: readonly number[],
): Promise<readonly SnapshotFile[]> {
  const before = previous?.gone_files ?? [];
  if (!previous) return before;
  const isPresent = isPresentFormat(previous);
  if (gone.length === 0 && returned.length === 0 && (isPresent || before.length === 0)) return before;
  await tables.createIds("gone_now", gone);
  await tables.createIds("back_now", returned);
  const live = previous.files.filter(({ resource }) => resource === "layerFeatures");
  const paths = (files: readonly SnapshotFile[]) => files.map(({ path }) => join(root, path));
  const goneNow = await asPresent(tables, isPresent, paths(live), "id IN (FROM gone_now)", "gone_live");
  const stillGone = await asPresent(tables, isPresent, paths(before), "id NOT IN (FROM back_now)", "gone_before");
  const columns = [...schema.columns.map(({ name }) => `n."${name}"`), "n.record"].join();
  await tables.connection.run(
    `CREATE OR REPLACE TEMP VIEW gone AS
     SELECT ${columns}, ${sqlText(now().toISOString())}::TIMESTAMPTZ AS gone_at FROM ${goneNow} n
     UNION ALL SELECT ${columns}, b.gone_at FROM ${stillGone} n JOIN ${parquet(schema, paths(before))} b ON b.id = n.id`,
  );
  const sites = await tables.rows("SELECT DISTINCT site_id::DOUBLE FROM gone ORDER BY ALL");
  const files: SnapshotFile[] = [];
  for (const [value] of sites) {
    const site = value === null || value === undefined ? null : Number(value);
    const select = `SELECT * EXCLUDE (site_id, record, gone_at), strlen(record)::INTEGER AS record_bytes, record, gone_at
      FROM gone WHERE site_id IS NOT DISTINCT FROM ${site ?? "NULL"}`;
    files.push(await writeCopy(tables.connection, goneSchema, tables.folder, site, select));
  }
  return files;
}

/** Some rows of files as an SQL table in the present format; those of an older one are made anew in a table. */
async function asPresent(
  tables: WorkTables,
  isPresent: boolean,
  paths: readonly string[],
  condition: string,
  name: string,
): Promise<string> {
  if (isPresent) return `(FROM ${parquet(schema, paths)} WHERE ${condition})`;
  await tables.create(schema);
  await loadRecords(tables, schema, paths, condition);
  const columns = [...schema.columns.map(fromStaged), "record"].join();
  await tables.connection.run(`CREATE OR REPLACE TEMP TABLE ${name} AS SELECT ${columns} FROM ${schema.name}`);
  return name;
}

/** Each id of some lists once. A million ids in a set, or in several arrays, would take much memory. */
function ascending(lists: readonly (readonly number[])[]): readonly number[] {
  const ids = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    ids.set(list, end);
    end += list.length;
  }
  ids.sort();
  let count = 0;
  for (const id of ids) {
    if (count > 0 && id === ids[count - 1]) continue;
    ids[count] = id;
    count += 1;
  }
  return Array.from(ids.subarray(0, count));
}
