import { isTypedArray } from "node:util/types";
import { diagnosticsOf } from "../../core/diagnostic.js";
import { awaitHint, isAwaitable } from "../../core/forgotten-await.js";
import { formatCount } from "../../core/format/format-number.js";
import { memberOf } from "../../core/member.js";
import { reasonOf } from "../../core/show-value.js";
import { renderError } from "./html/error-chain.js";
import { renderTable, shownFirst, withDiagnostics } from "./html/render-table.js";
import { arqueroView, type ColumnView, danfoView, type TableView } from "./html/table-view.js";
import { displaySymbol, elementBundle, type MimeBundle, plainBundle } from "./mime-bundle.js";
import { isGeometry, pictureHtml, withPicture } from "./pictures/picture.js";
import { sketchMap } from "./pictures/sketch-map.js";
import { tableBundle } from "./table-bundle.js";
import { inspectValue } from "./text.js";
import { withViewType } from "./view.js";

/** Maximum number of entries of collections that are displayed as text. */
const maxText = 10;
/** Maps and sets with more entries are not copied: only their first entries are shown. */
const maxCopied = 100_000;

/**
 * Any value as a MIME bundle, which always has `text/plain`.
 *
 * An object with a method `[Symbol.for("Jupyter.display")]` displays itself. Arquero tables and Danfo frames are
 * displayed as tables, DOM elements as HTML and SVG, GeoJSON as a map, long maps, sets and typed arrays as tables,
 * errors with their causes, and other values as text.
 *
 * @returns a promise only if the value's own method returns one, so that a busy notebook cell can show values at once.
 * If the method fails, or returns a value that cannot be stored, the bundle contains the error
 */
export function toMimeBundle(value: unknown): MimeBundle | Promise<MimeBundle> {
  try {
    const bundle = ownBundle(value);
    if (bundle instanceof Promise) {
      return bundle.then((bundle) => finished(bundle, value)).catch((error: unknown) => failedBundle(error, value));
    }
    return finished(bundle, value);
  } catch (error) {
    return failedBundle(error, value);
  }
}

/**
 * A large map, set or typed array as a table, for numbers with their range. Undefined for other values.
 *
 * @param asTable displays the table
 */
function collectionBundle(value: unknown, asTable: (view: TableView) => MimeBundle): MimeBundle | undefined {
  const range = isTypedArray(value) && value.length > maxText ? rangeText(value) : "";
  const view = collectionView(value, range);
  if (!view || view.rowCount <= maxText) return undefined;
  const isLarge = view.rowCount > maxCopied && !isTypedArray(value);
  return {
    "text/plain": range === "" ? inspectValue(value) : `${inspectValue(value)}\n${range}`,
    "text/html": (isLarge ? renderTable(view) : asTable(view))["text/html"],
  };
}

function collectionView(value: unknown, range: string): TableView | undefined {
  if (value instanceof Map) {
    const entries = firstOf<[unknown, unknown]>(value.entries(), value.size);
    const columns = [
      { name: "key", at: (row: number) => entries[row]?.[0] },
      { name: "value", at: (row: number) => entries[row]?.[1] },
    ];
    return { caption: "Map", rowCount: value.size, columns, owner: value };
  }
  if (value instanceof Set) {
    const values = firstOf(value.values(), value.size);
    return {
      caption: "Set",
      rowCount: value.size,
      columns: [{ name: "value", at: (row) => values[row] }],
      owner: value,
    };
  }
  if (!isTypedArray(value)) return undefined;
  const index = { name: "", type: "index", isIndex: true, at: (row: number) => row };
  const column = { name: "value", at: (row: number) => value[row] };
  return {
    caption: `${value.constructor.name}: ${range}`,
    rowCount: value.length,
    columns: [index, column],
    owner: value,
  };
}

function firstOf<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  const most = count > maxCopied ? shownFirst.rows : count;
  const first: Item[] = [];
  for (const item of items) {
    if (first.length === most) break;
    first.push(item);
  }
  return first;
}

/** `10,000 values from -1 to 1, mean 0.002, 3 NaN`. */
function rangeText(values: NodeJS.TypedArray): string {
  let [least, most]: (number | bigint | undefined)[] = [undefined, undefined];
  let sum = 0;
  let missing = 0;
  for (const value of values) {
    if (Number.isNaN(value)) {
      missing += 1;
      continue;
    }
    sum += Number(value);
    if (least === undefined || value < least) least = value;
    if (most === undefined || value > most) most = value;
  }
  const count = values.length - missing;
  const mean = Number((sum / count).toPrecision(6));
  const range = count === 0 ? "" : ` from ${least} to ${most}, mean ${mean}`;
  return `${formatCount(values.length)} values${range}${missing > 0 ? `, ${formatCount(missing)} NaN` : ""}`;
}

function ownBundle(value: unknown): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const show: unknown = Reflect.get(value, displaySymbol);
  return typeof show === "function" ? show.call(value) : undefined;
}

function knownBundle(value: unknown): MimeBundle {
  // The promise is not awaited.
  if (isAwaitable(value)) {
    const hint = awaitHint(value);
    return { "text/plain": hint === undefined ? inspectValue(value) : `${inspectValue(value)}\n${hint}` };
  }
  const table = arqueroView(value) ?? danfoView(value);
  if (table) return withDiagnostics(tableBundle(table), diagnosticsOf(value), table.rowCount);
  if (value instanceof Error) return renderError(value);
  const rich = elementBundle(value) ?? geojsonBundle(value, tableBundle) ?? collectionBundle(value, tableBundle);
  return rich ?? { "text/plain": inspectValue(value) };
}

function finished(own: unknown, value: unknown): MimeBundle {
  const bundle = withViewType(plainBundle(own ?? knownBundle(value)));
  return "text/plain" in bundle ? bundle : { ...bundle, "text/plain": inspectValue(value) };
}

function failedBundle(error: unknown, value: unknown): MimeBundle {
  return { "text/plain": `[cannot be displayed: ${reasonOf(error)}]\n${inspectValue(value)}` };
}

type Json = Readonly<Record<string, unknown>>;

/** Features whose properties determine the names of columns. */
const sample = 50;

/**
 * A GeoJSON object as a map, a collection also as a table of its properties; undefined for other values.
 *
 * @param asTable displays the table of a collection
 */
function geojsonBundle(value: unknown, asTable: (view: TableView) => MimeBundle): MimeBundle | undefined {
  if (isGeometry(value)) return mapAndText(value, value);
  if (typeof value !== "object" || value === null) return undefined;
  const { type, features, geometry } = value as Json;
  if (type === "Feature" && isGeometry(geometry)) return mapAndText(value, geometry);
  return type === "FeatureCollection" && Array.isArray(features) ? featuresBundle(features, asTable) : undefined;
}

function mapAndText(value: object, geometry: object): MimeBundle | undefined {
  const picture = sketchMap({ count: 1, geometryAt: () => geometry });
  if (!picture) return undefined;
  const properties = Reflect.get(value, "properties");
  const entries = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  const table = {
    rowCount: entries.length,
    columns: [
      { name: "property", at: (row: number) => entries[row]?.[0] },
      { name: "value", at: (row: number) => entries[row]?.[1] },
    ],
  };
  return {
    "text/plain": `${inspectValue(value)}\n${picture.caption}`,
    "text/html": `${entries.length > 0 ? renderTable(table)["text/html"] : ""}${pictureHtml(picture)}`,
  };
}

function featuresBundle(features: readonly unknown[], asTable: (view: TableView) => MimeBundle): MimeBundle {
  const featureAt = (row: number): Json => (Object(features[row]) as Json) ?? {};
  const propertiesAt = (row: number): Json => Object(featureAt(row)["properties"]) as Json;
  const rows = Array.from({ length: Math.min(features.length, sample) }, (_, row) => row);
  const names = new Set(rows.flatMap((row) => Object.keys(propertiesAt(row))));
  const columns: ColumnView[] = [...names].map((name) => ({ name, at: (row) => memberOf(propertiesAt(row), name) }));
  const hasIds = rows.some((row) => featureAt(row)["id"] !== undefined);
  const table = asTable({
    caption: "GeoJSON FeatureCollection",
    rowCount: features.length,
    columns: [...(hasIds ? [{ name: "id", at: (row: number) => featureAt(row)["id"] }] : []), ...columns],
  });
  const geometryAt = (row: number) => featureAt(row)["geometry"];
  return withPicture(table, sketchMap({ count: features.length, geometryAt }));
}
