import { LARGEST_PAGE } from "../../api/contract.js";
import { orderedLookahead } from "../../client/paginator/ordered-lookahead.js";
import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import type { EncodedRecord } from "../write/encode-record.js";
import { logParts } from "../write/join-parts.js";
import { RowAppender } from "../write/row-appender.js";
import { writeTable } from "../write/write-snapshot.js";
import type { PullStep } from "./journal.js";
import { type PullContext, previousFiles, previousTable, writtenTable } from "./pull-context.js";
import { AUDIT_EVERY, LOG_FEATURES } from "./pull-estimate.js";
import type { SettledFeatures } from "./pull-features.js";
import { type RecordFeed, rowId } from "./record-feed.js";
import type { WorkTables } from "./work-tables.js";

/** Known rows that may be read again to save a request: they cost less than a second request. */
const SMALL = 1000;

/** Requests per step, the maximum that a killed pull reads again. */
const STEP_CHUNKS = 50;
/** An edit made this long before the pull was not made during the pull. */
const EARLY_MS = 3_600_000;

const schema = schemaOf("propertyChanges");
const CREATED_AT = schema.columns.findIndex(({ name }) => name === "created_at");

/** Approximate maximum rows of a part. */
const PART_ROWS = 65_536;
/** Rows that wait outside of DuckDB's memory, which has a limit, before they are passed on. */
const FLUSH_ROWS = 8192;
const FLUSH_CHARACTERS = 2 ** 21;

/** Result of reading the log. */
export interface LogResult {
  readonly steps: readonly PullStep[];
  /** False if seemingly unchanged features had edits. */
  readonly editsTouchFeatures: boolean;
}

/**
 * Updates the log.
 *
 * The API returns new changes only for a few features per request. Every edit is expected to change its feature
 * (`updated_at`, or the value itself), so only the logs of features that are new, changed, returned or edited shortly
 * before the previous pull are read. That expectation is audited: each pull also reads another share of the unchanged
 * features. If one of them has an edit from before the pull, all are read, in this pull and the next.
 *
 * @param all whether all features are read
 */
export async function pullLogPasses(context: PullContext, features: SettledFeatures, all: boolean): Promise<LogResult> {
  const { previous, rewrite } = context;
  if (!previous || rewrite) {
    const plan = await planLog(context, features.files, undefined);
    return { steps: await pullLog(context, "log", plan), editsTouchFeatures: true };
  }
  const touched = [...features.added, ...features.changed, ...features.returned, ...features.settling];
  const steps = [...(await pass(context, features.files, "log", touched))];
  const untouched = await untouchedIds(context, features.files, touched);
  const audited =
    all || previous.edits_touch_features === false ? untouched : auditShare(untouched, previous.generation);
  const audit = await pass(context, features.files, "audit", audited);
  steps.push(...audit);
  const editsTouchFeatures = !audit.some(({ earlyRows = 0 }) => earlyRows > 0);
  if (!editsTouchFeatures && audited.length < untouched.length) {
    const auditedIds = new Set(audited);
    const rest = untouched.filter((id) => !auditedIds.has(id));
    steps.push(...(await pass(context, features.files, "rest", rest)));
  }
  return { steps, editsTouchFeatures };
}

async function pass(
  context: PullContext,
  files: readonly SnapshotFile[],
  name: string,
  ids: readonly number[],
): Promise<readonly PullStep[]> {
  return ids.length === 0 ? [] : pullLog(context, name, await planLog(context, files, ids));
}

async function untouchedIds(
  context: PullContext,
  files: readonly SnapshotFile[],
  touched: readonly number[],
): Promise<readonly number[]> {
  const features = writtenTable(context, schemaOf("layerFeatures"), files);
  const ids = await context.tables.numbers(`SELECT id FROM ${features} ORDER BY site_id NULLS LAST, id`);
  const skipped = new Set(touched);
  return ids.filter((id) => !skipped.has(id));
}

/** A different share in each generation, so that every feature is read within AUDIT_EVERY pulls. */
function auditShare(ids: readonly number[], generation: number): readonly number[] {
  const every = Math.min(AUDIT_EVERY, Math.max(1, Math.ceil(ids.length / LOG_FEATURES)));
  return ids.filter((_, index) => Math.floor(index / LOG_FEATURES) % every === generation % every);
}

/** Features whose log is read together, with the known rows. */
interface LogChunk {
  readonly ids: readonly number[];
  readonly sites: readonly (number | null)[];
  /** Count of their rows in the snapshot. */
  readonly storedRows: number;
  /** Last id of these rows; undefined without rows. */
  readonly last: string | undefined;
}

/** Requests for the log of features, in order. They are created on demand, since there may be thousands. */
interface LogPlan {
  readonly count: number;
  /** The requests `first … first + count - 1`, as far as they exist. */
  chunks(first: number, count: number): Promise<readonly LogChunk[]>;
}

/**
 * Plans the requests for the log of features. A new plan ends this one.
 *
 * @param files the layer features of the new generation
 * @param ids the features to read; undefined for all
 */
async function planLog(
  context: PullContext,
  files: readonly SnapshotFile[],
  ids: readonly number[] | undefined,
): Promise<LogPlan> {
  const { tables } = context;
  await createAsked(context, files, ids);
  const stored = new Map<number, { readonly rows: number; readonly last: string }>();
  const counted = await tables.rows(
    `SELECT a.chunk, count(*)::DOUBLE, max(c.id) FROM ${knownLog(context)} c JOIN asked a ON a.id = c.layer_feature_id
     GROUP BY a.chunk`,
  );
  for (const [chunk, rows, last] of counted) stored.set(Number(chunk), { rows: Number(rows), last: String(last) });
  const [[count] = []] = await tables.rows("SELECT coalesce(max(chunk) + 1, 0) FROM asked");
  return {
    count: Number(count),
    async chunks(first, length) {
      const rows = await tables.rows(
        `SELECT chunk, id::DOUBLE, site::DOUBLE FROM asked WHERE chunk >= ${first} AND chunk < ${first + length}
         ORDER BY chunk, id`,
      );
      const grouped = new Map<number, { ids: number[]; sites: (number | null)[] }>();
      for (const [chunk, id, site] of rows) {
        const group = grouped.get(Number(chunk)) ?? { ids: [], sites: [] };
        grouped.set(Number(chunk), group);
        group.ids.push(Number(id));
        group.sites.push(site === null ? null : Number(site));
      }
      return [...grouped].map(([chunk, group]) => ({
        ...group,
        storedRows: stored.get(chunk)?.rows ?? 0,
        last: stored.get(chunk)?.last,
      }));
    },
  };
}

/** The log of the previous generation, as an SQL table. */
function knownLog(context: PullContext): string {
  return previousTable(context, schema, previousFiles(context, "propertyChanges"));
}

async function createAsked(
  context: PullContext,
  files: readonly SnapshotFile[],
  ids: readonly number[] | undefined,
): Promise<void> {
  const { tables } = context;
  const features = writtenTable(context, schemaOf("layerFeatures"), files);
  await tables.createIds("wanted", ids ?? []);
  // Features of one site are consecutive, so that their changes are one part; small sites share requests.
  await tables.connection.run(
    `CREATE OR REPLACE TEMP TABLE asked AS
     SELECT ((row_number() OVER (ORDER BY site_id NULLS LAST, id) - 1) // ${LOG_FEATURES})::INTEGER AS chunk, id, site_id AS site
     FROM ${features} ${ids ? "WHERE id IN (FROM wanted)" : ""}`,
  );
}

/**
 * Reads the new changes of features and writes them in parts.
 *
 * @param name of the steps: a pull has several passes over different features
 */
async function pullLog(context: PullContext, name: string, plan: LogPlan): Promise<readonly PullStep[]> {
  const { journal, report, signal, estimate } = context;
  estimate.startLog(plan.count);
  const steps: PullStep[] = [];
  const started = performance.now();
  /** Count of requests that were sent, and that an earlier attempt had sent. */
  const requests = { sent: 0, before: 0 };
  let rows = 0;
  const tell = (newRows: number) => {
    const each = requests.sent === 0 ? undefined : (performance.now() - started) / requests.sent;
    const left = plan.count - requests.sent - requests.before;
    const remainingMs = each === undefined ? undefined : each * left;
    report({ stage: schema.name, rows: rows + newRows, total: undefined, remainingMs });
  };
  for (let first = 0; first < plan.count; first += STEP_CHUNKS) {
    const count = Math.min(STEP_CHUNKS, plan.count - first);
    const stepName = `${name}/${first / STEP_CHUNKS}`;
    const before = requests.sent;
    const step = await journal.step(stepName, async () =>
      readStep(context, stepName, await plan.chunks(first, count), (newRows) => {
        requests.sent += 1;
        estimate.tookLog(1, true);
        tell(newRows);
      }),
    );
    signal?.throwIfAborted();
    steps.push(step);
    if (requests.sent === before) {
      requests.before += count;
      estimate.tookLog(count, false);
    }
    rows += step.newRows ?? 0;
    tell(0);
  }
  return steps;
}

/**
 * Reads the new changes of some features, in order of id.
 *
 * The log only grows: in order of id, new rows follow the known ones. So the page is read that begins at or before the
 * last known row. If that row is exactly at its old position, all known rows are before it, and the rows after it are
 * the new ones. Otherwise (rows were hidden, revealed or inserted) the whole log of these features is read and
 * compared.
 *
 * @param knownIds reads the ids of the known rows
 */
async function readLogChunk(
  feed: RecordFeed,
  chunk: LogChunk,
  knownIds: () => Promise<ReadonlySet<string>>,
): Promise<readonly EncodedRecord[]> {
  const continued = chunk.last === undefined ? undefined : await readTail(feed, chunk, chunk.last);
  if (continued) return continued;
  const rows = await feed.log(chunk.ids);
  if (chunk.storedRows === 0) return rows;
  const storedIds = await knownIds();
  return rows.filter((row) => !storedIds.has(String(rowId(row))));
}

/** The rows after the last known one; undefined if that has moved. */
async function readTail(
  feed: RecordFeed,
  { ids, storedRows }: LogChunk,
  last: string,
): Promise<readonly EncodedRecord[] | undefined> {
  const { page, pageSize } = pageBehind(storedRows);
  const first = await feed.logPage(ids, page, pageSize);
  if (!first) return undefined;
  const at = storedRows - 1 - first.offset;
  const lastRow = first.rows[at];
  if (!lastRow || rowId(lastRow) !== last) return undefined;
  const rows = first.rows.slice(at + 1);
  let { rowCount } = first;
  for (let next = page + 1; storedRows + rows.length < rowCount; next += 1) {
    const more = await feed.logPage(ids, next, pageSize);
    // Pages of a log that only grows follow each other without gap or overlap.
    if (more?.offset !== storedRows + rows.length || more.rows.length === 0) return undefined;
    rows.push(...more.rows);
    rowCount = more.rowCount;
  }
  return rows;
}

/** The page with the last known row that has most room after it. */
function pageBehind(storedRows: number): { readonly page: number; readonly pageSize: number } {
  const before = storedRows - 1;
  if (before < SMALL) return { page: 1, pageSize: LARGEST_PAGE };
  const pages = Math.ceil(before / LARGEST_PAGE);
  return { page: pages + 1, pageSize: Math.floor(before / pages) };
}

/** @param onChunk is called after each request, with the count of new rows of the step so far */
async function readStep(
  context: PullContext,
  step: string,
  chunks: readonly LogChunk[],
  onChunk: (newRows: number) => void,
): Promise<PullStep> {
  const { tables, now, feed, concurrency, signal } = context;
  const from = now().toISOString();
  const files: SnapshotFile[] = [];
  let [newRows, earlyRows] = [0, 0];
  let lastId: string | undefined;
  const startUs = (Date.parse(context.journal.header.started_at) - EARLY_MS) * 1000;
  let part = await LogPart.open(tables);
  const read = async (chunk: LogChunk) => {
    signal?.throwIfAborted();
    return { chunk, rows: await readLogChunk(feed, chunk, () => readKnownIds(context, chunk)) };
  };
  for await (const { chunk, rows } of orderedLookahead(chunks, { tasks: concurrency }, read)) {
    newRows += rows.length;
    onChunk(newRows);
    if (rows.length === 0) continue;
    part.add(chunk, rows);
    lastId = laterId(lastId, String(rowId(rows.at(-1) as EncodedRecord)));
    earlyRows += rows.filter((row) => isBefore(row, startUs)).length;
    if (!part.isFull) continue;
    files.push(...(await part.write()));
    part = await LogPart.open(tables);
  }
  files.push(...(await part.write()));
  await tables.create(schema);
  return { step, from, to: now().toISOString(), files, newRows, earlyRows, lastId };
}

/** A change with a nonexistent time may have been made during the pull. */
function isBefore({ values }: EncodedRecord, us: number): boolean {
  const created = values[CREATED_AT] ?? null;
  return created !== null && Number(created) < us;
}

/** The later of two change ids. */
export function laterId(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

async function readKnownIds(context: PullContext, { ids }: LogChunk): Promise<ReadonlySet<string>> {
  const rows = await context.tables.lookUp(
    `SELECT id FROM ${knownLog(context)} WHERE layer_feature_id IN (${ids.join()})`,
  );
  return new Set(rows.map(([id]) => String(id)));
}

/** A part of the log under construction: changes, and the sites of their features, which decide their files. */
class LogPart {
  readonly #tables: WorkTables;
  readonly #changes: RowAppender;
  readonly #features: RowAppender;
  #rows = 0;
  #characters = 0;
  #waitingRows = 0;
  #waitingCharacters = 0;

  private constructor(tables: WorkTables, changes: RowAppender, features: RowAppender) {
    this.#tables = tables;
    this.#changes = changes;
    this.#features = features;
  }

  static async open(tables: WorkTables): Promise<LogPart> {
    const { name } = schemaOf("layerFeatures");
    await tables.create(schema);
    await tables.connection.run(`CREATE OR REPLACE TABLE ${name} (id BIGINT, site_id BIGINT)`);
    const features = await RowAppender.open(tables.connection, name, ["BIGINT", "BIGINT"]);
    return new LogPart(tables, await tables.appender(schema), features);
  }

  get isFull(): boolean {
    return this.#rows >= PART_ROWS || this.#characters >= schema.partBytes;
  }

  /** @param rows changes of the features of `chunk` */
  add({ ids, sites }: LogChunk, rows: readonly EncodedRecord[]): void {
    for (const [index, id] of ids.entries()) {
      const site = sites[index] ?? null;
      this.#features.append([BigInt(id), site === null ? null : BigInt(site)]);
    }
    for (const { values, text } of rows) this.#addRow([...values, text], text.length);
  }

  /** Writes the part by site. Nothing can be added afterwards. */
  async write(): Promise<readonly SnapshotFile[]> {
    this.#features.close();
    this.#changes.close();
    if (this.#rows === 0) return [];
    return writeTable(this.#tables.connection, logParts, this.#tables.folder);
  }

  #addRow(values: EncodedRecord["values"], characters: number): void {
    this.#changes.append(values);
    this.#rows++;
    this.#characters += characters;
    this.#waitingCharacters += characters;
    if (++this.#waitingRows < FLUSH_ROWS && this.#waitingCharacters < FLUSH_CHARACTERS) return;
    this.#changes.flush();
    [this.#waitingRows, this.#waitingCharacters] = [0, 0];
  }
}
