import { renderTable } from "../html/render-table.js";
import type { ColumnView, TableView } from "../html/table-view.js";
import type { MimeBundle } from "../mime-bundle.js";
import { inspectValue } from "../text.js";
import { isGeometry, pictureHtml, withPicture } from "./picture.js";
import { sketchMap } from "./sketch-map.js";

type Json = Readonly<Record<string, unknown>>;

/** Features whose properties are looked at for names of columns. */
const sample = 50;

/**
 * A GeoJSON object as a map, a collection also as a table of its properties; undefined for anything else.
 *
 * @param asTable shows the table of a collection
 */
export function geojsonBundle(value: unknown, asTable: (view: TableView) => MimeBundle): MimeBundle | undefined {
  if (isGeometry(value)) return mapAndText(value, value);
  if (typeof value !== "object" || value === null) return undefined;
  const { type, features, geometry } = value as Json;
  if (type === "Feature" && isGeometry(geometry)) return mapAndText(value, geometry);
  return type === "FeatureCollection" && Array.isArray(features) ? collectionBundle(features, asTable) : undefined;
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

function collectionBundle(features: readonly unknown[], asTable: (view: TableView) => MimeBundle): MimeBundle {
  const featureAt = (row: number): Json => (Object(features[row]) as Json) ?? {};
  const propertiesAt = (row: number): Json => Object(featureAt(row)["properties"]) as Json;
  const rows = Array.from({ length: Math.min(features.length, sample) }, (_, row) => row);
  const names = new Set(rows.flatMap((row) => Object.keys(propertiesAt(row))));
  const columns: ColumnView[] = [...names].map((name) => ({ name, at: (row) => propertiesAt(row)[name] }));
  const hasIds = rows.some((row) => featureAt(row)["id"] !== undefined);
  const table = asTable({
    caption: "GeoJSON FeatureCollection",
    rowCount: features.length,
    columns: [...(hasIds ? [{ name: "id", at: (row: number) => featureAt(row)["id"] }] : []), ...columns],
  });
  const geometryAt = (row: number) => featureAt(row)["geometry"];
  return withPicture(table, sketchMap({ count: features.length, geometryAt }));
}
