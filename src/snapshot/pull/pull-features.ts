import { join } from "node:path";
import { orderedLookahead } from "../../client/paginator/ordered-lookahead.js";
import type { ReadProgress } from "../../client/read-options.js";
import { VECTOR_ROWS } from "../../tables/sql/load-duckdb.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import { GONE_FEATURES, type SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import type { EncodedRecord } from "../write/encode-record.js";
import { rowsOf } from "../write/join-parts.js";
import { writeCopy } from "../write/write-part.js";
import type { FeatureIds, PullStep } from "./journal.js";
import { type PullContext, pathOf, previousFiles, previousTable, writtenTable } from "./pull-context.js";
import { rowId } from "./record-feed.js";
import { parquet } from "./work-tables.js";

/** The features of the new generation, compared with the previous one. Ids are in ascending order. */
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
/** Gone features are never read by column. */
const goneSchema = { ...schema, name: GONE_FEATURES, columnFiles: undefined };

/**
 * An edit can reach the log later than the feature, so the log of features edited within the last hour before the
 * previous pull is read again.
 */
const SETTLE_MS = 3_600_000;

/** Counts the features of sites from the previous generation, or by requests, to estimate the whole pull. */
export async function countFeatures(context: PullContext, sites: readonly (number | null)[]): Promise<void> {
  const { previous, feed, estimate, concurrency, journal } = context;
  const count = async (site: number | null) => {
    const files = previousFiles(context, "layerFeatures").filter((file) => file.site_id === site);
    if (previous) return rowsOf(files);
    const done = journal.steps.find(({ step }) => step === featureStep(site));
    return done ? rowsOf(done.files) : feed.count(site);
  };
  const counts = orderedLookahead(sites, { tasks: concurrency }, async (site) => ({ site, total: await count(site) }));
  for await (const { site, total } of counts) if (total !== undefined) estimate.expectFeatures(site, total);
}

function featureStep(site: number | null): string {
  return `${schema.name}/${site}`;
}

/** Time since which features may have been edited after their log was read, microseconds since 1970. */
function settledUs({ previous, journal }: PullContext): number {
  const readMs = Date.parse(previous?.read_at ?? "");
  // A generation from the future was read with a wrong clock, so its time is ignored.
  return readMs <= Date.parse(journal.header.started_at) ? (readMs - SETTLE_MS) * 1000 : Number.MIN_SAFE_INTEGER;
}

/** Reads the layer features of one site; null for features without a site. */
export async function pullFeatures(context: PullContext, site: number | null): Promise<PullStep> {
  const { journal, now, signal, estimate } = context;
  const step = featureStep(site);
  const done = await journal.step(step, async () => {
    estimate.startFeatures();
    const from = now().toISOString();
    const parts = await FeatureParts.open(context, site, settledUs(context));
    const started = performance.now();
    const onProgress = ({ rows, total }: ReadProgress) => {
      estimate.tookFeatures(site, rows, total);
      const remainingMs = total && rows > 0 ? ((performance.now() - started) / rows) * (total - rows) : undefined;
      context.report({ stage: `layer_features of site ${site ?? "none"}`, rows, total, remainingMs });
    };
    for await (const batch of context.feed.rows("layerFeatures", new Map([["site_id", [site]]]), onProgress)) {
      signal?.throwIfAborted();
      await parts.add(batch);
    }
    return { step, from, to: now().toISOString(), ...(await parts.finish()) };
  });
  estimate.endFeatures(site);
  return done;
}

/** Merges the features of the sites, since only all sites together show whether a feature moved or is gone. */
export async function settleFeatures(context: PullContext, steps: readonly PullStep[]): Promise<SettledFeatures> {
  const { tables, previous } = context;
  const added = steps.map(({ features }) => features?.added ?? []);
  const came = ascending(added);
  // In a first pull all features are new, so their ids show whether a feature was repeated.
  const isOnce = !previous && came.length === added.reduce((sum, { length }) => sum + length, 0);
  const all = steps.flatMap((step) => step.files);
  const { files, doubles } = isOnce ? { files: all, doubles: [] } : await dropDoubles(context, all);
  const oldGone = previousTable(context, schema, previous?.gone_files ?? []);
  const goneBefore = new Set(await tables.numbers(`SELECT id FROM ${oldGone}`));
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

/** A feature that moved to another site during the pull is read twice: the later record counts. */
async function dropDoubles(
  context: PullContext,
  files: readonly SnapshotFile[],
): Promise<{ readonly files: readonly SnapshotFile[]; readonly doubles: readonly number[] }> {
  const { tables } = context;
  const all = writtenTable(context, schema, files);
  const doubles = await tables.numbers(`SELECT id FROM ${all} GROUP BY id HAVING count(*) > 1 ORDER BY id`);
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

/** The given features that the previous generation has. */
async function idsBefore(context: PullContext, ids: readonly number[]): Promise<readonly number[]> {
  const files = previousFiles(context, "layerFeatures");
  if (ids.length === 0 || files.length === 0) return [];
  const before = previousTable(context, schema, files);
  return context.tables.numbers(`SELECT id FROM ${before} WHERE id IN (${ids.join()})`);
}

/** The features of sites that are no longer listed. */
async function featuresOfLostSites(context: PullContext, steps: readonly PullStep[]): Promise<readonly number[]> {
  const lost = filesOfLostSites(context, steps);
  return lost.length === 0 ? [] : context.tables.numbers(`SELECT id FROM ${previousTable(context, schema, lost)}`);
}

/** Files of the previous generation whose sites are no longer listed. */
export function filesOfLostSites(context: PullContext, steps: readonly PullStep[]): readonly SnapshotFile[] {
  const read = new Set(steps.map(({ step }) => step));
  return previousFiles(context, "layerFeatures").filter(({ site_id }) => !read.has(featureStep(site_id ?? null)));
}

/** Writes the gone features with their last values; features that were gone before keep their time. */
async function writeGone(
  context: PullContext,
  gone: readonly number[],
  returned: readonly number[],
): Promise<readonly SnapshotFile[]> {
  const { tables, previous, root, journal } = context;
  const before = previous?.gone_files ?? [];
  if (!previous) return before;
  if (gone.length === 0 && returned.length === 0) return before;
  await tables.createIds("gone_now", gone);
  await tables.createIds("back_now", returned);
  const live = previousFiles(context, "layerFeatures");
  const paths = (files: readonly SnapshotFile[]) => files.map(({ path }) => join(root, path));
  const columns = [...schema.columns.map(({ name }) => `"${name}"`), "record"].join();
  await tables.connection.run(
    `CREATE OR REPLACE TEMP VIEW gone AS
     SELECT ${columns}, ${sqlText(journal.firstRead)}::TIMESTAMPTZ AS gone_at
     FROM ${parquet(schema, paths(live))} WHERE id IN (FROM gone_now)
     UNION ALL SELECT ${columns}, gone_at FROM ${parquet(schema, paths(before))} WHERE id NOT IN (FROM back_now)`,
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

/**
 * The distinct ids of some lists in ascending order. A set or several arrays of a million ids would need much memory.
 */
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

interface OldPart {
  readonly file: SnapshotFile;
  readonly min: number;
  readonly max: number;
}

type Found = { readonly [Kind in keyof FeatureIds]: number[] };

/** The features in a range of ids, compared with the previous generation. */
interface Part extends FeatureIds {
  /** Ids above `after`, up to `upTo`. */
  readonly after: number;
  readonly upTo: number;
  readonly files: readonly SnapshotFile[];
}

/**
 * Reads the features of one site in order of id and writes them in parts. A range of ids with unchanged features keeps
 * its file.
 */
class FeatureParts {
  readonly #context: PullContext;
  readonly #site: number | null;
  readonly #settledUs: number;
  readonly #old: readonly OldPart[];
  readonly #parts: Part[] = [];
  /** Rows that arrived after their range was written, since the service had moved them. */
  readonly #late: EncodedRecord[] = [];
  #pending: EncodedRecord[] = [];
  #rows = 0;
  #bytes = 0;
  #next = 0;
  #after = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  private constructor(context: PullContext, site: number | null, settledUs: number, old: readonly OldPart[]) {
    this.#context = context;
    this.#site = site;
    this.#settledUs = settledUs;
    this.#old = old;
  }

  /** @param settledUs features edited since then are `settling` */
  static async open(context: PullContext, site: number | null, settledUs: number): Promise<FeatureParts> {
    const files = previousFiles(context, "layerFeatures").filter((file) => file.site_id === site);
    const old: OldPart[] = [];
    for (const file of files) {
      const path = join(context.root, file.path);
      const [[min, max] = []] = await context.tables.rows(
        `SELECT min(id)::DOUBLE, max(id)::DOUBLE FROM ${parquet(schema, [path])}`,
      );
      old.push({ file, min: Number(min), max: Number(max) });
    }
    await context.tables.create(schema);
    return new FeatureParts(
      context,
      site,
      settledUs,
      old.sort((a, b) => a.max - b.max),
    );
  }

  async add(rows: readonly EncodedRecord[]): Promise<void> {
    for (const row of rows) {
      const id = Number(rowId(row));
      if (id <= this.#last) {
        this.#late.push(row);
        continue;
      }
      for (let end = this.#end(); id > end; end = this.#end()) await this.#close(end);
      this.#pending.push(row);
      this.#last = id;
      this.#rows += 1;
      this.#bytes += row.text.length;
      if (this.#isFull()) await this.#close(id);
      else if (this.#pending.length >= VECTOR_ROWS) await this.#append();
    }
  }

  async finish(): Promise<{ readonly files: readonly SnapshotFile[]; readonly features: FeatureIds }> {
    do await this.#close(this.#end());
    while (this.#after < Number.POSITIVE_INFINITY);
    await this.#placeLate();
    const ids = (name: keyof FeatureIds) => this.#parts.flatMap((part) => part[name]);
    return {
      files: this.#parts.flatMap(({ files }) => files),
      features: {
        added: ids("added"),
        changed: ids("changed"),
        settling: ids("settling"),
        missing: ids("missing"),
      },
    };
  }

  /** Last id of the current range. The last old part accepts new features while it has room. */
  #end(): number {
    const part = this.#old[this.#next];
    if (!part) return Number.POSITIVE_INFINITY;
    const { rows, bytes } = part.file;
    const hasRoom = rows < schema.partRows && bytes < schema.partBytes;
    const isOpen = this.#next === this.#old.length - 1 && hasRoom;
    return isOpen ? Number.POSITIVE_INFINITY : part.max;
  }

  /** An old part may double its size before it is split. */
  #isFull(): boolean {
    const times = this.#old[this.#next] ? 2 : 1;
    return this.#rows >= times * schema.partRows || this.#bytes >= times * schema.partBytes;
  }

  async #close(upTo: number): Promise<void> {
    await this.#append();
    this.#rows = 0;
    this.#bytes = 0;
    this.#parts.push(await this.#compare(this.#after, upTo));
    this.#after = upTo;
    while (this.#old.slice(this.#next, this.#next + 1).some(({ max }) => max <= upTo)) this.#next += 1;
  }

  async #append(): Promise<void> {
    const rows = this.#pending;
    this.#pending = [];
    if (rows.length > 0) await this.#context.tables.append(schema, rows);
  }

  async #placeLate(): Promise<void> {
    for (const [index, part] of this.#parts.entries()) {
      const late = new Map(
        this.#late.flatMap((row) => {
          const id = Number(rowId(row));
          return id > part.after && id <= part.upTo ? [[id, row] as const] : [];
        }),
      );
      if (late.size === 0) continue;
      const { tables } = this.#context;
      const paths = part.files.map((file) => pathOf(this.#context, file));
      if (paths.length > 0) await tables.load(schema, paths, `id NOT IN (${[...late.keys()].join()})`);
      await tables.append(schema, late.values());
      this.#parts[index] = await this.#compare(part.after, part.upTo);
    }
  }

  /** Compares the rows in the work table with the previous generation and writes them if they differ. */
  async #compare(after: number, upTo: number): Promise<Part> {
    const { tables, root } = this.#context;
    const old = this.#old.filter(({ min, max }) => max > after && min <= upTo);
    if (old.length === 0) return this.#writeNew(after, upTo);
    const paths = old.map(({ file }) => join(root, file.path));
    const stretch = `id > ${bound(after)} AND id <= ${bound(upTo)}`;
    const differences: Found = { added: [], changed: [], settling: [], missing: [] };
    const rows = await tables.rows(
      `SELECT coalesce(n.id, o.id)::DOUBLE AS id,
         CASE WHEN o.id IS NULL THEN 'added' WHEN n.id IS NULL THEN 'missing' WHEN n.record <> o.record THEN 'changed'
           WHEN coalesce(epoch_us(n.updated_at) >= ${this.#settledUs}, true) THEN 'settling' END AS found
       FROM ${schema.name} n
       FULL JOIN (SELECT id, record FROM ${parquet(schema, paths)} WHERE ${stretch}) o ON o.id = n.id
       WHERE found IS NOT NULL ORDER BY 1`,
    );
    for (const [id, kind] of rows) differences[kind as keyof Found].push(Number(id));
    const [only] = old;
    const isWhole = only && old.length === 1 && only.min > after && only.max <= upTo;
    const isSame = differences.added.length + differences.changed.length + differences.missing.length === 0;
    const files = isWhole && isSame ? [only.file] : await this.#write();
    await tables.create(schema);
    return { after, upTo, files, ...differences };
  }

  /** Writes a range of ids that the previous generation does not have. */
  async #writeNew(after: number, upTo: number): Promise<Part> {
    const { tables } = this.#context;
    const added = await tables.numbers(`SELECT id FROM ${schema.name} ORDER BY id`);
    const files = added.length > 0 ? await this.#write() : [];
    await tables.create(schema);
    return { after, upTo, files, added, changed: [], settling: [], missing: [] };
  }

  async #write(): Promise<readonly SnapshotFile[]> {
    const file = await this.#context.tables.write(schema, this.#site);
    return file.rows > 0 ? [file] : [];
  }
}

function bound(id: number): string {
  if (id === Number.POSITIVE_INFINITY) return "9223372036854775807";
  return id === Number.NEGATIVE_INFINITY ? "-9223372036854775808" : String(id);
}
