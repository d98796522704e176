import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Resource } from "../../api/form/resource.js";
import { type ResourceName, resources } from "../../api/resources.js";
import { orderedLookahead } from "../../client/sweep/ordered-lookahead.js";
import type { Source } from "../../source/source.js";
import { tidyFolder } from "../folder/tidy-folder.js";
import { type LockedFolder, writeLocked } from "../folder/write-locked.js";
import { MANIFEST_FORMAT, MANIFEST_VERSION, type Manifest, type ReadTimes } from "../format/manifest.js";
import { rowCounts } from "../format/row-counts.js";
import { schemaOf, type TableSchema, tableSchemas } from "../format/table-schema.js";
import { checkAccess } from "./check-access.js";
import { checkOrigin, snapshotOrigin } from "./check-origin.js";
import { compactLog } from "./compact-log.js";
import { forwardClock } from "./forward-clock.js";
import { Journal, type PullStep } from "./journal.js";
import { type LogResult, pullLogPasses } from "./log-passes.js";
import { presentLog } from "./present-format.js";
import { type PullContext, pathOf } from "./pull-context.js";
import { pullError } from "./pull-error.js";
import { PullEstimate } from "./pull-estimate.js";
import { countFeatures, pullFeatures } from "./pull-features.js";
import { pullFilters } from "./pull-filters.js";
import { laterId } from "./pull-log.js";
import type { PullOptions, PullReport } from "./pull-options.js";
import { openPullView } from "./pull-progress.js";
import { pullSmallTable } from "./pull-small-table.js";
import { recordFeed, STREAMED_PAGE } from "./record-feed.js";
import { type SettledFeatures, settleFeatures } from "./settle-features.js";
import { parquet, WorkTables } from "./work-tables.js";

/** Does the work of `pull()`. */
export async function pullFolder(source: Source, path: string, options: PullOptions): Promise<PullReport> {
  const root = resolve(path);
  const now = forwardClock(options.now ?? (() => new Date()));
  const view = options.onProgress ? undefined : openPullView(options.progress ?? source.reader.progress ?? true);
  try {
    const shown = view ? { ...options, onProgress: view.update } : options;
    const report = await writeLocked(root, now, (folder) => pullLocked(source, folder, { ...shown, now }));
    view?.end(report);
    return report;
  } catch (error) {
    view?.end();
    throw await pullError(error, root, options.signal);
  }
}

async function pullLocked(
  source: Source,
  { root, previous, publish }: LockedFolder,
  options: PullOptions & { readonly now: () => Date },
): Promise<PullReport> {
  const { now, onProgress, site_id, ...readOptions } = options;
  const sites = checkOrigin(root, previous, snapshotOrigin(source.origin), siteList(site_id));
  const header = {
    version: 2 as const,
    origin: source.origin.name,
    site_id: sites,
    generation: previous?.generation ?? 0,
    redact: options.redact ?? false,
    fullLog: options.fullLog ?? false,
    started_at: now().toISOString(),
  };
  const journal = await Journal.open(root, header, options.resumeMs ?? 24 * 3_600_000);
  const resumed = journal.steps.length > 0;
  if (previous && !resumed) await tidyFolder(root);
  await mkdir(journal.folder, { recursive: true });
  const tables = await WorkTables.open(journal.folder);
  const estimate = new PullEstimate(options.pageSize ?? STREAMED_PAGE, !previous || (options.fullLog ?? false));
  const context: PullContext = {
    root,
    // Where the pull's progress is shown, what a read shows of itself would stand in the way.
    feed: recordFeed(source.reader, onProgress ? { ...readOptions, progress: false } : readOptions),
    estimate,
    journal,
    tables,
    previous,
    concurrency: options.concurrency ?? 6,
    signal: options.signal,
    now,
    report: (progress) => onProgress?.({ ...progress, toGo: estimate.toGo() }),
  };
  try {
    const { small, features, steps } = await readRecords(context, sites);
    if (previous && !options.allowShrink) checkAccess(root, previous, steps, features);
    const log = await pullLogPasses(context, features, options.fullLog ?? false);
    const manifest = await newManifest(context, sites, [...small, ...steps], features, log);
    await publish(journal.folder, manifest);
    await journal.remove();
    const { added, changed, gone, returned } = features;
    return {
      generation: manifest.generation,
      rows: rowCounts(manifest),
      found: manifest.found ?? { added: 0, changed: 0, gone: 0, returned: 0, property_changes: 0 },
      features: { added, changed, gone, returned },
      resumed,
    };
  } finally {
    tables.close();
  }
}

interface ReadRecords {
  /** Steps of the small resources. */
  readonly small: readonly PullStep[];
  /** Steps of the features, one a site. */
  readonly steps: readonly PullStep[];
  readonly features: SettledFeatures;
}

async function readRecords(context: PullContext, scope: readonly number[] | null): Promise<ReadRecords> {
  const small = await pullSmallTables(context, scope);
  const named = new Set<number>();
  for (const [resource, step] of small) for (const id of await sitesNamed(context, resource, step)) named.add(id);
  const ids = [...named].filter((id) => scope?.includes(id) ?? true).sort((a, b) => a - b);
  const steps: PullStep[] = [];
  const places = scope ? ids : [...ids, null];
  await countFeatures(context, places);
  for (const site of places) steps.push(await pullFeatures(context, site));
  const features = await settleFeatures(context, steps);
  return { small: [...small.values()], steps, features };
}

/** Whatever the contract has that is not kept by site, in its order: one is read while others are written. */
async function pullSmallTables(
  context: PullContext,
  scope: readonly number[] | null,
): Promise<ReadonlyMap<ResourceName, PullStep>> {
  const begun = new Map<ResourceName, Promise<PullStep>>();
  const idsOf = async (resource: ResourceName) => {
    const step = begun.get(resource);
    if (!step) throw new TypeError(`${resource} is not pulled before what belongs to it`);
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
    // The tables are closed when this has failed.
    await Promise.allSettled(begun.values());
  }
  const steps = new Map<ResourceName, PullStep>();
  for (const [resource, step] of begun) steps.set(resource, await step);
  return steps;
}

/** The sites that records of a resource name. */
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
  const paths = step.files.map((file) => pathOf(context, file));
  const sql = `SELECT DISTINCT "${name}" FROM ${parquet(schemaOf(resource), paths)} WHERE "${name}" IS NOT NULL ORDER BY 1`;
  return tables.inTurn(() => tables.numbers(sql));
}

async function newManifest(
  context: PullContext,
  sites: readonly number[] | null,
  steps: readonly PullStep[],
  features: SettledFeatures,
  log: LogResult,
): Promise<Manifest> {
  const { previous, feed, now, journal } = context;
  const changes = await compactLog(context, [
    ...(await presentLog(context)),
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
    read_at: journal.header.started_at,
    read_times: readTimes,
    files: [...small, ...features.files, ...changes],
    gone_files: features.goneFiles,
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
    const own = resource === "propertyChanges" ? log : steps.filter(({ step }) => step.split("/")[0] === name);
    const from = own.map((step) => step.from).sort()[0];
    const to = own
      .map((step) => step.to)
      .sort()
      .at(-1);
    if (from && to) times[resource] = { from, to };
  }
  return times;
}

function siteList(sites: PullOptions["site_id"]): readonly number[] | null {
  if (sites === undefined) return null;
  return [...new Set([sites].flat())].sort((a, b) => a - b);
}
