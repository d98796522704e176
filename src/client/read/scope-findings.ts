import type { FilterValue, ResolvedFilters } from "../../api/params.js";
import type { Operation, ResourceName } from "../../api/resources.js";
import { SiteframeError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import type { ReadOptions } from "../ask/read-options.js";
import type { Reader } from "./reader.js";

/** Ids that are looked up at most: a hint is not worth a sweep. */
const MOST_IDS = 50;

/**
 * Why a read may have brought nothing although it succeeded: the scope is one that never holds such records.
 * Sends a few requests; where they fail, there is just no hint. Specification: Which filter returns which layer,
 * Non-error cases.
 */
export async function scopeFindings(
  reader: Reader,
  resource: ResourceName,
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<readonly Finding[]> {
  const quiet: ReadOptions = { ...options, retries: 0, onProgress: ignore, onFinding: ignore, progress: false };
  const operations = resource === "layerFeatures" || resource === "datasets" ? ids(filters, "operation_id") : [];
  const datasets = resource === "layerFeatures" ? ids(filters, "dataset_id") : [];
  try {
    return [
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
    ...missing("operation-not-found", "operations", asked, rows),
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
  const filters = new Map<string, readonly FilterValue[]>([["id", asked]]);
  const { rows: found } = await reader.all("datasets", filters, options);
  const { rows: holding } = await reader.all("datasets", new Map([...filters, ["type", ["geojson-layer"]]]), options);
  const featureless = found.filter(({ id }) => !holding.some((dataset) => dataset.id === id)).map(({ id }) => id);
  const finding: Finding = {
    code: "dataset-without-features",
    message: `Only geojson-layer datasets hold layer features; these are of another type: ${featureless.join(", ")}.`,
    count: featureless.length,
    facts: { dataset_id: featureless },
  };
  return [...missing("dataset-not-found", "datasets", asked, found), ...(featureless.length > 0 ? [finding] : [])];
}

function missing(
  code: string,
  what: string,
  asked: readonly number[],
  found: readonly { readonly id: number }[],
): readonly Finding[] {
  const absent = asked.filter((id) => !found.some((record) => record.id === id));
  if (absent.length === 0) return [];
  const message = `The key cannot see these ${what}, or they do not exist: ${absent.join(", ")}.`;
  return [{ code, message, count: absent.length, facts: { id: absent } }];
}

function ids(filters: ResolvedFilters, name: string): readonly number[] {
  return (filters.get(name) ?? []).filter((value) => typeof value === "number").slice(0, MOST_IDS);
}

function texts(values: readonly FilterValue[] | undefined): readonly (string | null)[] | undefined {
  return values?.filter((value) => typeof value !== "number").slice(0, MOST_IDS);
}
