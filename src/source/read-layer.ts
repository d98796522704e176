import type { ResolvedFilters } from "../api/filters.js";
import type { Block, Dataset, Records, ResourceName } from "../api/resources.js";
import type { ColumnsRead, Reader } from "../client/read/reader.js";
import { isStrict } from "../client/read/reader.js";
import type { ReadOptions } from "../client/read-options.js";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ProtocolError } from "../core/errors.js";
import { showTimeOrNumber } from "../core/show-record-value.js";
import type { TimeZones } from "../core/time-zone.js";
import { layerTimeZone } from "../layer/build-layer.js";
import { Layer } from "../layer/layer.js";
import type { LayerInput, LayerOptions } from "../layer/layer-data.js";
import { oddInstants } from "../tables/cells/instant-column.js";
import type { RecordColumns } from "../tables/column/column.js";
import { assemblePages } from "../tables/read/assemble-pages.js";
import { columnDecoder } from "../tables/read/decode-columns.js";
import {
  type BaseField,
  type FeatureColumns,
  featureColumnsOfBytes,
  featureColumnsOfRecords,
} from "../tables/read/feature-columns.js";
import { RecordReader } from "../tables/read/record-reader.js";
import { siteBlocks } from "./site-blocks.js";

const timestamps: readonly BaseField[] = ["created_at", "updated_at"];

/** Maximum count of ids in a diagnostic. */
const MOST_IDS = 100;

const fieldOfFilter = {
  site_id: "site_id",
  operation_id: "operation_id",
  dataset_id: "id",
  semantic_type: "semantic_type",
} as const satisfies Readonly<Record<string, keyof Dataset>>;

const NO_FILTERS: ResolvedFilters = new Map();

/** Options of the reading of a layer. */
type LayerReadOptions = Omit<LayerOptions, "timeZone"> &
  ReadOptions & {
    /** Time zones of the call, then of the source. */
    readonly timeZones: readonly (TimeZones | undefined)[];
  };

/** Reads layer features, with the definitions and datasets that name and order their columns. */
export async function readLayer(reader: Reader, filters: ResolvedFilters, options: LayerReadOptions): Promise<Layer> {
  const input = await readLayerInput(reader, filters, options);
  const layer = new Layer(input, async (layer, historyOptions) => {
    // Loaded on demand: layers without history do not need it, and it is half of the code.
    const { readHistory } = await import("./read-history.js");
    return readHistory(reader, filters, layer, options, historyOptions);
  });
  const report = options.onDiagnostic ?? reader.onDiagnostic;
  // Without a callback they are computed on demand. Those of the input come first, and are reported already.
  if (report) for (const diagnostic of layer.diagnostics.slice(input.diagnostics.length)) report(diagnostic);
  return layer;
}

/**
 * Diagnostics for the features' own times: leap seconds that were read as the next second, and nonexistent times.
 * Nonexistent times stay strings, and features without a creation time count as always existing.
 *
 * @param strict whether a nonexistent time is an error
 * @throws ProtocolError with the id of the feature, if strict
 */
function baseTimeDiagnostics({ base }: FeatureColumns, strict: boolean): readonly Diagnostic[] {
  const ids = base.get("id") ?? [];
  return timestamps.flatMap((field) => {
    const column = base.get(field) ?? [];
    const { rolledOver, impossible } = oddInstants(column);
    const [row] = impossible;
    if (row !== undefined && strict) throw impossibleTime(Number(ids.at(row)), field, column.at(row), row);
    return [
      ...rolledOverDiagnostic(field, rolledOver),
      ...impossibleDiagnostic(
        field,
        impossible.length,
        impossible.slice(0, MOST_IDS).map((at) => Number(ids.at(at))),
      ),
    ];
  });
}

function impossibleTime(id: number, field: string, value: unknown, row: number): ProtocolError {
  return new ProtocolError(
    `Layer feature ${id}: \`${field}\` is a nonexistent time, ${showTimeOrNumber(value)}.`,
    `$.data[${row}].${field}`,
    { hint: "To keep such times as strings and count them in a diagnostic, pass { strict: false }.", facts: { id } },
  );
}

function rolledOverDiagnostic(field: string, count: number): Diagnostic[] {
  if (count === 0) return [];
  const have = count === 1 ? "feature has" : "features have";
  return [
    withSeverity({
      code: "timestamp-rolled-over",
      message: `${count} ${have} a \`${field}\` at second 60 or 24:00:00. Each was read as the start of the next second.`,
      count,
      facts: { field },
    }),
  ];
}

function impossibleDiagnostic(field: string, count: number, ids: readonly number[]): Diagnostic[] {
  if (count === 0) return [];
  const have = count === 1 ? "feature has" : "features have";
  return [
    withSeverity({
      code: "timestamp-impossible",
      message: `${count} ${have} a nonexistent \`${field}\`. Each stays a string, and is null in formats with typed times.`,
      count,
      facts: { field, ids },
    }),
  ];
}

/**
 * The datasets whose features a layer query can select. Their layouts define the layer's columns even without features.
 */
function layerDatasets(datasets: readonly Dataset[], filters: ResolvedFilters): readonly Dataset[] {
  return datasets.filter((dataset) =>
    Object.entries(fieldOfFilter).every(([name, field]) => filters.get(name)?.includes(dataset[field]) ?? true),
  );
}

/** Inputs of a layer. */
export async function readLayerInput(
  reader: Reader,
  filters: ResolvedFilters,
  options: LayerReadOptions,
): Promise<LayerInput> {
  const [{ columns: features, readAt, diagnostics }, definitions, datasets] = await Promise.all([
    readFeatures(reader, filters, options),
    reader.all("propertyDefinitions", NO_FILTERS, quiet(options)),
    reader.all("datasets", NO_FILTERS, quiet(options)),
  ]);
  const selected = layerDatasets(datasets.rows, filters);
  const zone = layerTimeZone(options.timeZones, { features, datasets: selected });
  const timeDiagnostics = [...baseTimeDiagnostics(features, isStrict(reader, options)), ...zone.diagnostics];
  const report = options.onDiagnostic ?? reader.onDiagnostic;
  for (const diagnostic of timeDiagnostics) report?.(diagnostic);
  const layoutIds = layoutDatasetIds(selected, features);
  // Blocks are read only from memory: with a service or snapshot they would cost requests or a query that the caller
  // did not ask for.
  const isAtHand = reader.origin.kind === "memory";
  const layoutDatasets = datasets.rows.filter(({ id }) => layoutIds.includes(id));
  return {
    features,
    definitions: definitions.rows,
    datasets: datasets.rows,
    layoutDatasetIds: layoutIds,
    origin: reader.origin,
    readAt,
    blocks: isAtHand ? await readBlocks(reader, layoutDatasets, options) : [],
    diagnostics: [...diagnostics, ...timeDiagnostics],
    timeZone: zone.timeZone,
    options: { duplicateNames: options.duplicateNames ?? "merge", optionLabels: options.optionLabels ?? false },
  };
}

/** The blocks of the datasets' operations; for datasets without operation, the blocks of their sites. */
async function readBlocks(
  reader: Reader,
  datasets: readonly Dataset[],
  options: ReadOptions,
): Promise<readonly Block[]> {
  const idsOf = (field: "operation_id" | "site_id") => [...new Set(datasets.flatMap((one) => one[field] ?? []))];
  const [ids, sites] = [idsOf("operation_id"), idsOf("site_id")];
  if (sites.length === 0 && ids.length === 0) return [];
  const filter = ids.length > 0 ? (["id", ids] as const) : (["site_id", sites] as const);
  // Missing blocks are not reported to users of the layer.
  const untold = { ...quiet(options), onDiagnostic: () => undefined };
  const operations = (await reader.all("operations", new Map([filter]), untold)).rows;
  if (operations.length === 0) return [];
  const operationIds = operations.map(({ id }) => id);
  const blocks = await reader.all("blocks", new Map([["operation_id", operationIds]]), untold);
  return siteBlocks(operations, blocks.rows);
}

/** Options for reads in addition to the main one, without progress display. */
function quiet(options: ReadOptions): ReadOptions {
  const { onProgress: _, ...rest } = options;
  return { ...rest, showProgress: false };
}

function layoutDatasetIds(selected: readonly Dataset[], features: FeatureColumns): readonly number[] {
  const ids = new Set(selected.map(({ id }) => id));
  const column = features.base.get("dataset_id") ?? [];
  let before: unknown;
  for (let row = 0; row < column.length; row += 1) {
    const id = column.at(row);
    // Neighboring features mostly belong to the same dataset.
    if (id !== before) ids.add(Number(id));
    before = id;
  }
  return [...ids];
}

/** Layer features in columns: the reader's own columns, or new ones. */
export async function readFeatures(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<ColumnsRead<FeatureColumns>> {
  const stored = await reader.columns?.(filters, options);
  if (stored) return stored;
  const make = { ofRecords: featureColumnsOfRecords, ofBytes: featureColumnsOfBytes };
  return readColumns(reader, "layerFeatures", filters, make, options);
}

/** How to create the columns of a resource. */
interface MakeColumns<R extends ResourceName, C> {
  readonly ofRecords: (records: readonly Records[R][]) => C;
  readonly ofBytes: (columns: RecordColumns) => C;
}

/** Reads records into columns: directly from the bytes of pages if the reader has them, else from its records. */
async function readColumns<R extends ResourceName, C>(
  reader: Reader,
  resource: R,
  filters: ResolvedFilters,
  make: MakeColumns<R, C>,
  options: ReadOptions,
): Promise<ColumnsRead<C>> {
  if (!reader.collect) {
    const { rows, readAt, diagnostics } = await reader.all(resource, filters, options);
    return { columns: make.ofRecords(rows), readAt, diagnostics };
  }
  const records = new RecordReader(resource);
  const { slices, readAt, diagnostics } = await reader.collect(resource, filters, columnDecoder(records), options);
  return { columns: make.ofBytes(assemblePages(records, slices)), readAt, diagnostics };
}
