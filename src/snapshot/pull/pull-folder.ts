import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type InspectOptions, inspect } from "node:util";
import type { Resource, SiteRule } from "../../api/contract.js";
import { type ResolvedFilters, siteRule } from "../../api/filters.js";
import { type ResourceName, resources } from "../../api/resources.js";
import type { Id } from "../../client/page/page-decoder.js";
import { hasPersons, personsOf, pseudonymKeyId } from "../../client/page/pseudonym.js";
import { orderedLookahead } from "../../client/paginator/ordered-lookahead.js";
import type { Reader } from "../../client/read/reader.js";
import { CONCURRENCY, type ReadOptions } from "../../client/read-options.js";
import { cellSignal } from "../../core/abort-signal.js";
import { SnapshotError } from "../../core/errors.js";
import type { Origin } from "../../core/provenance.js";
import type { Source } from "../../source/source.js";
import { ReadFailures } from "../database/read-failures.js";
import { readManifest } from "../folder/manifest-file.js";
import { prepareRewrite } from "../folder/rewrite-folder.js";
import { diskError, memoryError } from "../folder/target-folder.js";
import { hasShrunk, type LockedFolder, writeLocked } from "../folder/write-locked.js";
import {
  MANIFEST_FORMAT,
  MANIFEST_VERSION,
  type Manifest,
  type ReadTimes,
  rowCounts,
  type SnapshotOrigin,
} from "../format/manifest.js";
import { schemaOf, type TableSchema, tableSchemas } from "../format/table-schema.js";
import { editMembers } from "../json/json-text.js";
import { type EncodedRecord, encodeRecord } from "../write/encode-record.js";
import { rowsOf } from "../write/join-parts.js";
import { compactLog } from "./compact-log.js";
import { Journal, type PullStep } from "./journal.js";
import { type PullContext, previousFiles, writtenTable } from "./pull-context.js";
import { PullEstimate } from "./pull-estimate.js";
import {
  countFeatures,
  filesOfLostSites,
  pullFeatures,
  type SettledFeatures,
  settleFeatures,
} from "./pull-features.js";
import { type LogResult, laterId, pullLogPasses } from "./pull-log.js";
import type { PullOptions, PullReport } from "./pull-options.js";
import { openPullView } from "./pull-progress.js";
import { recordFeed, rowId, STREAMED_PAGE } from "./record-feed.js";
import { WORK_MEMORY_MB, WorkTables } from "./work-tables.js";

/** Implementation of `pull()`. */
export async function pullFolder(source: Source, path: string, options: PullOptions): Promise<PullReport> {
  const root = resolve(path);
  const view = options.onProgress ? undefined : openPullView(options.showProgress ?? source.reader.progress ?? true);
  const terms = resolvePull(source.reader, view ? { ...options, onProgress: view.update } : options);
  try {
    const report = await writeLocked(root, terms.now, (folder) => pullLocked(source, folder, terms));
    view?.end(report);
    return report;
  } catch (error) {
    view?.end();
    throw await pullError(error, root, terms.signal);
  }
}

/** Complete options of a pull. */
interface PullTerms extends Pick<PullOptions, "onProgress" | "signal"> {
  /** The sites to pull; null for all. */
  readonly sites: readonly number[] | null;
  readonly allowShrink: boolean;
  readonly allowMove: boolean;
  readonly fullLog: boolean;
  readonly redact: boolean;
  readonly rewrite: boolean;
  readonly resumeMs: number;
  readonly concurrency: number;
  readonly pageSize: number;
  readonly now: () => Date;
  /** Options of the reads; the source decides on omitted ones. */
  readonly reads: ReadOptions;
}

function resolvePull(reader: Reader, options: PullOptions): PullTerms {
  const { onProgress, site_id, allowShrink, allowMove, fullLog, rewrite, resumeMs, now, ...reads } = options;
  return {
    onProgress,
    signal: reads.signal ?? cellSignal(),
    sites: site_id === undefined ? null : [...new Set([site_id].flat())].sort((a, b) => a - b),
    allowShrink: allowShrink ?? false,
    allowMove: allowMove ?? false,
    fullLog: fullLog ?? false,
    redact: reads.redact ?? reader.redact ?? false,
    rewrite: rewrite ?? false,
    resumeMs: resumeMs ?? 24 * 3_600_000,
    concurrency: reads.concurrency ?? CONCURRENCY,
    pageSize: reads.pageSize ?? STREAMED_PAGE,
    now: forwardClock(now ?? (() => new Date())),
    // Reads must not show their own progress in addition to the pull's.
    reads: onProgress ? { ...reads, showProgress: false } : reads,
  };
}

/**
 * Rejects a generation in which much is missing: an API key with less access must not look like a mass deletion.
 *
 * @throws SnapshotError with the missing parts
 */
function checkAccess(context: PullContext, steps: readonly PullStep[], { gone }: SettledFeatures): void {
  const { root } = context;
  const before = rowsOf(previousFiles(context, "layerFeatures"));
  const sites = [...new Set(filesOfLostSites(context, steps).map(({ site_id }) => site_id))];
  if (sites.length === 0 && !hasShrunk(gone.length, before)) return;
  const what = sites.length > 0 ? `${sites.length} of the sites (${sites.slice(0, 5).join(", ")}) and ` : "";
  throw new SnapshotError(
    `pull(): ${what}${gone.length} of ${before} layer features in ${root} are missing in the service.`,
    {
      hint: "Nothing was changed. Use an API key with access, or accept it (allowShrink, --allow-shrink).",
      facts: { path: root, sites, gone: gone.length, before },
    },
  );
}

async function pullLocked(
  source: Source,
  { root, previous, publish }: LockedFolder,
  terms: PullTerms,
): Promise<PullReport> {
  const { now, onProgress, fullLog } = terms;
  const sites = checkOrigin(root, previous, snapshotOrigin(source.origin), terms);
  const pseudonyms = storedPseudonyms(source.reader, terms.redact);
  const rewrite = await prepareRewrite(root, previous, pseudonyms, terms.rewrite);
  const header = {
    version: 4 as const,
    origin: source.origin.name,
    site_id: sites,
    generation: previous?.generation ?? 0,
    pseudonyms: pseudonyms ?? null,
    rewrite,
    fullLog,
    started_at: now().toISOString(),
  };
  const journal = await Journal.open(root, header, terms.resumeMs);
  const resumed = journal.steps.length > 0;
  await mkdir(journal.folder, { recursive: true });
  const tables = await WorkTables.open(journal.folder);
  const estimate = new PullEstimate(terms.pageSize, !previous || rewrite || fullLog);
  const context: PullContext = {
    root,
    feed: recordFeed(source.reader, terms.reads),
    estimate,
    journal,
    tables,
    previous: rewrite && previous ? withoutPersons(previous) : previous,
    rewrite,
    concurrency: terms.concurrency,
    signal: terms.signal,
    now,
    report: (progress) => onProgress?.({ ...progress, toGo: estimate.toGo() }),
  };
  const { manifest: state, features } = await newState(context, sites, terms)
    .finally(() => tables.close())
    .catch(async (error: unknown) => {
      // There is nothing from which the next pull could continue.
      if (journal.steps.length === 0) await journal.remove();
      throw error;
    });
  const manifest = pseudonyms === undefined ? state : { ...state, pseudonyms };
  // A pull that was stopped before its first generation may also have left files.
  await publish(journal.folder, manifest, rewrite || (!previous && pseudonyms !== undefined));
  await journal.remove();
  const { added, changed, gone, returned } = features;
  return printedShort({
    generation: manifest.generation,
    rows: rowCounts(manifest),
    found: manifest.found,
    features: { added, changed, gone, returned },
    rewritten: rewrite,
    resumed,
  });
}

/** Ids of each list that terminals and notebooks print: a first pull has thousands. */
const PRINTED_IDS = 3;

/** The report, which prints only the first ids. */
function printedShort(report: PullReport): PullReport {
  const print = (_: number, options: InspectOptions) =>
    inspect({ ...report }, { ...options, maxArrayLength: PRINTED_IDS });
  return Object.defineProperty(report, inspect.custom, { value: print });
}

/** Key id of the pseudonyms that a pull stores; undefined if it stores person data. */
function storedPseudonyms(reader: Reader, redact: boolean): string | undefined {
  if (reader.pseudonymKeyId) return reader.pseudonymKeyId(redact);
  return redact ? pseudonymKeyId(personsOf(reader.origin)) : undefined;
}

/** The base of a rewrite: records without person data. The service has no log of gone features. */
function withoutPersons(manifest: Manifest): Manifest {
  const { edits_touch_features: _, ...rest } = manifest;
  const files = manifest.files.filter(({ resource }) => !hasPersons(resource));
  return { ...rest, files, gone_files: [], watermarks: {} };
}

/** Reads the records of a generation and writes its files into the pull's folder. */
async function newState(
  context: PullContext,
  sites: readonly number[] | null,
  { allowShrink, fullLog }: PullTerms,
): Promise<{ readonly manifest: Awaited<ReturnType<typeof newManifest>>; readonly features: SettledFeatures }> {
  const { small, features, steps } = await readRecords(context, sites);
  if (context.previous && !allowShrink) checkAccess(context, steps, features);
  const log = await pullLogPasses(context, features, fullLog);
  return { manifest: await newManifest(context, sites, [...small, ...steps], features, log), features };
}

interface ReadRecords {
  /** Steps of the small resources. */
  readonly small: readonly PullStep[];
  /** Steps of the features, one per site. */
  readonly steps: readonly PullStep[];
  readonly features: SettledFeatures;
}

async function readRecords(context: PullContext, scope: readonly number[] | null): Promise<ReadRecords> {
  const small = await pullSmallTables(context, scope);
  const named = new Set<number>();
  for (const [resource, step] of small) for (const id of await sitesNamed(context, resource, step)) named.add(id);
  const ids = [...named].filter((id) => scope?.includes(id) ?? true).sort((a, b) => a - b);
  const steps: PullStep[] = [];
  const siteIds = scope ? ids : [...ids, null];
  await countFeatures(context, siteIds);
  for (const site of siteIds) steps.push(await pullFeatures(context, site));
  const features = await settleFeatures(context, steps);
  return { small: [...small.values()], steps, features };
}

/** Reads all resources that are not stored by site, in the contract's order: one is read while others are written. */
async function pullSmallTables(
  context: PullContext,
  scope: readonly number[] | null,
): Promise<ReadonlyMap<ResourceName, PullStep>> {
  const begun = new Map<ResourceName, Promise<PullStep>>();
  const idsOf = async (resource: ResourceName) => {
    const step = begun.get(resource);
    if (!step) throw new TypeError(`${resource} must be pulled before its dependents`);
    return column(context, resource, await step, "id");
  };
  const pull = ({ resource }: TableSchema) => {
    const step = pullSmallTable(context, resource, () => pullFilters(resource, scope, idsOf));
    begun.set(resource, step);
    return step;
  };
  const small = tableSchemas.filter(({ bySite }) => !bySite);
  try {
    for await (const _ of orderedLookahead(small, { tasks: context.concurrency }, pull));
  } finally {
    // Waits for all, since the tables are closed after a failure.
    await Promise.allSettled(begun.values());
  }
  const steps = new Map<ResourceName, PullStep>();
  for (const [resource, step] of begun) steps.set(resource, await step);
  return steps;
}

/** The sites in the records of a resource. */
async function sitesNamed(context: PullContext, resource: ResourceName, step: PullStep): Promise<readonly number[]> {
  const { by, of }: Resource["site"] = resources[resource].site;
  return of ? [] : column(context, resource, step, by);
}

async function column(
  context: PullContext,
  resource: ResourceName,
  step: PullStep,
  name: string,
): Promise<readonly number[]> {
  const { tables } = context;
  const rows = writtenTable(context, schemaOf(resource), step.files);
  const sql = `SELECT DISTINCT "${name}" FROM ${rows} WHERE "${name}" IS NOT NULL ORDER BY 1`;
  return tables.inTurn(() => tables.numbers(sql));
}

async function newManifest(
  context: PullContext,
  sites: readonly number[] | null,
  steps: readonly PullStep[],
  features: SettledFeatures,
  log: LogResult,
): Promise<Manifest & Required<Pick<Manifest, "found">>> {
  const { previous, feed, now, journal } = context;
  const changes = await compactLog(context, [
    ...previousFiles(context, "propertyChanges"),
    ...log.steps.flatMap(({ files }) => files),
  ]);
  const small = steps.flatMap(({ files }) => files.filter(({ resource }) => !schemaOf(resource).bySite));
  const lastChange = log.steps.map(({ lastId }) => lastId).reduce(laterId, previous?.watermarks.propertyChanges);
  const readTimes = timesOf(steps, log.steps);
  return {
    format: MANIFEST_FORMAT,
    version: MANIFEST_VERSION,
    generation: (previous?.generation ?? 0) + 1,
    origin: snapshotOrigin(feed.origin),
    scope: sites ? { site_id: sites } : {},
    written_at: now().toISOString(),
    read_at: journal.firstRead,
    read_times: readTimes,
    files: [...small, ...features.files, ...changes],
    gone_files: context.rewrite ? [] : features.goneFiles,
    found: {
      added: features.added.length,
      changed: features.changed.length,
      gone: features.gone.length,
      returned: features.returned.length,
      property_changes: log.steps.reduce((sum, { newRows = 0 }) => sum + newRows, 0),
    },
    ...(log.editsTouchFeatures ? {} : { edits_touch_features: false }),
    watermarks: lastChange === undefined ? {} : { propertyChanges: lastChange },
  };
}

function timesOf(steps: readonly PullStep[], log: readonly PullStep[]): ReadTimes {
  const times: Record<string, { from: string; to: string }> = {};
  for (const { resource, name } of tableSchemas) {
    const ownSteps = resource === "propertyChanges" ? log : steps.filter(({ step }) => step.split("/")[0] === name);
    const from = ownSteps.map((step) => step.from).sort()[0];
    const to = ownSteps
      .map((step) => step.to)
      .sort()
      .at(-1);
    if (from && to) times[resource] = { from, to };
  }
  return times;
}

/** A clock that never goes back: no step of a pull ends before it began. */
function forwardClock(now: () => Date): () => Date {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last, now().getTime());
    return new Date(last);
  };
}

/** The error of a failed pull: the disk, records that are too large, or a damaged file of the previous generation. */
async function pullError(error: unknown, root: string, signal: AbortSignal | undefined): Promise<unknown> {
  const translated = diskError(error, root, "pull again to continue; the snapshot is unchanged");
  if (translated !== error || signal?.aborted) return translated;
  const large = memoryError(error, root, `the ${WORK_MEMORY_MB} MB of memory for a request`);
  if (large !== error) return large;
  const present = await readManifest(root).catch(() => undefined);
  return present ? new ReadFailures(root, present).explainQuery(error) : error;
}

/**
 * Returns the filters for pulling a resource, from the contract's rule of how its records belong to sites.
 *
 * @param scope sites of the pull; null for all
 * @param idsOf reads the ids of a resource that was pulled before
 */
async function pullFilters(
  resource: ResourceName,
  scope: readonly number[] | null,
  idsOf: (resource: ResourceName) => Promise<readonly number[]>,
): Promise<ResolvedFilters> {
  const site = siteRule(resource);
  const { endpoint }: Resource = resources[resource];
  const isLimited = scope !== null && !isShared(site);
  if (!site.of) return new Map(isLimited ? [[site.by, scope]] : []);
  const isNeeded = isLimited || endpoint.filters[site.by]?.required;
  return new Map(isNeeded ? [[site.by, await idsOf(site.of)]] : []);
}

/** Whether all records are kept, independent of the sites: their own, or those of their parents. */
function isShared({ of, shared = false }: SiteRule<ResourceName>): boolean {
  return of ? isShared(siteRule(of)) : shared;
}

/**
 * Rejects mixing the data of two services, or of two scopes, in one folder.
 *
 * @returns the sites to pull; null for all
 * @throws SnapshotError with the folder's origin or scope, and the requested one
 */
function checkOrigin(
  root: string,
  previous: Manifest | undefined,
  origin: SnapshotOrigin,
  { sites, allowMove }: PullTerms,
): readonly number[] | null {
  if (!previous) return sites;
  const isMoved = previous.origin.name !== origin.name;
  if (previous.origin.kind !== origin.kind || (isMoved && !allowMove)) {
    throw new SnapshotError(`pull(): ${root} has data of ${previous.origin.name}, not of ${origin.name}.`, {
      hint: "Use another folder. If the service has a new address, accept it (allowMove, --allow-move).",
      facts: { path: root, origin: previous.origin.name, asked: origin.name },
    });
  }
  const scope = previous.scope["site_id"]?.map(Number) ?? null;
  if (sites === null) return scope;
  const dropped = scope?.filter((site) => !sites.includes(site));
  if (scope && dropped?.length === 0) return sites;
  throw new SnapshotError(
    `pull(): ${root} has ${scope ? `the sites ${scope.join(", ")}` : "all sites"}, not only ${sites.join(", ")}.`,
    {
      hint: "Omit the sites to keep its scope, or use another folder.",
      facts: { path: root, scope, asked: sites },
    },
  );
}

/** Origin of a snapshot of a source. */
function snapshotOrigin({ kind, name }: Origin): SnapshotOrigin {
  return { kind, name };
}

/**
 * Pulls a resource that is small enough for one file. Others may be read at the same time.
 *
 * @param findFilters returns the filters; may wait for other resources
 */
function pullSmallTable(
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
 * Adds attributes that the API can filter by but does not return, such as a dataset's `type`, with one request per
 * known value. A snapshot can then filter by them, too.
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
      const existing = rows.get(id);
      if (!existing) continue;
      const edited = encodeRecord(schema, editMembers(existing.text, new Map([[name, JSON.stringify(value)]])));
      if (!("problem" in edited)) rows.set(id, edited);
    }
  }
}
