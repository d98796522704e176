import type { Table } from "@uwdata/flechette";
import type { ColumnTable } from "arquero";
import type { FeatureCollection, Geometry } from "geojson";
import { propertyRule } from "../api/property-types.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { tellPromises } from "../core/forgotten-await.js";
import { provenanceText } from "../core/format/format-provenance.js";
import { checkOptions, givenOptions } from "../core/options.js";
import { type Origin, type Provenance, provenance } from "../core/provenance.js";
import type { History as HistoryOf } from "../history/history.js";
import type { HistoryOptions } from "../history/history-options.js";
import type { TimePoint } from "../history/time/valid-time.js";
import { type Column, countTypes } from "../tables/column/column.js";
import { columnFormat, setColumnFormat } from "../tables/column/column-format.js";
import { toTable, withChoices, withProvenance } from "../tables/column/table.js";
import { withDiagnostics } from "../tables/display/html/render-table.js";
import { columnReaders, type TableView, tableSymbol } from "../tables/display/html/table-view.js";
import { displaySymbol, type MimeBundle } from "../tables/display/mime-bundle.js";
import { withPicture } from "../tables/display/pictures/picture.js";
import { sketchMap } from "../tables/display/pictures/sketch-map.js";
import { tableBundle } from "../tables/display/table-bundle.js";
import type { DanfoFrame } from "../tables/export/danfo-frame.js";
import { type ExportOptions, exportTable } from "../tables/export/export-table.js";
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
import type { PastLayer } from "./build-layer.js";
import { type BuiltLayer, buildLayer, seenType, sqlDiagnostics } from "./build-layer.js";
import {
  checkDerived,
  type DeriveOptions,
  type DeriveValue,
  derivedValues,
  type HistoryDeriveOptions,
} from "./derive-rules.js";
import { describeLayer, schemaUnit } from "./describe-layer.js";
import { type ColumnSchema, type LayerInput, trailingFields } from "./layer-data.js";
import { type LookupOptions, lookupRelation } from "./lookup-relation.js";
import { listedChoices } from "./option-labels.js";
import type { GeometrySource } from "./place/geometry-table.js";
import type { SpatialJoinOptions } from "./place/spatial-join.js";

export type { DeriveOptions, DeriveValue } from "./derive-rules.js";

/** Reads the history of a layer's features. Passed by the source that read the layer. */
export type OpenHistory = (layer: Layer, options: HistoryOptions) => Promise<History>;

/**
 * The property changes of a layer's features: values at any date.
 *
 * The last change at or before a time wins, in the order of `(created_at, id)` within one feature and property. Every
 * table is an Arquero table; instants are `Date`s, and the column `…_us` next to each has its microseconds since 1970.
 *
 * A time is a `Date`, an ISO instant with its zone (inclusive), or a calendar date or week, which includes all of it in
 * `timeZone`; or a `Temporal.Instant`, `ZonedDateTime` (its instant) or `PlainDate`. Invalid times and unknown columns throw
 * `ArgumentError`.
 */
// A class cannot refer to layers that refer to it, in another file: the history has their type as a parameter.
export interface History<Rows extends ColumnTable = ColumnTable> extends HistoryOf<Rows, Layer> {
  knownAt(point: TimePoint): History<Rows>;
  derive(
    name: string,
    compute: (row: Readonly<Record<string, unknown>>) => unknown,
    options?: HistoryDeriveOptions,
  ): History<Rows>;
}

/**
 * The layer features that one query matched, as a dataframe with readable columns.
 *
 * `table` has one row per feature in order of `id`; its columns are `id`, `visible_id`, the properties in display
 * order, then the other fields of the record. `schema` lists the property keys of each column.
 */
export class Layer<Rows extends ColumnTable = ColumnTable> {
  static {
    tellPromises("layer", Layer.prototype);
  }

  /** The features as an Arquero table. */
  readonly table: Rows;
  /** One entry per column, in the table's order. */
  readonly schema: readonly ColumnSchema[];
  /**
   * Names of the columns that `lookup()` and `derive()` added. Histories of this layer keep them, and accept them as `weight`
   * and `by`.
   */
  readonly added: readonly string[];
  /** Diagnostics: merged columns, unresolved keys, values that contradict their definition. */
  get diagnostics(): readonly Diagnostic[] {
    this.#diagnostics ??= this.#findDiagnostics();
    return this.#diagnostics;
  }
  /** Origin of the features. */
  readonly origin: Origin;
  /** When the features were read. */
  readonly readAt: Date;
  /** Time zone in which times are shown and written, and calendar dates of its histories begin and end. */
  readonly timeZone: string;
  /** Origin, read time and snapshot generation. Every table of this layer has it: `provenanceOf(layer.table)`. */
  readonly provenance: Provenance;
  /** @internal */
  readonly input: LayerInput;
  readonly #openHistory: OpenHistory;
  readonly #findDiagnostics: () => readonly Diagnostic[];
  #diagnostics: readonly Diagnostic[] | undefined;

  /** @internal */
  constructor(input: LayerInput, openHistory: OpenHistory, built: BuiltLayer = buildLayer(input), asOf?: string) {
    this.provenance = provenance(input.origin, input.readAt, asOf);
    this.table = withProvenance(built.table, this.provenance) as Rows;
    this.schema = built.schema;
    this.timeZone = input.timeZone;
    for (const entry of this.schema) {
      const { column, type, timeZone = this.timeZone } = entry;
      const isId = propertyRule(type)?.refersTo === "features" || undefined;
      setColumnFormat(this.table.column(column), { unit: schemaUnit(entry) ?? undefined, isId, timeZone });
    }
    withChoices(this.table, (name, choices) => {
      const listed = listedChoices(this.schema.find(({ column }) => column === name)?.definitions ?? []);
      return listed.length > 0 ? listed : (byWords(choices()) ?? []);
    });
    this.added = built.added ?? [];
    this.#findDiagnostics = built.diagnostics;
    this.origin = input.origin;
    this.readAt = this.provenance.readAt;
    this.input = input;
    this.#openHistory = openHistory;
  }

  /** Number of features. */
  get rowCount(): number {
    return this.input.features.rowCount;
  }

  /** The same as `rowCount`. */
  get length(): number {
    return this.rowCount;
  }

  /** Names of the columns of `table`, in its order. */
  get columns(): readonly string[] {
    return this.table.columnNames();
  }

  /** @hidden @deprecated Use `spatialJoin()`, or `layer.table.join()`. */
  join(..._: readonly never[]): never {
    throw noVerb("join", "Did you mean spatialJoin()? To join by key, use layer.table.join(other, keys).");
  }

  /** @hidden @deprecated Use `layer.table.filter()`. */
  filter(..._: readonly never[]): never {
    throw noVerb("filter", "Use layer.table.filter((d) => …).");
  }

  /** @hidden @deprecated Use `layer.table.slice(0, 5)`. */
  head(..._: readonly never[]): never {
    throw noVerb("head", "Use layer.table.slice(0, 5).");
  }

  /**
   * Returns the property changes of these features.
   *
   * @param options `columns` limits the history to these properties. Default: every property
   * @throws ArgumentError for an unknown column or time zone
   * @example
   * const history = await tickets.history();
   * history.length
   */
  history(options: HistoryOptions = {}): Promise<History<Rows>> {
    return this.#openHistory(this, options) as Promise<History<Rows>>;
  }

  /** @internal This layer as it was at a time. */
  past({ features, timeZone, asOf, ...built }: PastLayer): Layer {
    return new Layer({ ...this.input, features, timeZone }, this.#openHistory, built, asOf);
  }

  /**
   * Returns this layer with columns of the features in a relation. The new columns follow the relation's column and keep
   * their names. If the relation contains lists of ids, they contain lists of values in the order of the ids, with null for
   * an unknown id.
   *
   * Unknown ids are reported in a diagnostic (`relation-unresolved`), with their number and examples.
   *
   * @param relation the column with ids of features, usually of type RELATIONSHIP
   * @param related the layer of those features, now or as of a time
   * @param columns the columns of the related layer to add, including fields such as `visible_id`
   * @param options `prefix` for the names of the new columns: `{ prefix: "Module type: " }`
   * @throws ArgumentError for an unknown column, and for a name that this layer already has
   * @example
   * const models = await source.layer({ dataset_id: 5001 });
   * const rated = panels.lookup("Module type", models, ["Rated power"]);
   * rated.table.select("visible_id", "Module type", "Rated power").slice(0, 4)
   */
  lookup(relation: string, related: Layer, columns: readonly string[], options: LookupOptions = {}): Layer {
    const built = lookupRelation(this, relation, related, columns, options);
    return new Layer(this.input, this.#openHistory, built, this.provenance.asOf);
  }

  /**
   * Returns this layer with a column that is computed from each row and follows the properties. The column is constant in
   * time: it is computed from the current layer, and a feature has the same value at every date.
   *
   * @param name of the column
   * @param compute returns the value of a row, whose fields are the layer's columns; undefined becomes null
   * @param options `unit` of the numbers, for labels and axes; `timeZone` of the dates
   * @throws ArgumentError for a name that the layer already has, and if `compute` is not a function
   * @example
   * const rated = panels.derive("Power", (row) => Number(row["Installed modules"]) * 0.58, { unit: "kW" });
   * rated.table.select("visible_id", "Installed modules", "Power").slice(0, 4)
   */
  derive(name: string, compute: DeriveValue, options?: DeriveOptions): Layer;
  /**
   * Returns this layer with several computed columns, as in Arquero. A function can use the columns before it.
   *
   * @param columns functions of a row, by column name
   * @param options `unit` of all these numbers
   * @throws ArgumentError for a name that the layer already has, and for a value that is not a function
   * @example
   * const rated = panels.derive({ Power: (d) => Number(d["Installed modules"]) * 0.58 }, { unit: "kW" });
   * rated.table.select("visible_id", "Installed modules", "Power").slice(0, 4)
   */
  derive(columns: Readonly<Record<string, DeriveValue>>, options?: DeriveOptions): Layer;
  derive(
    given: string | Readonly<Record<string, DeriveValue>>,
    ...rest: readonly [(DeriveValue | DeriveOptions)?, DeriveOptions?]
  ): Layer {
    if (typeof given !== "object" || given === null) return this.#derived(given, rest[0] as DeriveValue, rest[1]);
    const options = rest[0] as DeriveOptions | undefined;
    return Object.entries(given).reduce<Layer>(
      (layer, [name, compute]) => layer.#derived(name, compute, options),
      this,
    );
  }

  #derived(name: string, compute: DeriveValue, options: DeriveOptions = {}): Layer {
    const built = deriveColumn(this, name, compute, options);
    return new Layer(this.input, this.#openHistory, built, this.provenance.asOf);
  }

  /**
   * Returns the data dictionary, one row per column: `column`, `definition`, `type`, `unit`, `nulls`, `distinct`, `min`,
   * `max`, `top`, `example`.
   *
   * @example
   * trenches.describe().select("column", "type", "unit", "distinct", "min", "max")
   */
  describe(): ColumnTable {
    return withProvenance(describeLayer(exportTable(this.table), this.schema), this.provenance);
  }

  /**
   * Returns the location and size of each feature, one row per feature: `id`, `visible_id`, `longitude`, `latitude`,
   * `west`, `south`, `east`, `north` (degrees), `area_m2`, `length_m` (for polygons, of the outline).
   *
   * @example
   * (await trenches.centroids()).select("visible_id", "longitude", "latitude", "length_m")
   */
  async centroids(): Promise<ColumnTable> {
    const { centroids } = await import("./place/geometry-table.js");
    const column = (name: string) => this.table.column(name) ?? [];
    return withProvenance(centroids(column("id"), column("visible_id"), column("geometry")), this.provenance);
  }

  /**
   * Returns the features matched by location with other geometries: the same object in two captures, or the block that
   * contains a panel.
   *
   * @param other a layer, now or as of a time, a table with a column of geometries (`source.blocks()`), or GeoJSON
   * @param options `{ predicate: "within" }`: the center is in a polygon of the other; `{ predicate: "nearest", maxMeters }`:
   * the nearest feature within that distance, from edge to edge on the WGS 84 ellipsoid (0 if they touch or one contains the
   * other)
   * @returns this layer's columns, the other's (for GeoJSON `id`, the properties and `geometry`) as `other.<name>`, and
   * `distance_m`; an underscore is appended to a name that this layer already has. A feature without a match has one row with
   * nulls
   * @throws ArgumentError for invalid options, and for another without geometries or with several columns of them
   * @example
   * const inBlocks = await panels.spatialJoin(await site.blocks(), { predicate: "within" });
   * inBlocks.groupby("other.name").count()
   */
  async spatialJoin(other: Layer | GeometrySource, options: SpatialJoinOptions): Promise<ColumnTable> {
    const [{ joinByLocation }, { geometryTable }] = await Promise.all([
      import("./place/spatial-join.js"),
      import("./place/geometry-table.js"),
    ]);
    return withProvenance(joinByLocation(geometryTable(this), geometryTable(other), options), this.provenance);
  }

  /**
   * Returns the layer as a Danfo frame, using the optional package `danfojs-node` or `danfojs`. Missing numbers are NaN,
   * instants ISO 8601 strings, arrays, objects and geometries JSON strings; a column with the name of a member of Danfo's
   * frames (`shape`, `index`) gets an underscore.
   *
   * @typeParam Frame Danfo's frame type, which depends on the package: `layer.toDanfo<DataFrame>()`
   * @example
   * const frame = await tickets.toDanfo();
   * frame.shape
   * @throws ArgumentError if neither package is installed
   */
  toDanfo<Frame extends object = DanfoFrame>(options?: ExportOptions): Promise<Frame> {
    return tableToDanfo<Frame>(this.table, options);
  }

  /**
   * Returns the layer as an Arrow table: `int64`, `float64`, `bool`, `date32`, `timestamp[us]` with the time zone, `utf8`,
   * `list<int64>` and `list<utf8>` columns, by the definitions; geometries as `binary`, extension type `geoarrow.wkb` in
   * OGC:CRS84; other JSON as JSON strings. A geometry that well-known binary does not support, or that its readers refuse (a ring that is not
   * closed), is null, and reported to `onDiagnostic`; `asLogged: true` adds `geometry (as logged)` with the original value.
   *
   * @example
   * const arrow = await tickets.toArrow();
   * arrow.numRows
   */
  toArrow(options?: ExportOptions): Promise<Table> {
    return tableToArrow(this.table, options);
  }

  /**
   * Returns the layer as a stream of Arrow's IPC format, with the types of `toArrow()`, for pyarrow, polars, geopandas, DuckDB
   * and Lonboard.
   *
   * @param options `path` of a file to write; an existing file is replaced
   * @returns the bytes of the stream
   * @example
   * const bytes = await tickets.toArrowIPC({ path: "tickets.arrows" });
   * bytes.length
   * @throws ArgumentError for unknown options
   */
  toArrowIPC(options?: ArrowOptions): Promise<Uint8Array>;
  toArrowIPC(...given: [ArrowOptions | undefined, ...unknown[]]): Promise<Uint8Array> {
    return arrowIpcOf(this.table, given);
  }

  /**
   * Returns the layer as GeoJSON (RFC 7946), with `id` as the features' id and rings in the order of the standard.
   *
   * @example
   * tickets.toGeoJSON().features[0]?.geometry
   */
  toGeoJSON(options?: ExportOptions): FeatureCollection<Geometry | null> {
    return tableToGeoJSON(this.table, options);
  }

  /**
   * Returns the layer as CSV (RFC 4180).
   *
   * @param options `path` of a file to write, or the path itself; `formulas: "keep"` keeps strings that a spreadsheet would run
   * as formulas
   * @returns the CSV
   * @throws ArgumentError for unknown options
   * @example
   * const csv = await tickets.toCSV("tickets.csv");
   * csv.split(",").slice(0, 4)
   */
  toCSV(options?: CsvOptions | string): Promise<string>;
  toCSV(...given: [(CsvOptions | string)?, ...unknown[]]): Promise<string> {
    return csvOf(this.table, given);
  }

  /**
   * Writes the layer as GeoParquet 1.0 (WKB, OGC:CRS84). An existing file is replaced. Columns whose names differ in case
   * only, which many readers do not distinguish, are renamed as in `sql()`.
   *
   * @param options `path` of the file to write
   * @example
   * await tickets.toParquet({ path: "tickets.parquet" });
   * @throws ArgumentError for unknown options, and without a path
   */
  toParquet(options: ParquetOptions): Promise<void> {
    return tableToParquet(this.table, options);
  }

  /**
   * Writes the layer as a workbook for Excel and other spreadsheets, using the optional package write-excel-file: a frozen
   * header with filters, typed numbers with their units, dates, local times with their zone in the header, booleans, and no
   * formulas. An existing file is replaced. `toXLSX()` writes several sheets.
   *
   * @param options `path` of the file to write; `formats` of columns: `{ share: "0.0%" }`
   * @example
   * await tickets.toXLSX({ path: "tickets.xlsx", formats: { "Cost estimate": "#,##0 €" } });
   * @throws ArgumentError if the package is not installed, and if the table does not fit into a sheet: it is never truncated
   */
  toXLSX(options: XlsxOptions): Promise<void> {
    return tableToXLSX(this.table, options);
  }

  /**
   * Writes the layer as a GeoPackage (WGS 84) for QGIS, ArcGIS and geopandas, using the optional package node-sqlite3-wasm. An
   * existing file is replaced.
   *
   * @param options `path` of the file to write; the name without `.gpkg` is the name of the table
   * @example
   * await tickets.toGeoPackage({ path: "tickets.gpkg" });
   * @throws ArgumentError if the package is not installed, and for a malformed geometry
   */
  toGeoPackage(options: GeoPackageOptions): Promise<void> {
    return tableToGeoPackage(this.table, options);
  }

  /**
   * Returns the result of a DuckDB query on the layer, which is the table `layer`. Columns whose names differ in case only,
   * which SQL does not distinguish, are all renamed: `Name (first 8 hex digits of the key)`, `NAME (built-in)` or
   * `name (field)`; a diagnostic (`column-renamed-in-sql`) lists them.
   *
   * Values are exact: an integer outside the range of a double is a `bigint`, a DECIMAL of more than 15 digits a string, a
   * TIMESTAMP a `Date` whose microseconds exports keep (a string if infinite); DATE, TIME, INTERVAL and UUID are strings, a
   * BLOB is bytes, JSON its value.
   *
   * @param query SQL of DuckDB's dialect
   * @param options `sandbox: true` for an untrusted query: without it, a query can read and write any file of the user and load
   * extensions
   * @throws ArgumentError with DuckDB's message if the query fails or exceeds its sandbox
   * @example
   * await tickets.sql(`SELECT "STATUS", count(*) AS tickets FROM layer GROUP BY ALL ORDER BY ALL`)
   */
  async sql(query: string, options: LayerSqlOptions = {}): Promise<ColumnTable> {
    const { layerSqlRules, runSql } = await import("../tables/sql/run-sql.js");
    checkOptions("sql()", options, layerSqlRules);
    return withProvenance(await runSql(exportTable(this.table, options), query, options), this.provenance);
  }

  /** The layer as a table with a small map and diagnostics, for Jupyter. */
  [displaySymbol](): MimeBundle {
    const map = sketchMap({ count: this.rowCount, geometryAt: this.table.getter("geometry") });
    return withDiagnostics(withPicture(tableBundle(this[tableSymbol]()), map), this.diagnostics, this.rowCount);
  }

  /** @internal The view for `show()`. */
  [tableSymbol](): TableView {
    const columns = this.schema.map(({ column, type }) => ({
      name: column,
      type,
      ...columnReaders(this.table, column),
      format: columnFormat(this.table.column(column)),
    }));
    const type = this.#onlyType();
    const caption = `${type ?? "Layer"} from ${provenanceText(this.provenance, "caption")}`;
    const file = type?.replace(/[^\p{L}\p{N}_-]+/gu, "_") ?? "layer";
    return { rowCount: this.rowCount, columns, caption, owner: this, code: "layer.table", file };
  }

  /** The type of the features, if all have the same. */
  #onlyType(): string | undefined {
    const typeAt = this.table.getter("semantic_type");
    const type: unknown = this.rowCount > 0 ? typeAt(0) : undefined;
    if (typeof type !== "string") return undefined;
    for (let row = 1; row < this.rowCount; row += 1) if (typeAt(row) !== type) return undefined;
    return type;
  }
}

/** The error for verbs of dataframes that only tables have. */
function noVerb(name: string, hint: string): ArgumentError {
  return new ArgumentError(`${name}(): not a method of Layer.`, { hint, facts: { call: `${name}()` } });
}

function deriveColumn(
  { table, schema, added, diagnostics }: Layer,
  name: string,
  compute: (row: Readonly<Record<string, unknown>>) => unknown,
  options: DeriveOptions,
): BuiltLayer {
  const names = table.columnNames();
  checkDerived({ kind: "layer", names }, name, compute, options);
  const ownColumns = names.map((each): [string, Column] => [each, table.column(each) ?? []]);
  const values = derivedValues(table.numRows(), ownColumns, compute);
  const trailing = schema.findIndex(({ column }) => trailingFields.some((field) => field === column));
  const index = trailing < 0 ? schema.length : trailing;
  const entry: ColumnSchema = {
    column: name,
    property_keys: [],
    definitions: [],
    type: seenType(values),
    nulls: countTypes(values).null,
    source: "derived",
    ...givenOptions(options),
  };
  const extended = schema.toSpliced(index, 0, entry);
  return {
    table: toTable(ownColumns.toSpliced(index, 0, [name, values])),
    schema: extended,
    added: [...added, name],
    diagnostics: () => [
      ...diagnostics.filter(({ code }) => code !== "column-renamed-in-sql"),
      ...sqlDiagnostics(extended),
    ],
  };
}
