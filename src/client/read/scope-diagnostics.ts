import { type FilterValue, type ResolvedFilters, selectsNothing } from "../../api/filters.js";
import { type Dataset, type Operation, type ResourceName, resources, type Site } from "../../api/resources.js";
import { firstOf } from "../../core/counted.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { SiteframeError } from "../../core/errors.js";
import { compareText } from "../../core/json.js";
import { nearestName } from "../../core/nearest-name.js";
import { valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { ReadOptions } from "../read-options.js";
import type { Reader } from "./reader.js";

/** Maximum count of names of sites and semantic types to look up and show: a hint must not read everything. */
const MOST_NAMES = 20;
/** Maximum count of ids to look up, for the same reason. */
const MOST_IDS = 50;
/** Maximum count of filter values and datasets in a message. */
const MOST_SHOWN = 5;

/** Fields of a record with its site and type. */
type Named = Pick<Dataset, "site_id" | "semantic_type">;

/** Types of datasets without features. */
const featureless = resources.datasets.hidden.type.seen.filter((type) => type !== "geojson-layer");

/**
 * Diagnostics for a successful read without rows: a filter without values, a scope that never contains such records, an
 * unknown name, or existing parts that do not belong together. Reads a little more; if that fails, only the request is
 * described. Specification: Which filter returns which layer, Non-error cases.
 *
 * @param others records with further sites and semantic types, in addition to sites and datasets
 */
export async function scopeDiagnostics(
  reader: Reader,
  resource: ResourceName,
  filters: ResolvedFilters,
  options: ReadOptions,
  others: readonly Named[] = [],
): Promise<readonly Diagnostic[]> {
  // Reads for a hint do not need their own hints.
  if (options.onDiagnostic === ignore) return [];
  if (selectsNothing(filters)) return [emptyFilter(resource, filters)];
  // Logs are requested by feature, and report features without changes themselves.
  if (filters.size === 0 || resource === "propertyChanges") return [];
  const quiet: ReadOptions = { ...options, retries: 0, onProgress: ignore, onDiagnostic: ignore, showProgress: false };
  try {
    const diagnostics = await namedDiagnostics(reader, resource, filters, quiet, others);
    if (diagnostics.length > 0) return diagnostics;
    return resource === "layerFeatures" ? await layerDiagnostics(reader, filters, quiet) : [noMatch(resource, filters)];
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof SiteframeError) return [noMatch(resource, filters)];
    throw error;
  }
}

/**
 * Unknown sites and semantic types of the filters, with existing and similar names.
 *
 * @param others records with further names, in addition to sites and datasets
 */
async function unknownNames(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
  others: readonly Named[],
): Promise<readonly Diagnostic[]> {
  const sites = (filters.get("site_id") ?? []).filter((value) => typeof value === "number").slice(0, MOST_NAMES);
  const types = (filters.get("semantic_type") ?? []).filter((value) => typeof value === "string").slice(0, MOST_NAMES);
  const isLive = reader.origin.kind === "live";
  // The service lists every existing site; records in memory may lack sites.
  const isNeeded = types.length > 0 || (sites.length > 0 && !isLive);
  const named = isNeeded ? [...(await reader.all("datasets", new Map(), options)).rows, ...others] : [];
  const listed = sites.length > 0 ? (await reader.all("sites", new Map(), options)).rows : [];
  const knownTypes = distinct(named.flatMap(({ semantic_type }) => semantic_type ?? [])).sort(compareText);
  const absent = types.filter((type) => !knownTypes.includes(type));
  const unused = absent.length > 0 && (await areUnused(reader, absent, options)) ? absent : [];
  return [...unknownSites(sites, listed, named, isLive), ...unknownTypes(unused, knownTypes, isLive)];
}

/** Whether no feature has these types: a key may see features of datasets that it cannot see. */
async function areUnused(reader: Reader, semantic_type: readonly string[], options: ReadOptions): Promise<boolean> {
  const params = { filters: new Map([["semantic_type", semantic_type]]), sort: [] };
  for await (const { pagination } of reader.pages("layerFeatures", params, { ...options, pageSize: 1 })) {
    return pagination.rowCount === 0;
  }
  return true;
}

function unknownSites(
  requestedIds: readonly number[],
  sites: readonly Site[],
  named: readonly Named[],
  isLive: boolean,
): readonly Diagnostic[] {
  const names = new Map<number, string>();
  for (const { site_id } of named) if (site_id !== null) names.set(site_id, `${site_id}`);
  for (const { id, name } of sites) names.set(id, `${id} (${showName(name)})`);
  const absent = requestedIds.filter((id) => !names.has(id));
  if (absent.length === 0) return [];
  const siteIds = [...names.keys()].sort((a, b) => a - b);
  const nearest = distinct(absent.flatMap((id) => nearestName(String(id), siteIds.map(String)) ?? []));
  const many = absent.length > 1;
  const what = `${many ? "sites" : "site"} ${absent.join(", ")}`;
  return [
    withSeverity({
      code: "site-not-found",
      message: `${unknown(what, isLive)}${meant(nearest)}${list(siteIds.map((id) => names.get(id) as string))}`,
      count: absent.length,
      facts: { id: absent, nearest: nearest.map(Number), known: siteIds.slice(0, MOST_NAMES) },
    }),
  ];
}

function unknownTypes(absent: readonly string[], types: readonly string[], isLive: boolean): readonly Diagnostic[] {
  if (absent.length === 0) return [];
  const nearest = distinct(absent.flatMap((type) => nearestName(type, types) ?? []));
  const what = `semantic type${absent.length > 1 ? "s" : ""} ${absent.map((type) => showValue(type)).join(", ")}`;
  return [
    withSeverity({
      code: "semantic-type-not-found",
      message: `${unknown(what, isLive)}${meant(nearest.map((type) => showValue(type)))}${list(types.map(showName))}`,
      count: absent.length,
      facts: { semantic_type: absent, nearest, known: types.slice(0, MOST_NAMES) },
    }),
  ];
}

/** Names that the source does not have, or that the API key cannot read. */
function unknown(what: string, isLive: boolean): string {
  return `Unknown ${what}${isLive ? ", or the API key has no access" : ""}.`;
}

function meant(nearest: readonly string[]): string {
  return nearest.length === 0 ? "" : ` Did you mean ${nearest.join(", ")}?`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Available: ${firstOf(names, MOST_NAMES)}.`;
}

function showName(name: string): string {
  return showValue(name).slice(1, -1);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function ignore(): void {}

/** Diagnostics for unknown names in filters, and names without such records. */
async function namedDiagnostics(
  reader: Reader,
  resource: ResourceName,
  filters: ResolvedFilters,
  options: ReadOptions,
  others: readonly Named[],
): Promise<readonly Diagnostic[]> {
  const scope = new Map(filters);
  if (resource === "sites" && filters.has("id")) scope.set("site_id", filters.get("id") ?? []);
  const operations = ids(filters, resource === "operations" ? "id" : "operation_id");
  const datasets = ids(filters, resource === "datasets" ? "id" : "dataset_id");
  return [
    ...(await unknownNames(reader, scope, options, others)),
    ...(operations.length > 0 ? await operationDiagnostics(reader, resource, operations, filters, options) : []),
    ...(datasets.length > 0 ? await datasetDiagnostics(reader, resource, datasets, options) : []),
  ];
}

function emptyFilter(resource: ResourceName, filters: ResolvedFilters): Diagnostic {
  const empty = [...filters].filter(([, values]) => values.length === 0).map(([name]) => name);
  const lists = empty.length === 1 ? "is an empty list" : "are empty lists";
  return withSeverity({
    code: "filter-empty",
    message: `${empty.join(" and ")} ${lists}, which selects no ${resource}.`,
    count: empty.length,
    facts: { parameters: empty },
  });
}

/**
 * A diagnostic with the filters of a read, if all its parts are valid.
 *
 * @param instead a sentence with the available values
 */
function noMatch(resource: ResourceName, filters: ResolvedFilters, instead = ""): Diagnostic {
  const all = filters.size > 1 ? "all of: " : "";
  return withSeverity({
    code: "match-missing",
    message: `No ${resource} match ${all}${filterText(filters)}.${instead}`,
    facts: {
      resource,
      filters: Object.fromEntries([...filters].map(([name, list]) => [name, list.slice(0, MOST_IDS)])),
    },
  });
}

function filterText(filters: ResolvedFilters): string {
  const texts = [...filters].map(([name, values]) => {
    const quoted = values.map((value) => (typeof value === "string" ? showValue(value) : String(value)));
    return `${name} ${firstOf(quoted, MOST_SHOWN, { separator: " or " })}`;
  });
  return texts.join(", ");
}

/** Diagnostics for a scope without features whose parts exist. */
async function layerDiagnostics(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<readonly Diagnostic[]> {
  const scope = new Map<string, readonly FilterValue[]>();
  for (const [name, values] of filters) {
    if (name === "site_id" || name === "operation_id" || name === "semantic_type") scope.set(name, values);
    if (name === "dataset_id") scope.set("id", values);
  }
  const { rows: datasets } = await reader.all("datasets", scope, options);
  if (datasets.length === 0) return [noMatch("layerFeatures", filters, await typesOfSites(reader, filters, options))];
  const requestedIds = datasets.map(({ id }) => id).slice(0, MOST_IDS);
  const other = (await withoutFeatures(reader, requestedIds, datasets, options)).map(({ id }) => id);
  const holding = datasets.filter(({ id }) => !other.includes(id));
  if (holding.length === 0) return [datasetsWithoutFeatures(other)];
  const named = holding.map(({ id, name }) => `${id} (${showValue(name)})`);
  const hold = holding.length === 1 ? "The dataset has" : "The datasets have";
  return [
    withSeverity({
      code: "layer-empty",
      message: `${hold} no features${filters.size > scope.size ? " that match" : ""}: ${firstOf(named, MOST_SHOWN)}.`,
      count: holding.length,
      facts: { dataset_id: holding.slice(0, MOST_IDS).map(({ id }) => id) },
    }),
  ];
}

/** A sentence with the semantic types of the requested sites. */
async function typesOfSites(reader: Reader, filters: ResolvedFilters, options: ReadOptions): Promise<string> {
  const site_id = ids(filters, "site_id");
  if (site_id.length === 0 || !filters.has("semantic_type")) return "";
  const { rows } = await reader.all("datasets", new Map([["site_id", site_id]]), options);
  const types = distinct(rows.flatMap(({ semantic_type }) => semantic_type ?? [])).sort(compareText);
  if (types.length === 0) return "";
  const sites = site_id.length === 1 ? `Site ${site_id.join()} has` : `Sites ${site_id.join(", ")} have`;
  return ` ${sites}: ${firstOf(types, MOST_NAMES)}.`;
}

async function operationDiagnostics(
  reader: Reader,
  resource: ResourceName,
  requestedIds: readonly number[],
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<readonly Diagnostic[]> {
  const { rows } = await reader.all("operations", new Map([["id", requestedIds]]), options);
  const open = rows.filter(({ status }) => status !== "COMPLETED");
  return [
    ...missing(reader, "operations", requestedIds, rows),
    ...(open.length === 0 || resource === "operations" ? [] : [notCompleted(open)]),
    ...(resource === "layerFeatures" ? await siteLevelDiagnostics(reader, rows, filters, options) : []),
  ];
}

function notCompleted(operations: readonly Operation[]): Diagnostic {
  const listed: readonly unknown[] = resources.operations.fields.status.values;
  const items = operations.map(({ id, status }) => ({
    id,
    status: listed.includes(status) ? status : valueKind(status),
  }));
  const named = items.map(({ id, status }) => `${id} is ${status}`).join(", ");
  return withSeverity({
    code: "operation-not-completed",
    message: `Only COMPLETED operations have delivered data layers: ${named}.`,
    count: operations.length,
    facts: { operations: items },
  });
}

/** Diagnostics if the operations' sites have features of the same kind without operation. */
async function siteLevelDiagnostics(
  reader: Reader,
  operations: readonly Operation[],
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<readonly Diagnostic[]> {
  const site_id = distinct(operations.map((operation) => operation.site_id));
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
      withSeverity({
        code: "layer-at-site-level",
        message: `The operation's site has ${pagination.rowCount} ${kind} without operation. Select components, tickets and annotations by site_id: ${site_id.join(", ")}.`,
        count: pagination.rowCount,
        facts: { site_id, ...(semantic_type ? { semantic_type } : {}) },
      }),
    ];
  }
  return [];
}

async function datasetDiagnostics(
  reader: Reader,
  resource: ResourceName,
  requestedIds: readonly number[],
  options: ReadOptions,
): Promise<readonly Diagnostic[]> {
  const { rows: datasets } = await reader.all("datasets", new Map([["id", requestedIds]]), options);
  const absent = missing(reader, "datasets", requestedIds, datasets);
  if (resource !== "layerFeatures") return absent;
  const other = (await withoutFeatures(reader, requestedIds, datasets, options)).map(({ id }) => id);
  return [...absent, ...(other.length > 0 ? [datasetsWithoutFeatures(other)] : [])];
}

function datasetsWithoutFeatures(other: readonly number[]): Diagnostic {
  return withSeverity({
    code: "dataset-without-features",
    message: `Only geojson-layer datasets have layer features; these have another type: ${other.join(", ")}.`,
    count: other.length,
    facts: { dataset_id: other },
  });
}

/** The service has a type for every dataset and hides some; other sources may lack types. */
async function withoutFeatures(
  reader: Reader,
  id: readonly number[],
  datasets: readonly Dataset[],
  options: ReadOptions,
): Promise<readonly Dataset[]> {
  const ofType = (types: readonly string[]) =>
    new Map<string, readonly FilterValue[]>([
      ["id", id],
      ["type", types],
    ]);
  if (reader.origin.kind !== "live") return (await reader.all("datasets", ofType(featureless), options)).rows;
  const { rows: holding } = await reader.all("datasets", ofType(["geojson-layer"]), options);
  return datasets.filter((dataset) => !holding.some((holder) => holder.id === dataset.id));
}

function missing(
  { origin }: Reader,
  what: "operations" | "datasets",
  requestedIds: readonly number[],
  rows: readonly { readonly id: number }[],
): readonly Diagnostic[] {
  const absent = requestedIds.filter((id) => !rows.some((record) => record.id === id));
  if (absent.length === 0) return [];
  const code = what === "operations" ? "operation-not-found" : "dataset-not-found";
  return [
    withSeverity({
      code,
      message: unknown(`${what}: ${absent.join(", ")}`, origin.kind === "live"),
      count: absent.length,
      facts: { id: absent },
    }),
  ];
}

function ids(filters: ResolvedFilters, name: string): readonly number[] {
  return (filters.get(name) ?? []).filter((value) => typeof value === "number").slice(0, MOST_IDS);
}

function texts(values: readonly FilterValue[] | undefined): readonly (string | null)[] | undefined {
  return values?.filter((value) => typeof value !== "number").slice(0, MOST_IDS);
}
