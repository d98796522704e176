import type { ResolvedFilters } from "../api/filters.js";
import type { Block, Dataset, Records, ResourceName } from "../api/resources.js";
import type { ColumnsRead, Reader } from "../client/read/reader.js";
import type { ReadOptions } from "../client/read-options.js";
import { ProtocolError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { showTimeOrNumber } from "../core/show-record-value.js";
import { Layer } from "../layer/layer.js";
import type { LayerInput, LayerOptions } from "../layer/layer-data.js";
import type { RecordColumns } from "../tables/column/column.js";
import { assemblePages } from "../tables/read/assemble-pages.js";
import { columnDecoder } from "../tables/read/decode-columns.js";
import {
  type BaseField,
  type FeatureColumns,
  featureColumnsOfBytes,
  featureColumnsOfRecords,
} from "../tables/read/feature-columns.js";
import { oddInstants } from "../tables/read/odd-instants.js";
import { RecordReader } from "../tables/read/record-reader.js";
import { isStrict } from "./is-strict.js";
import { siteBlocks } from "./site-blocks.js";

const timestamps: readonly BaseField[] = ["created_at", "updated_at"];

/** Ids that a finding lists. */
const MOST_IDS = 100;

const fieldOfFilter = {
  site_id: "site_id",
  operation_id: "operation_id",
  dataset_id: "id",
  semantic_type: "semantic_type",
} as const satisfies Readonly<Record<string, keyof Dataset>>;

const NO_FILTERS: ResolvedFilters = new Map();

/** Reads layer features with the definitions and datasets that name and order their columns. */
export async function readLayer(
  reader: Reader,
  filters: ResolvedFilters,
  options: LayerOptions & ReadOptions,
): Promise<Layer> {
  return new Layer(await readLayerInput(reader, filters, options), async (layer, historyOptions) => {
    // A layer alone needs none of it, and it is half of what there is to load.
    const { readHistory } = await import("./read-history.js");
    return readHistory(reader, filters, layer, options, historyOptions);
  });
}

/**
 * What a user should know of the features' own times: those that were read as the next second, and those that do not
 * exist. The latter stay the text that came, and a feature whose creation is not known counts as one that always was.
 *
 * @param strict whether a time that does not exist is an error
 * @throws ProtocolError naming the feature, if strict
 */
function baseTimeFindings({ base }: FeatureColumns, strict: boolean): readonly Finding[] {
  const ids = base.get("id") ?? [];
  return timestamps.flatMap((field) => {
    const column = base.get(field) ?? [];
    const { rolledOver, impossible } = oddInstants(column);
    const [row] = impossible;
    if (row !== undefined && strict) throw impossibleTime(Number(ids.at(row)), field, column.at(row), row);
    return [
      ...rolledOverFinding(field, rolledOver),
      ...impossibleFinding(
        field,
        impossible.length,
        impossible.slice(0, MOST_IDS).map((at) => Number(ids.at(at))),
      ),
    ];
  });
}

function impossibleTime(id: number, field: string, value: unknown, row: number): ProtocolError {
  return new ProtocolError(
    `Layer feature ${id} has a ${field} that names no time that exists: ${showTimeOrNumber(value)}.`,
    `$.data[${row}].${field}`,
    { hint: "With strict: false, such times stay as they came and are counted in a finding.", facts: { id } },
  );
}

function rolledOverFinding(field: string, count: number): Finding[] {
  if (count === 0) return [];
  const have = count === 1 ? "feature has" : "features have";
  return [
    {
      code: "rolled-over-timestamp",
      message: `${count} ${have} a ${field} at a second 60 or at 24:00:00, read as the beginning of the next second.`,
      count,
      facts: { field },
    },
  ];
}

function impossibleFinding(field: string, count: number, ids: readonly number[]): Finding[] {
  if (count === 0) return [];
  const have = count === 1 ? "feature has" : "features have";
  return [
    {
      code: "impossible-timestamp",
      message: `${count} ${have} a ${field} that names no time that exists; it stays as it came, and is null where a format has instants only.`,
      count,
      facts: { field, ids },
    },
  ];
}

/**
 * The datasets whose features a layer query can select. Their layouts give the layer its columns even where no
 * feature comes.
 */
function layerDatasets(datasets: readonly Dataset[], filters: ResolvedFilters): readonly Dataset[] {
  return datasets.filter((dataset) =>
    Object.entries(fieldOfFilter).every(([name, field]) => filters.get(name)?.includes(dataset[field]) ?? true),
  );
}

/** What a layer is made of. */
export async function readLayerInput(
  reader: Reader,
  filters: ResolvedFilters,
  options: LayerOptions & ReadOptions,
): Promise<LayerInput> {
  const [{ columns: features, readAt, findings }, definitions, datasets] = await Promise.all([
    readFeatures(reader, filters, options),
    reader.all("propertyDefinitions", NO_FILTERS, quiet(options)),
    reader.all("datasets", NO_FILTERS, quiet(options)),
  ]);
  const timeFindings = baseTimeFindings(features, isStrict(reader, options));
  const layoutIds = layoutDatasetIds(layerDatasets(datasets.rows, filters), features);
  // Of a service they would be requests, and of a snapshot a database to open, for what nobody asked for.
  const isAtHand = reader.origin.kind === "memory";
  const own = datasets.rows.filter(({ id }) => layoutIds.includes(id));
  return {
    features,
    definitions: definitions.rows,
    datasets: datasets.rows,
    layoutDatasetIds: layoutIds,
    origin: reader.origin,
    readAt,
    blocks: isAtHand ? await readBlocks(reader, own, options) : [],
    findings: [...findings, ...timeFindings],
    options: { duplicateNames: options.duplicateNames ?? "merge", optionLabels: options.optionLabels ?? false },
  };
}

/** The blocks of the operations that datasets are of; of datasets of no operation those of their sites. */
async function readBlocks(
  reader: Reader,
  datasets: readonly Dataset[],
  options: ReadOptions,
): Promise<readonly Block[]> {
  const idsOf = (field: "operation_id" | "site_id") => [...new Set(datasets.flatMap((one) => one[field] ?? []))];
  const [ids, sites] = [idsOf("operation_id"), idsOf("site_id")];
  if (sites.length === 0 && ids.length === 0) return [];
  const filter = ids.length > 0 ? (["id", ids] as const) : (["site_id", sites] as const);
  // That there are none is nothing that a user of the layer should be told.
  const untold = { ...quiet(options), onFinding: () => undefined };
  const operations = (await reader.all("operations", new Map([filter]), untold)).rows;
  if (operations.length === 0) return [];
  const operationIds = operations.map(({ id }) => id);
  const blocks = await reader.all("blocks", new Map([["operation_id", operationIds]]), untold);
  return siteBlocks(operations, blocks.rows);
}

/** Options for reads beside the main one, whose progress nobody asked for. */
function quiet(options: ReadOptions): ReadOptions {
  const { onProgress: _, ...rest } = options;
  return { ...rest, progress: false };
}

function layoutDatasetIds(selected: readonly Dataset[], features: FeatureColumns): readonly number[] {
  const ids = new Set(selected.map(({ id }) => id));
  const column = features.base.get("dataset_id") ?? [];
  let before: unknown;
  for (let row = 0; row < column.length; row += 1) {
    const id = column.at(row);
    // Neighbours are mostly of one dataset.
    if (id !== before) ids.add(Number(id));
    before = id;
  }
  return [...ids];
}

/** Layer features in columns: those that a reader has already, or new ones. */
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

/** How the columns of a resource are made. */
interface MakeColumns<R extends ResourceName, C> {
  readonly ofRecords: (records: readonly Records[R][]) => C;
  readonly ofBytes: (columns: RecordColumns) => C;
}

/** Reads records into columns: straight from the bytes of pages where the reader has them, else from its records. */
async function readColumns<R extends ResourceName, C>(
  reader: Reader,
  resource: R,
  filters: ResolvedFilters,
  make: MakeColumns<R, C>,
  options: ReadOptions,
): Promise<ColumnsRead<C>> {
  if (!reader.collect) {
    const { rows, readAt, findings } = await reader.all(resource, filters, options);
    return { columns: make.ofRecords(rows), readAt, findings };
  }
  const records = new RecordReader(resource);
  const { slices, readAt, findings } = await reader.collect(resource, filters, columnDecoder(records), options);
  return { columns: make.ofBytes(assemblePages(records, slices)), readAt, findings };
}
