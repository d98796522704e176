import type { Geometry, Point, Polygon } from "geojson";

/** A JSON object whose members the specification leaves open. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One property in a dataset's layout. */
export interface LayoutProperty {
  /** Says that the entry is a property. */
  readonly type: "PROPERTY";
  /** UUID of the property's definition. */
  readonly property_definition_id: string;
}

/** A titled group of properties in a dataset's layout. */
export interface LayoutSection {
  /** Says that the entry is a section. */
  readonly type: "SECTION";
  /** Title of the section. */
  readonly header?: string | null;
  /** Its properties, in order. */
  readonly items: readonly LayoutProperty[];
}

/** Display layout of a dataset's properties, in order. */
export interface LayoutDefinition {
  /** Properties and sections, in order. */
  readonly items: readonly (LayoutProperty | LayoutSection)[];
}

/** The TypeScript type of each field type's value, as JSON carries it. */
export interface FieldTypes {
  integer: number;
  number: number;
  string: string;
  boolean: boolean;
  uuid: string;
  date: string;
  timestamp: string;
  point: Point;
  polygon: Polygon;
  geometry: Geometry;
  layout: LayoutDefinition;
  object: JsonObject;
  json: unknown;
}

export type FieldType = keyof FieldTypes;

/**
 * Whether a field may be null: `true` and `false` as the specification says; `"tolerated"` where it is silent:
 * our service never sends null there, our client accepts it.
 */
export type Nullability = boolean | "tolerated";

/** One field of a resource. */
export interface Field {
  readonly type: FieldType;
  readonly nullable: Nullability;
  readonly description: string;
  /** Unit of a number, as a symbol: `m²`, `MWp`. */
  readonly unit?: string;
  /** Every value that the field can have. */
  readonly values?: readonly string[];
  /** Values seen, where the specification does not list all. */
  readonly seen?: readonly string[];
  /** Person data, replaced by pseudonyms when a source redacts. */
  readonly personal?: boolean;
  readonly deprecated?: boolean;
}
