import { setImmediate } from "node:timers/promises";
import type { Page, SortKey } from "../api/contract.js";
import type { ResolvedFilters } from "../api/filters.js";
import type { Records, ResourceName } from "../api/resources.js";
import { childSignal } from "../core/abort-signal.js";
import { MAX_DEPTH } from "../core/depth.js";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ArgumentError, DriftError } from "../core/errors.js";
import { deepOffset } from "../core/json.js";
import type { Origin } from "../core/provenance.js";
import { valueKind } from "../core/show-record-value.js";
import { AdaptiveLimiter } from "./http/adaptive-limiter.js";
import { type LiveOptions, type LiveSettings, liveSettings } from "./http/connection.js";
import { BodyBuffers } from "./http/response-body.js";
import { poolTransport } from "./http/transport.js";
import { fetchPage, negotiate } from "./page/open-query.js";
import {
  type DecodeContext,
  type DecodedPage,
  type Id,
  IdList,
  type PageDecoder,
  readPagination,
} from "./page/page-decoder.js";
import type { Paging } from "./page/page-plan.js";
import type { PageAddress, PagedQuery, SentPage } from "./page/paged-query.js";
import { depthError, PAGE_DEPTH, protocolError } from "./page/protocol-error.js";
import { personsOf, pseudonymizer, redactRecord } from "./page/pseudonym.js";
import { checkRow } from "./page/violations.js";
import { type Lookahead, orderedLookahead, PageSemaphore, type Slice } from "./paginator/ordered-lookahead.js";
import { paginate } from "./paginator/paginator.js";
import { type ReaderEffects, readerEffects } from "./progress/progress-view.js";
import { pagingFor, type Read, type Session, startRead } from "./read/read.js";
import type { Reader, ReadResult } from "./read/reader.js";
import { type ReadOptions, type ResolvedPageParams, resolveReadOptions } from "./read-options.js";

/** Maximum attempts to read a query with changing data. */
const PASSES = 3;

/** Tasks per concurrent request: the next page is fetched while one is decoded. */
const AT_ONCE = 2;
/** The same, including fetched pages that wait for an earlier page with retries. */
const AHEAD = 50;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The default decoder: a page as an array of records, each checked against the contract. */
export function decodeRecords<R extends ResourceName>(
  body: Uint8Array,
  context: DecodeContext,
): DecodedPage<readonly Records[R][]> {
  const page = parse(body, context);
  const { data, pagination } = typeof page === "object" && page !== null ? (page as Partial<RawPage>) : {};
  if (!Array.isArray(data)) throw protocolError(context.url, "$.data", `expected an array, got ${valueKind(data)}`);
  const records = data as Records[R][];
  const ids = new IdList(records.map((record, index) => checkedId(record, index, context)));
  const { pseudonym } = context;
  const content = pseudonym ? records.map((record) => redactRecord(context.resource, record, pseudonym)) : records;
  return { content, ids, pagination: readPagination(pagination, context.url) };
}

/**
 * Reads everything that a read selects, as slices of pages in any order; a row can be in two slices.
 *
 * @param keep receives the slices of each query after it has settled
 * @returns the count of slices
 */
async function gatherSlices<T>(read: Read<T>, keep: (slice: Slice<T>) => void): Promise<number> {
  const child = childSignal(read.signal);
  try {
    let count = 0;
    const atOnce = AT_ONCE * read.options.concurrency;
    const ahead = { tasks: AHEAD * read.options.concurrency, gate: new PageSemaphore(atOnce) };
    const collected = orderedLookahead(read.queries, { tasks: atOnce }, (query) =>
      collectQuery(read, query, ahead, child.signal),
    );
    for await (const part of collected) {
      for (const slice of part) keep(slice);
      count += part.length;
    }
    return count;
  } finally {
    child.detach();
    child.abort(new Error("the read has ended"));
  }
}

async function collectQuery<T>(
  read: Read<T>,
  query: PagedQuery<T>,
  ahead: Lookahead,
  signal: AbortSignal,
): Promise<readonly Slice<T>[]> {
  for (let pass = 1; ; pass += 1) {
    const slices: Slice<T>[] = [];
    try {
      const opened = await read.open(query, signal);
      for await (const slice of paginate(opened, ahead, signal)) {
        slices.push(slice);
        read.tally.rows(slice.end - slice.start);
      }
      return slices;
    } catch (error) {
      if (!(error instanceof DriftError) || pass === PASSES) throw error;
      read.tally.rows(-slices.reduce((sum, slice) => sum + slice.end - slice.start, 0));
    }
  }
}

interface RawPage {
  readonly data: unknown;
  readonly pagination: unknown;
}

function parse(body: Uint8Array, { url }: DecodeContext): unknown {
  let text: string;
  let page: unknown;
  try {
    text = utf8.decode(body);
    page = JSON.parse(text);
  } catch {
    // V8's message quotes the body, which may contain personal data.
    throw new SyntaxError(`${body.length} bytes that are not JSON in UTF-8`);
  }
  const deep = deepOffset(text, PAGE_DEPTH + MAX_DEPTH);
  if (deep === undefined) return page;
  throw depthError(url, text, deep);
}

function checkedId(record: { readonly id: Id }, index: number, context: DecodeContext): Id {
  checkRow(record, index, context);
  return typeof record.id === "string" ? record.id.toLowerCase() : record.id;
}

/** Pages fetched ahead of the consumer: enough to hide the latency, few enough to limit memory. */
const LOOKAHEAD = 2;

/** The slices of a read in the order of arrival, query by query. */
async function* streamSlices<T>(read: Read<T>): AsyncGenerator<Slice<T>, void> {
  const lookahead = { tasks: Math.min(LOOKAHEAD, read.options.concurrency) };
  const isNew = read.queries.length > 1 && read.endpoint.resource !== "propertyChanges" ? newcomers() : undefined;
  for (const query of read.queries) {
    const opened = await read.open(query, read.signal);
    for await (const slice of paginate(opened, lookahead, read.signal)) {
      read.signal.throwIfAborted();
      read.tally.rows(slice.end - slice.start);
      if (isNew) yield* isNew(slice);
      else yield slice;
      read.signal.throwIfAborted();
    }
  }
}

/**
 * Returns a filter for repeated rows. A row can move from one query to another during a read, for example to another
 * dataset, and arrive twice. Changes cannot: their feature and property are fixed, so their ids need not be kept.
 */
function newcomers(): <T>(slice: Slice<T>) => Slice<T>[] {
  const seenIds = new Set<Id>();
  return (slice) => {
    const rows = Array.from({ length: slice.end - slice.start }, (_, index) => slice.start + index);
    const unknown = rows.filter((row) => {
      const id = slice.ids.at(row);
      return id !== undefined && !seenIds.has(id) && seenIds.add(id);
    });
    if (unknown.length === rows.length) return [slice];
    return unknown.map((row) => ({ ...slice, start: row, end: row + 1 }));
  };
}

/** Rows to join before other tasks run. */
const AT_A_TIME = 200_000;

/** Returns the rows of all slices in order. With millions of rows, other tasks of the process still run. */
async function joinRows<T>(slices: readonly Slice<readonly T[]>[]): Promise<readonly T[]> {
  const rows: T[] = [];
  let next = AT_A_TIME;
  for (const { content, start, end } of slices) {
    for (const row of content.slice(start, end)) rows.push(row);
    if (rows.length < next) continue;
    next = rows.length + AT_A_TIME;
    await setImmediate();
  }
  return rows;
}

/** A reader of the live service. Its errors and diagnostics never contain the key, whatever the service responds. */
export interface LiveReader
  extends Required<Omit<Reader, "readAt" | "onDiagnostic" | "columns" | "changes" | "gone" | "pseudonymKeyId">> {
  readonly onDiagnostic: Reader["onDiagnostic"];
  /** Closes the connections after pending requests. */
  close(): Promise<void>;
}

function openSession(connection: Session["connection"], effects: ReaderEffects, origin: Origin): Session {
  return {
    connection,
    effects,
    transport: poolTransport(connection.origin),
    limiter: new AdaptiveLimiter(),
    bodies: new BodyBuffers(),
    paging: new Map(),
    pseudonym: pseudonymizer(personsOf(origin)),
  };
}

/**
 * Returns a reader of the live service.
 *
 * @throws ArgumentError if the address, the key or an option is invalid
 */
export function liveReader(options: LiveOptions, effects: ReaderEffects = readerEffects): LiveReader {
  return readerWith(liveSettings(options), effects);
}

/** Returns a reader of the live service with checked settings. */
export function readerWith(settings: LiveSettings, effects: ReaderEffects = readerEffects): LiveReader {
  const { connection, origin, defaults, resolved } = settings;
  const { strict, showProgress: progress, redact, onDiagnostic } = resolved;
  const session = openSession(connection, effects, origin);
  const note = (call: ReadOptions, diagnostics: readonly Diagnostic[]) =>
    tell(call, connection.redactSecret(diagnostics));
  const start = <T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    call: ReadOptions | undefined,
  ) => startRead(session, resource, filters, decoder, resolveReadOptions(defaults, call));

  const whyEmpty = async (...args: [ResourceName, ResolvedFilters, ReadOptions]) => {
    const { scopeDiagnostics } = await import("./read/scope-diagnostics.js");
    return scopeDiagnostics(reader, ...args);
  };
  const reader: LiveReader = {
    origin,
    strict,
    progress,
    redact,
    onDiagnostic,

    async collect<T>(resource: ResourceName, filters: ResolvedFilters, decoder: PageDecoder<T>, call?: ReadOptions) {
      const slices: Slice<T>[] = [];
      const read = await reader.gather(resource, filters, decoder, (slice) => slices.push(slice), call);
      return { ...read, slices: mergeSlices(slices) };
    },

    async gather(resource, filters, decoder, keep, call) {
      const read = start(resource, filters, decoder, call);
      const count = await gatherSlices(read, keep).finally(read.end);
      const readAt = effects.now();
      const hints = count === 0 ? await whyEmpty(resource, read.filters, read.options) : [];
      return { readAt, diagnostics: note(read.options, [...read.violations.diagnostics(), ...hints]) };
    },

    async all<R extends ResourceName>(
      resource: R,
      filters: ResolvedFilters,
      call?: ReadOptions,
    ): Promise<ReadResult<R>> {
      const { slices, readAt, diagnostics } = await reader.collect(resource, filters, decodeRecords<R>, call);
      const rows = await joinRows(slices);
      const silent = resource === "propertyChanges" ? silentFeatures(filters, rows) : [];
      return { rows, readAt, diagnostics: [...diagnostics, ...note(resolveReadOptions(defaults, call), silent)] };
    },

    async *records<R extends ResourceName>(resource: R, filters: ResolvedFilters, call?: ReadOptions) {
      for await (const { content, start: from, end } of reader.slices(resource, filters, decodeRecords<R>, call)) {
        yield* content.slice(from, end);
      }
    },

    async *slices(resource, filters, decoder, call) {
      const read = start(resource, filters, decoder, call);
      yield* endedRows(read, streamSlices(read), note);
    },

    async page(resource, filters, address, decoder, call) {
      const read = start(resource, filters, decoder, call);
      const sent = await onlyQuery(read).fetch(address, read.signal);
      note(read.options, read.violations.diagnostics());
      return sent;
    },

    async *pages<R extends ResourceName>(resource: R, { filters, sort }: ResolvedPageParams, call?: ReadOptions) {
      const read = start(resource, filters, decodeRecords<R>, call);
      yield* endedRows(read, readPages(read, pagingFor(session, read.endpoint, read.options.pageSize), sort), note);
    },

    close: session.transport.close,
  };
  return redactingReader(reader, connection.redactSecret);
}

/** Yields the rows of a read, and reports its diagnostics at the end. */
async function* endedRows<T>(
  read: Omit<Read<T>, "open" | "queries">,
  rows: AsyncIterable<T>,
  note: (call: ReadOptions, diagnostics: readonly Diagnostic[]) => void,
): AsyncGenerator<T, void> {
  try {
    yield* rows;
  } finally {
    read.end();
  }
  note(read.options, read.violations.diagnostics());
}

/** @throws ArgumentError if the filters were split into several requests, whose pages are not those of one */
function onlyQuery<T>({ queries }: Pick<Read<T>, "queries">): Read<T>["queries"][number] {
  const [only, second] = queries;
  if (only && !second) return only;
  throw new ArgumentError("pages(): the filters do not fit into one request.", {
    hint: "Pass fewer ids, or use records(), which splits them.",
  });
}

function tell(options: ReadOptions, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  for (const diagnostic of diagnostics) options.onDiagnostic?.(diagnostic);
  return diagnostics;
}

/**
 * The requested features without changes. Specification: propertyChanges, rule 1: a feature that the caller cannot
 * access returns no rows and no error, like a feature that was never edited.
 */
function silentFeatures(filters: ResolvedFilters, changes: readonly object[]): readonly Diagnostic[] {
  const featureIds = filters.get("layer_feature_id") ?? [];
  const came = new Set(changes.map((change) => ("layer_feature_id" in change ? change.layer_feature_id : undefined)));
  const silent = featureIds.filter((id) => typeof id === "number" && !came.has(id));
  if (silent.length === 0) return [];
  const narrowed = filters.has("property_key");
  return [
    withSeverity({
      code: "feature-without-changes",
      message:
        `${silent.length} of ${featureIds.length} layer features have no ${narrowed ? "changes of these properties" : "changes"}: ` +
        "they were never edited, or the API key cannot access them. " +
        "Features in layerFeatures are accessible.",
      count: silent.length,
      facts: { layer_feature_id: silent, narrowed },
    }),
  ];
}

/**
 * Yields the pages of a read as the service sends them, in order. Changing data can cause repeated or missing rows,
 * which are not repaired.
 *
 * @param sort empty for the service's default order
 */
async function* readPages<T>(
  read: Read<readonly T[]>,
  requested: Paging,
  sort: readonly SortKey[],
): AsyncGenerator<Page<T>, void> {
  for (const query of read.queries) {
    const sorted = {
      ...query,
      fetch: (address: Omit<PageAddress, "sort">, signal: AbortSignal) => query.fetch({ ...address, sort }, signal),
    };
    const { first, paging } = await negotiate(sorted, { ...requested, byId: false }, read.signal);
    yield arrived(read, first);
    let { page, pageCount } = first.pagination;
    while (page < pageCount) {
      read.signal.throwIfAborted();
      const next = await fetchPage(sorted, { page: page + 1, pageSize: paging.pageSize }, read.signal);
      // The rows of this page no longer exist.
      if (next.ids.length === 0 && next.pagination.page > next.pagination.pageCount) break;
      yield arrived(read, next);
      ({ page, pageCount } = next.pagination);
    }
  }
}

function arrived<T>(read: Read<readonly T[]>, { content, ids, pagination }: SentPage<readonly T[]>): Page<T> {
  read.tally.rows(ids.length);
  return { data: ids.length === 0 ? [] : content, pagination };
}

/**
 * Returns a reader whose errors do not contain the key. Every error passes here, whatever its origin and whatever text
 * of the service it quotes.
 *
 * @param redactSecret removes the key from the strings of a value
 */
function redactingReader<R extends object>(reader: R, redactSecret: <T>(value: T) => T): R {
  const fail = (error: unknown): never => {
    throw redactSecret(error);
  };
  const members = Object.entries(reader).map(([name, member]) => [
    name,
    typeof member === "function" ? (...args: unknown[]) => guard(() => member(...args) as unknown, fail) : member,
  ]);
  return Object.fromEntries(members) as R;
}

function guard(call: () => unknown, fail: (error: unknown) => never): unknown {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    fail(error);
  }
  if (result instanceof Promise) return result.catch(fail);
  return isAsyncIterable(result) ? guardRows(result, fail) : result;
}

/** An explicit iterator: a nested generator takes twice as long per row. */
function guardRows(rows: AsyncIterable<unknown>, fail: (error: unknown) => never): AsyncIterableIterator<unknown> {
  const iterator = rows[Symbol.asyncIterator]();
  return {
    next: () => iterator.next().catch(fail),
    return: async (value?: unknown) => iterator.return?.(value).catch(fail) ?? { done: true, value },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/**
 * Returns the rows in ascending order of id without repetition, as slices that are as long as possible, so that large
 * parts of a page can be copied at once. The first of several rows with one id is kept.
 */
function mergeSlices<T>(slices: readonly Slice<T>[]): readonly Slice<T>[] {
  return isMerged(slices) ? slices : joinRuns(sortedRows(slices));
}

function isMerged(slices: readonly Slice<unknown>[]): boolean {
  return slices.every((slice, index) => {
    const last = index > 0 ? slices[index - 1] : undefined;
    return slice.ids.isAscending(slice.start, slice.end) && (!last || isBelow(last, slice));
  });
}

function isBelow(before: Slice<unknown>, after: Slice<unknown>): boolean {
  const [last, first] = [before.ids.at(before.end - 1), after.ids.at(after.start)];
  return last !== undefined && first !== undefined && last < first;
}

interface Row<T> {
  readonly slice: Slice<T>;
  readonly id: number | string;
  readonly index: number;
}

function sortedRows<T>(slices: readonly Slice<T>[]): readonly Row<T>[] {
  const rows: Row<T>[] = [];
  for (const slice of slices) {
    for (let index = slice.start; index < slice.end; index += 1) {
      const id = slice.ids.at(index);
      if (id !== undefined) rows.push({ slice, id, index });
    }
  }
  rows.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return rows.filter((row, index) => index === 0 || rows[index - 1]?.id !== row.id);
}

function joinRuns<T>(rows: readonly Row<T>[]): readonly Slice<T>[] {
  const runs: Slice<T>[] = [];
  let last: { slice: Slice<T>; start: number; end: number } | undefined;
  for (const { slice, index } of rows) {
    if (last && last.slice === slice && last.end === index) {
      last.end += 1;
      continue;
    }
    if (last) runs.push({ ...last.slice, start: last.start, end: last.end });
    last = { slice, start: index, end: index + 1 };
  }
  if (last) runs.push({ ...last.slice, start: last.start, end: last.end });
  return runs;
}
