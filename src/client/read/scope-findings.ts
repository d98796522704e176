import type { FilterValue, ResolvedFilters } from "../../api/params.js";
import { selectsNothing } from "../../api/resolve-filters.js";
import { type Dataset, type Operation, type ResourceName, resources } from "../../api/resources.js";
import { SiteframeError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import type { ReadOptions } from "../ask/read-options.js";
import type { Reader } from "./reader.js";
import { type Named, unknownNames } from "./unknown-names.js";

/** Ids that are looked up at most: a hint is not worth a sweep. */
const MOST_IDS = 50;

/** Types of datasets that hold no features. */
const featureless = resources.datasets.hidden.type.seen.filter((type) => type !== "geojson-layer");

/**
 * Why a read may have brought nothing although it succeeded: the scope is one that never holds such records, or names
 * something that is not there. Reads a little more; where that fails, there is just no hint. Specification: Which
 * filter returns which layer, Non-error cases.
 *
 * @param others records that say which sites and semantic types there are, beside sites and datasets
 */
export async function scopeFindings(
  reader: Reader,
  resource: ResourceName,
  filters: ResolvedFilters,
  options: ReadOptions,
  others: readonly Named[] = [],
): Promise<readonly Finding[]> {
  if (selectsNothing(filters) || (resource !== "layerFeatures" && resource !== "datasets")) return [];
  const quiet: ReadOptions = { ...options, retries: 0, onProgress: ignore, onFinding: ignore, progress: false };
  const operations = ids(filters, "operation_id");
  const datasets = resource === "layerFeatures" ? ids(filters, "dataset_id") : [];
  try {
    return [
      ...(await unknownNames(reader, filters, quiet, others)),
      ...(operations.length > 0 ? await operationFindings(reader, resource, operations, filters, quiet) : []),
      ...(datasets.length > 0 ? await datasetFindings(reader, datasets, quiet) : []),
    ];
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof SiteframeError) return [];
    throw error;
  }
}

function ignore(): void {}

async function operationFindings(
  reader: Reader,
  resource: ResourceName,
  asked: readonly number[],
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<readonly Finding[]> {
  const { rows } = await reader.all("operations", new Map([["id", asked]]), options);
  const open = rows.filter(({ status }) => status !== "COMPLETED");
  return [
    ...missing(reader, "operations", asked, rows),
    ...(open.length === 0 ? [] : [notCompleted(open)]),
    ...(resource === "layerFeatures" ? await siteLevelFindings(reader, rows, filters, options) : []),
  ];
}

function notCompleted(operations: readonly Operation[]): Finding {
  const named = operations.map(({ id, status }) => `${id} is ${status}`).join(", ");
  return {
    code: "operation-not-completed",
    message: `Only COMPLETED operations have delivered data layers: ${named}.`,
    count: operations.length,
    facts: { operations: operations.map(({ id, status }) => ({ id, status })) },
  };
}

/** Whether the operations' sites hold features of the same kind that belong to no operation. */
async function siteLevelFindings(
  reader: Reader,
  operations: readonly Operation[],
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<readonly Finding[]> {
  const site_id = [...new Set(operations.map((operation) => operation.site_id))];
  const semantic_type = texts(filters.get("semantic_type"));
  if (site_id.length === 0) return [];
  const elsewhere = new Map<string, readonly FilterValue[]>([
    ["site_id", site_id],
    ["operation_id", [null]],
  ]);
  if (semantic_type) elsewhere.set("semantic_type", semantic_type);
  const params = { filters: elsewhere, sort: [] };
  for await (const { pagination } of reader.pages("layerFeatures", params, { ...options, pageSize: 1 })) {
    if (pagination.rowCount === 0) return [];
    const kind = semantic_type ? `${semantic_type.join(", ")} features` : "features";
    return [
      {
        code: "site-level-layer",
        message: `The operation's site holds ${pagination.rowCount} ${kind} that belong to no operation. Components, tickets and annotations are scoped by site_id: ${site_id.join(", ")}.`,
        count: pagination.rowCount,
        facts: { site_id, ...(semantic_type ? { semantic_type } : {}) },
      },
    ];
  }
  return [];
}

async function datasetFindings(
  reader: Reader,
  asked: readonly number[],
  options: ReadOptions,
): Promise<readonly Finding[]> {
  const { rows: found } = await reader.all("datasets", new Map([["id", asked]]), options);
  const other = (await withoutFeatures(reader, asked, found, options)).map(({ id }) => id);
  const finding: Finding = {
    code: "dataset-without-features",
    message: `Only geojson-layer datasets hold layer features; these are of another type: ${other.join(", ")}.`,
    count: other.length,
    facts: { dataset_id: other },
  };
  return [...missing(reader, "datasets", asked, found), ...(other.length > 0 ? [finding] : [])];
}

/** The service knows the type of every dataset and tells it of none; records elsewhere may have none. */
async function withoutFeatures(
  reader: Reader,
  id: readonly number[],
  found: readonly Dataset[],
  options: ReadOptions,
): Promise<readonly Dataset[]> {
  const ofType = (types: readonly string[]) =>
    new Map<string, readonly FilterValue[]>([
      ["id", id],
      ["type", types],
    ]);
  if (reader.origin.kind !== "live") return (await reader.all("datasets", ofType(featureless), options)).rows;
  const { rows: holding } = await reader.all("datasets", ofType(["geojson-layer"]), options);
  return found.filter((dataset) => !holding.some((holder) => holder.id === dataset.id));
}

function missing(
  { origin }: Reader,
  what: "operations" | "datasets",
  asked: readonly number[],
  found: readonly { readonly id: number }[],
): readonly Finding[] {
  const absent = asked.filter((id) => !found.some((record) => record.id === id));
  if (absent.length === 0) return [];
  const why =
    origin.kind === "live" ? `The key cannot see these ${what}, or they do not exist` : `There are no such ${what}`;
  const code = `${what.slice(0, -1)}-not-found`;
  return [{ code, message: `${why}: ${absent.join(", ")}.`, count: absent.length, facts: { id: absent } }];
}

function ids(filters: ResolvedFilters, name: string): readonly number[] {
  return (filters.get(name) ?? []).filter((value) => typeof value === "number").slice(0, MOST_IDS);
}

function texts(values: readonly FilterValue[] | undefined): readonly (string | null)[] | undefined {
  return values?.filter((value) => typeof value !== "number").slice(0, MOST_IDS);
}
