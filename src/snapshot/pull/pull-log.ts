import { LARGEST_PAGE } from "../../api/contract.js";
import { orderedLookahead } from "../../client/paginator/ordered-lookahead.js";
import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import type { EncodedRecord } from "../write/encode-record.js";
import type { PullStep } from "./journal.js";
import { LogPart } from "./log-part.js";
import { knownLog, type LogChunk, type LogPlan } from "./log-plan.js";
import type { PullContext } from "./pull-context.js";
import { type RecordFeed, rowId } from "./record-feed.js";

/** Rows that may come again so that one request is enough: they cost less than a second request. */
const SMALL = 1000;

/** Requests of a step: what a pull that is killed reads again. */
const STEP_CHUNKS = 50;
/** An edit made so long before the pull was not made while it ran. */
const EARLY_MS = 3_600_000;

const schema = schemaOf("propertyChanges");
const CREATED_AT = schema.columns.findIndex(({ name }) => name === "created_at");

/**
 * Reads what is new in the log of features and writes it in parts.
 *
 * @param name of the steps: a pull has several passes over different features
 */
export async function pullLog(context: PullContext, name: string, plan: LogPlan): Promise<readonly PullStep[]> {
  const { journal, report, signal, estimate } = context;
  estimate.startLog(plan.count);
  const steps: PullStep[] = [];
  const started = performance.now();
  /** Requests that were sent, and those that a pull before had sent. */
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
 * Reads what is new in the log of some features, in order of id.
 *
 * The log only appends: in order of id, new rows stand behind the known ones. So one page is asked for that begins at
 * or before the last known row. If that row stands exactly where it stood, all known rows stand before it, and what
 * comes after it is all that is new. Otherwise (rows were hidden, uncovered or inserted) the whole log of these
 * features is read and compared.
 *
 * @param knownIds reads the ids of the rows that are known
 */
async function readLogChunk(
  feed: RecordFeed,
  chunk: LogChunk,
  knownIds: () => Promise<ReadonlySet<string>>,
): Promise<readonly EncodedRecord[]> {
  const continued = chunk.last === undefined ? undefined : await readTail(feed, chunk, chunk.last);
  if (continued) return continued;
  const rows = await feed.log(chunk.ids);
  if (chunk.known === 0) return rows;
  const known = await knownIds();
  return rows.filter((row) => !known.has(String(rowId(row))));
}

/** The rows behind the last known one; undefined if that is not where it was. */
async function readTail(
  feed: RecordFeed,
  { ids, known }: LogChunk,
  last: string,
): Promise<readonly EncodedRecord[] | undefined> {
  const { page, pageSize } = pageBehind(known);
  const first = await feed.logPage(ids, page, pageSize);
  if (!first) return undefined;
  const at = known - 1 - first.offset;
  const lastRow = first.rows[at];
  if (!lastRow || rowId(lastRow) !== last) return undefined;
  const rows = first.rows.slice(at + 1);
  let { rowCount } = first;
  for (let next = page + 1; known + rows.length < rowCount; next += 1) {
    const more = await feed.logPage(ids, next, pageSize);
    // Pages of a log that only appends follow each other without gap or overlap.
    if (more?.offset !== known + rows.length || more.rows.length === 0) return undefined;
    rows.push(...more.rows);
    rowCount = more.rowCount;
  }
  return rows;
}

/** The page that holds the last known row and has most room behind it. */
function pageBehind(known: number): { readonly page: number; readonly pageSize: number } {
  const before = known - 1;
  if (before < SMALL) return { page: 1, pageSize: LARGEST_PAGE };
  const pages = Math.ceil(before / LARGEST_PAGE);
  return { page: pages + 1, pageSize: Math.floor(before / pages) };
}

/** @param onChunk called when a request has been answered, with the new rows of the step so far */
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
    lastId = laterId(lastId, lastOf(rows));
    earlyRows += rows.filter((row) => isBefore(row, startUs)).length;
    if (!part.isFull) continue;
    files.push(...(await part.write()));
    part = await LogPart.open(tables);
  }
  files.push(...(await part.write()));
  await tables.create(schema);
  return { step, from, to: now().toISOString(), files, newRows, earlyRows, lastId };
}

/** A change whose time does not exist may have been made while the pull ran. */
function isBefore({ values }: EncodedRecord, us: number): boolean {
  const created = values[CREATED_AT] ?? null;
  return created !== null && Number(created) < us;
}

function lastOf(rows: readonly EncodedRecord[]): string | undefined {
  const last = rows.at(-1);
  return last && String(rowId(last));
}

/** The later of two ids of changes. */
export function laterId(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

async function readKnownIds(context: PullContext, { ids }: LogChunk): Promise<ReadonlySet<string>> {
  const rows = await context.tables.lookUp(
    `SELECT id FROM ${knownLog(context)} WHERE layer_feature_id IN (${ids.join()})`,
  );
  return new Set(rows.map(([id]) => String(id)));
}
