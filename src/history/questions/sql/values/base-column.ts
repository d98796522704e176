import { resources } from "../../../../api/resources.js";
import type { BaseField } from "../../../../tables/read/feature-columns.js";
import type { Dialect } from "../dialect/dialect.js";

/** A field of `layer_features f` as a stored result shows it: instants with their type, the geometry as GeoJSON text. */
export function baseColumn(dialect: Dialect, field: BaseField): string {
  const { type } = resources.layerFeatures.fields[field];
  if (type === "geometry") return dialect.memberJson("f.record", field);
  return type === "timestamp" ? dialect.instant(dialect.us(`f.${field}`)) : `f.${field}`;
}
