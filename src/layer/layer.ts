import type { Table } from "@uwdata/flechette";
import type { ColumnTable } from "arquero";
import type { FeatureCollection, Geometry } from "geojson";
import type { Field, Resource } from "../api/contract.js";
import { resources } from "../api/resources.js";
import type { Finding } from "../core/finding.js";
import { tellPromises } from "../core/forgotten-await.js";
import { canonicalJson, compareText } from "../core/json.js";
import { checkOptions } from "../core/options.js";
import { type Origin, type Provenance, provenance } from "../core/provenance.js";
import type { History as HistoryOf } from "../history/history.js";
import type { HistoryOptions } from "../history/history-options.js";
import type { TimePoint } from "../history/time/valid-time.js";
import { type Column, countTypes } from "../tables/column/column.js";
import { setUnit } from "../tables/column/column-units.js";
import { toTable, withChoices, withProvenance } from "../tables/column/table.js";
import { withFindings } from "../tables/display/html/render-table.js";
import { columnReaders, type TableView, tableSymbol } from "../tables/display/html/table-view.js";
import { displaySymbol, type MimeBundle } from "../tables/display/mime-bundle.js";
import { withPicture } from "../tables/display/pictures/picture.js";
import { sketchMap } from "../tables/display/pictures/sketch-map.js";
import { tableBundle } from "../tables/display/table-bundle.js";
import { originText } from "../tables/display/text.js";
import type { DanfoFrame } from "../tables/export/danfo-frame.js";
import { type ExportColumn, type ExportOptions, type ExportTable, exportTable } from "../tables/export/export-table.js";
import { plainValues } from "../tables/export/export-values.js";
import {
  arrowIpcOf,
  csvOf,
  tableToArrow,
  tableToDanfo,
  tableToGeoJSON,
  tableToGeoPackage,
  tableToParquet,
  tableToXLSX,
} from "../tables/export/table-exports.js";
import type { ArrowOptions } from "../tables/export/to-arrow.js";
import type { CsvOptions } from "../tables/export/to-csv.js";
import type { GeoPackageOptions } from "../tables/export/to-geopackage.js";
import type { XlsxOptions } from "../tables/export/to-xlsx.js";
import { byWords } from "../tables/order/process-words.js";
import type { LayerSqlOptions } from "../tables/sql/run-sql.js";
import type { ParquetOptions } from "../tables/sql/to-parquet.js";
import { type BuiltLayer, buildLayer, seenType, sqlFindings } from "./build-layer.js";
import { checkDerived, type DeriveOptions, derivedValues } from "./derive-rules.js";
import { type FollowOptions, followRelation } from "./follow-relation.js";
import { type ColumnSchema, columnUnit, type LayerInput, trailingFields } from "./layer-data.js";
import { listedChoices } from "./option-labels.js";
import type { PastLayer } from "./past-layer.js";
import type { JoinOptions } from "./place/join-places.js";
import type { Places } from "./place/places.js";

/** How many of the most frequent values are listed. */
const TOP = 3;

interface Summary {
  readonly distinct: number;
  readonly min: unknown;
  readonly max: unknown;
  readonly top: string | null;
  readonly example: unknown;
}

export type { DeriveOptions } from "./derive-rules.js";

/** Reads the history of a layer's features. Given by the source that read the layer. */
export type OpenHistory = (layer: Layer, options: HistoryOptions) => Promise<History>;

/**
 * The property changes of a layer's features: values at any date.
 *
 * The last change at or before a time wins, in the order of `(created_at, id)` within one feature and property. Every
 * table is an Arquero table; instants are `Date`s, and a `…_us` column beside one holds its microseconds since 1970.
 *
 * A time is a `Date`, an ISO instant with its zone (inclusive), or a calendar date, which includes the whole day in
 * `timeZone`; or a `Temporal.Instant`, `ZonedDateTime` (the instant that it is) or `PlainDate`. A time that does not exist,
 * and a column that there is not, is an `ArgumentError`.
 */
// A class cannot name the layers that name it, in another file: the history has their type as a parameter.
export interface History<Rows extends ColumnTable = ColumnTable> extends HistoryOf<Rows, Layer> {
  knownAt(point: TimePoint): History<Rows>;
  derive(
    name: string,
    compute: (row: Readonly<Record<string, unknown>>) => unknown,
    options?: DeriveOptions,
  ): History<Rows>;
}

/**
 * The layer features that one query matched, as a dataframe with readable columns.
 *
 * `table` has one row a feature in order of `id`; its columns are `id`, `visible_id`, the properties in display
 * order, then the other fields of the record. `schema` says of each column which property keys it holds.
 */
export class Layer<Rows extends ColumnTable = ColumnTable> {
  static {
    tellPromises("layer", Layer.prototype);
  }

  /** The features as an Arquero table. */
  readonly table: Rows;
  /** One entry a column, in the table's order. */
  readonly schema: readonly ColumnSchema[];
  /**
   * Names of the columns that `follow()` and `derive()` added. Histories of this layer keep them: each can be a `weight`
   * or a `by`.
   */
  readonly added: readonly string[];
  /** What a user should know: merged columns, unresolved keys, values that contradict their definition. */
  get findings(): readonly Finding[] {
    this.#findings ??= this.#findFindings();
    return this.#findings;
  }
  /** Where the features come from. */
  readonly origin: Origin;
  /** When they were read. */
  readonly readAt: Date;
  /** Both, and the generation of a snapshot. Every table of this layer carries it: `provenanceOf(layer.table)`. */
  readonly provenance: Provenance;
  /** @internal */
  readonly input: LayerInput;
  readonly #openHistory: OpenHistory;
  readonly #findFindings: () => readonly Finding[];
  #findings: readonly Finding[] | undefined;

  /** @internal */
  constructor(input: LayerInput, openHistory: OpenHistory, built: BuiltLayer = buildLayer(input), asOf?: string) {
    this.provenance = provenance(input.origin, input.readAt, asOf);
    this.table = withProvenance(built.table, this.provenance) as Rows;
    this.schema = built.schema;
    for (const entry of this.schema) setUnit(this.table.column(entry.column), unit(entry));
    withChoices(this.table, (name, found) => {
      const listed = listedChoices(this.schema.find(({ column }) => column === name)?.definitions ?? []);
      return listed.length > 0 ? listed : (byWords(found()) ?? []);
    });
    this.added = built.added ?? [];
    this.#findFindings = built.findings;
    this.origin = input.origin;
    this.readAt = this.provenance.readAt;
    this.input = input;
    this.#openHistory = openHistory;
  }

  /** Number of features. */
  get rowCount(): number {
    return this.input.features.rowCount;
  }

  /**
   * Reads the property changes of these features.
   *
   * @param options `columns` limits the history to these properties (default: every property)
   * @throws ArgumentError for a column that the layer does not have or an unknown time zone
   */
  history(options: HistoryOptions = {}): Promise<History<Rows>> {
    return this.#openHistory(this, options) as Promise<History<Rows>>;
  }

  /** @internal This layer as it was at a time. */
  past({ features, asOf, ...built }: PastLayer): Layer {
    return new Layer({ ...this.input, features }, this.#openHistory, built, asOf);
  }

  /**
   * This layer with columns of the features that a relation names: `panels.follow("Module type", models, ["Rated power"])`.
   * They stand behind the relation's column, under their own names. Where the relation holds lists of ids they hold lists
   * of values in the order of the ids, with null for an id that is not found.
   *
   * Ids that the other layer does not have are a finding (`unresolved-relation`), with their number and some of them.
   *
   * @param relation the column that holds ids of features, mostly one of type RELATIONSHIP
   * @param related the layer of those features, also one as of a time
   * @param columns which of its columns, also fields such as `visible_id`
   * @param options `prefix` is put before their names: `{ prefix: "Module type: " }`
   * @throws ArgumentError for a column that either layer does not have, and for a name that this layer has already
   */
  follow(relation: string, related: Layer, columns: readonly string[], options: FollowOptions = {}): Layer {
    const built = followRelation(this, relation, related, columns, options);
    return new Layer(this.input, this.#openHistory, built, this.provenance.asOf);
  }

  /**
   * This layer with a column that is computed from each row, behind the properties:
   * `panels.derive("Power", (row) => row["Modules"] * row["Rated power"] / 1e6, { unit: "MW" })`. What it is of a feature is
   * the same at every date, since it is computed from the layer as it is.
   *
   * @param name of the column
   * @param compute makes a value of a row, whose fields are the layer's columns; undefined becomes null
   * @param options `unit` of its numbers, for texts and axes
   * @throws ArgumentError for a name that the layer has already, and what is no function
   */
  derive(
    name: string,
    compute: (row: Readonly<Record<string, unknown>>) => unknown,
    options: DeriveOptions = {},
  ): Layer {
    const built = deriveColumn(this, name, compute, options);
    return new Layer(this.input, this.#openHistory, built, this.provenance.asOf);
  }

  /**
   * The data dictionary, one row a column: `column`, `definition`, `type`, `unit`, `nulls`, `distinct`, `min`, `max`,
   * `top`, `example`.
   */
  describe(): ColumnTable {
    return withProvenance(describeLayer(exportTable(this.table), this.schema), this.provenance);
  }

  /**
   * Where the features lie and how large they are, one row a feature: `id`, `visible_id`, `longitude`, `latitude`,
   * `west`, `south`, `east`, `north` (degrees), `area_m2`, `length_m` (of polygons the outline).
   */
  async places(): Promise<ColumnTable> {
    const { places } = await import("./place/places.js");
    const column = (name: string) => this.table.column(name) ?? [];
    return withProvenance(places(column("id"), column("visible_id"), column("geometry")), this.provenance);
  }

  /**
   * Matches the features by place with whatever has a geometry: the same object in two captures, the block that a panel
   * lies in.
   *
   * @param other a layer, also one as of a time, a table with a column of geometries (`source.blocks()`), or GeoJSON
   * @param options `{ by: "within" }`: the centre lies in a polygon of the other; `{ by: "nearest", maxMeters }`: the
   * nearest feature at most so far away, from edge to edge on the WGS 84 ellipsoid (0 if they touch or one contains the other)
   * @returns this layer's columns, the other's (of GeoJSON `id`, the properties and `geometry`) as `other.<name>`, and `distance_m` (with an underscore behind a name
   * that this layer has already); a feature without a match once, with nulls
   * @throws ArgumentError for options that are neither, and for another that has no geometries, or several columns of them
   */
  async join(other: Layer | Places, options: JoinOptions): Promise<ColumnTable> {
    const [{ joinPlaces }, { placedTable }] = await Promise.all([
      import("./place/join-places.js"),
      import("./place/places.js"),
    ]);
    return withProvenance(joinPlaces(placedTable(this), placedTable(other), options), this.provenance);
  }

  /**
   * The layer as a Danfo frame, by the optional package `danfojs-node` or `danfojs`. Missing numbers are NaN, instants
   * ISO 8601 texts, arrays, objects and geometries JSON texts; a column called like a member of Danfo's frames
   * (`shape`, `index`) gets an underscore.
   *
   * @typeParam Frame Danfo's own type of a frame, since either package may be the one: `layer.toDanfo<DataFrame>()`
   * @throws ArgumentError if neither package is installed
   */
  toDanfo<Frame extends object = DanfoFrame>(options?: ExportOptions): Promise<Frame> {
    return tableToDanfo<Frame>(this.table, options);
  }

  /**
   * The layer as an Arrow table: `int64`, `float64`, `bool`, `date32`, `timestamp[us, UTC]`, `utf8`, `list<int64>` and
   * `list<utf8>` columns, by the definitions; geometries as `binary`, the extension type `geoarrow.wkb` in OGC:CRS84, other
   * JSON as JSON text. A geometry that well-known binary does not hold, or that its readers refuse (a ring that is not
   * closed), is null, and a finding of `onFinding`; `asLogged: true` adds `geometry (as logged)` with what came.
   */
  toArrow(options?: ExportOptions): Promise<Table> {
    return tableToArrow(this.table, options);
  }

  /**
   * The layer as a stream of Arrow's IPC format, with the types of `toArrow()`: pyarrow, polars, geopandas, DuckDB and
   * Lonboard read it.
   *
   * @param options `path` of a file to write; one that exists is replaced
   * @returns the bytes of the stream
   * @throws ArgumentError for options that it does not have
   */
  toArrowIPC(options?: ArrowOptions): Promise<Uint8Array>;
  toArrowIPC(...given: [ArrowOptions | undefined, ...unknown[]]): Promise<Uint8Array> {
    return arrowIpcOf(this.table, given);
  }

  /** The layer as GeoJSON (RFC 7946), `id` as the features' id, rings in the order that the standard wants. */
  toGeoJSON(options?: ExportOptions): FeatureCollection<Geometry | null> {
    return tableToGeoJSON(this.table, options);
  }

  /**
   * The layer as CSV (RFC 4180).
   *
   * @param options `path` of a file to write; `formulas: "keep"` leaves texts that a spreadsheet would run as they are
   * @returns the text
   * @throws ArgumentError for options that it does not have
   */
  toCSV(options?: CsvOptions): Promise<string>;
  toCSV(...given: [CsvOptions | undefined, ...unknown[]]): Promise<string> {
    return csvOf(this.table, given);
  }

  /**
   * Writes the layer as GeoParquet 1.0 (WKB, OGC:CRS84). A file that exists is replaced. Columns whose names differ
   * in case only, which many readers do not tell apart, are called as in `sql()`.
   *
   * @param options `path` of the file to write
   * @throws ArgumentError for options that it does not have, and without a path
   */
  toParquet(options: ParquetOptions): Promise<void> {
    return tableToParquet(this.table, options);
  }

  /**
   * Writes the layer as a workbook for Excel and other spreadsheets, by the optional package write-excel-file: a frozen
   * header with filters, typed numbers with their units, dates, times (UTC) and booleans; nothing in it is a formula. A file that
   * exists is replaced. `toXLSX()` writes several sheets.
   *
   * @param options `path` of the file to write; `formats` of columns: `{ share: "0.0 %" }`
   * @throws ArgumentError if the package is not installed, and for more than a sheet holds: nothing is cut
   */
  toXLSX(options: XlsxOptions): Promise<void> {
    return tableToXLSX(this.table, options);
  }

  /**
   * Writes the layer as a GeoPackage (WGS 84), by the optional package node-sqlite3-wasm: for QGIS, ArcGIS and geopandas. A
   * file that exists is replaced.
   *
   * @param options `path` of the file to write, whose name without `.gpkg` is the table's
   * @throws ArgumentError if the package is not installed, and for a geometry that is none
   */
  toGeoPackage(options: GeoPackageOptions): Promise<void> {
    return tableToGeoPackage(this.table, options);
  }

  /**
   * Answers a DuckDB query in which the layer is table `layer`. Columns whose names differ in case only, which SQL does
   * not tell apart, are called `Name (first 8 hex digits of the key)`, `NAME (built-in)` or `name (field)`, each of them; a
   * finding (`sql-name`) tells so.
   *
   * Values stay as they are: an integer that a double cannot hold is a `bigint`, a DECIMAL of more than 15 digits a text, a
   * TIMESTAMP a `Date` whose microseconds exports keep (a text where it has no end), DATE, TIME, INTERVAL and UUID are texts,
   * a BLOB is bytes, JSON its value.
   *
   * @param query SQL of DuckDB's dialect: `SELECT "STATUS", count(*) FROM layer GROUP BY ALL`
   * @param options `sandbox: true` for a query that comes from somebody else: without it a query can do what DuckDB can,
   * read and write any file of the user and load extensions
   * @throws ArgumentError with DuckDB's message if the query cannot be run, or wants more than its sandbox gives
   */
  async sql(query: string, options: LayerSqlOptions = {}): Promise<ColumnTable> {
    const { layerSqlRules, runSql } = await import("../tables/sql/run-sql.js");
    checkOptions("sql()", options, layerSqlRules);
    return withProvenance(await runSql(exportTable(this.table, options), query, options), this.provenance);
  }

  /** The layer as a table with a small map and its findings, for Jupyter. */
  [displaySymbol](): MimeBundle {
    const map = sketchMap({ count: this.rowCount, geometryAt: this.table.getter("geometry") });
    return withFindings(withPicture(tableBundle(this[tableSymbol]()), map), this.findings, this.rowCount);
  }

  /** @internal What `show()` shows. */
  [tableSymbol](): TableView {
    const columns = this.schema.map((entry) => {
      const symbol = unit(entry);
      const column = { name: entry.column, type: entry.type, ...columnReaders(this.table, entry.column) };
      return symbol === null ? column : { ...column, unit: symbol };
    });
    const type = this.#onlyType();
    const caption = `${type ?? "Layer"} from ${originText(this.provenance)}`;
    const file = type?.replace(/[^\p{L}\p{N}_-]+/gu, "_") ?? "layer";
    return { rowCount: this.rowCount, columns, caption, owner: this, code: "layer.table", file };
  }

  /** What the features are, where they are all the same. */
  #onlyType(): string | undefined {
    const typeAt = this.table.getter("semantic_type");
    const type: unknown = this.rowCount > 0 ? typeAt(0) : undefined;
    if (typeof type !== "string") return undefined;
    for (let row = 1; row < this.rowCount; row += 1) if (typeAt(row) !== type) return undefined;
    return type;
  }
}

function deriveColumn(
  { table, schema, added, findings }: Layer,
  name: string,
  compute: (row: Readonly<Record<string, unknown>>) => unknown,
  options: DeriveOptions,
): BuiltLayer {
  const names = table.columnNames();
  checkDerived({ kind: "layer", names }, name, compute, options);
  const own = names.map((each): [string, Column] => [each, table.column(each) ?? []]);
  const values = derivedValues(table.numRows(), own, compute);
  const trailing = schema.findIndex(({ column }) => trailingFields.some((field) => field === column));
  const place = trailing < 0 ? schema.length : trailing;
  const entry: ColumnSchema = {
    column: name,
    property_keys: [],
    definitions: [],
    type: seenType(values),
    nulls: countTypes(values).null,
    source: "derived",
    ...(options.unit === undefined ? {} : { unit: options.unit }),
  };
  const extended = schema.toSpliced(place, 0, entry);
  return {
    table: toTable(own.toSpliced(place, 0, [name, values])),
    schema: extended,
    added: [...added, name],
    findings: () => [...findings.filter(({ code }) => code !== "sql-name"), ...sqlFindings(extended)],
  };
}

/**
 * The data dictionary of a layer: one row a column.
 *
 * `column`, `definition` (what it means), `type`, `unit`, `nulls`, `distinct`, `min` and `max` (numbers, dates,
 * instants, else null), `top` (the most frequent values of texts and booleans, with their counts), `example`.
 */
function describeLayer(frame: ExportTable, schema: readonly ColumnSchema[]): ColumnTable {
  const rows = schema.map((entry, index) => ({ entry, ...summary(frame.columns[index], frame.rowCount) }));
  return toTable([
    ["column", rows.map(({ entry }) => entry.column)],
    ["definition", rows.map(({ entry }) => meaning(entry))],
    ["type", rows.map(({ entry }) => entry.type)],
    ["unit", rows.map(({ entry }) => unit(entry))],
    ["nulls", rows.map(({ entry }) => entry.nulls)],
    ["distinct", rows.map(({ distinct }) => distinct)],
    ["min", rows.map(({ min }) => min)],
    ["max", rows.map(({ max }) => max)],
    ["top", rows.map(({ top }) => top)],
    ["example", rows.map(({ example }) => example)],
  ]);
}

function summary(column: ExportColumn | undefined, rowCount: number): Summary {
  if (!column) return { distinct: 0, min: null, max: null, top: null, example: null };
  const at = plainValues(column);
  const counts = new Map<unknown, number>();
  let min: unknown = null;
  let max: unknown = null;
  let example: unknown = null;
  const isOrdered = ["integer", "number", "date", "instant"].includes(column.kind);
  for (let row = 0; row < rowCount; row += 1) {
    const value = at(row);
    if (value === null) continue;
    example ??= value;
    // Texts and arrays never have one key: the text of an array begins with a bracket, of a text with a quote.
    const key = typeof value === "object" ? canonicalJson(value) : typeof value === "string" ? `"${value}` : value;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (!isOrdered) continue;
    if (min === null || isBelow(value, min)) min = value;
    if (max === null || isBelow(max, value)) max = value;
  }
  const hasTop = column.kind === "text" || column.kind === "boolean";
  return { distinct: counts.size, min, max, top: hasTop ? topValues(counts) : null, example };
}

/**
 * Both are numbers, or both calendar dates or ISO 8601 texts in UTC, whose order is that of their texts up to the seconds'
 * decimals.
 */
function isBelow(a: unknown, b: unknown): boolean {
  return typeof a !== "string" && typeof b !== "string"
    ? Number(a) < Number(b)
    : compareText(instantKey(a), instantKey(b)) < 0;
}

function instantKey(value: unknown): string {
  return String(value).replace("Z", "").padEnd(26, "0");
}

function topValues(counts: ReadonlyMap<unknown, number>): string | null {
  const shown = (key: unknown) => String(key).replace(/^"/, "");
  const ranked = [...counts].sort(([a, m], [b, n]) => n - m || compareText(String(a), String(b)));
  const top = ranked.slice(0, TOP).map(([key, count]) => `${shown(key)} (${count})`);
  return top.length === 0 ? null : top.join(", ");
}

function meaning({ source, column, definitions }: ColumnSchema): string | null {
  if (source === "base") return baseField(column)?.description ?? null;
  if (source === "built-in") return "Built-in property.";
  if (source === "derived") return "Derived column.";
  const texts = definitions.map(({ description }) => description).filter((text) => text !== null && text !== "");
  return texts.length === 0 ? null : [...new Set(texts)].join(" / ");
}

function unit(entry: ColumnSchema): string | null {
  if (entry.source === "base") return baseField(entry.column)?.unit ?? null;
  return columnUnit(entry) ?? null;
}

function baseField(name: string): Field | undefined {
  const contract: Resource = resources.layerFeatures;
  return contract.fields[name];
}
