import type { Geometry, Point, Polygon } from "geojson";

/**
 * How a record belongs to a site. A key that is limited to sites reads only their records; a pull that is limited to
 * sites requests them with the filter of the same name.
 */
export interface SiteRule<Name extends string = string> {
  /** The field that names the site or, with `of`, the record that the record belongs to. */
  readonly by: string;
  /** The resource of that record. */
  readonly of?: Name;
  /**
   * True if records without a site are visible to every key and part of every pull: names are resolved against all
   * records that the key can read.
   */
  readonly shared?: boolean;
}

/** The contract of a resource. Endpoint, service, client, snapshots and pulls are derived from it. */
export interface Resource {
  /** Name of one record, as in headings of the specification: `LayerFeature`. */
  readonly record: string;
  /** In the order of the specification. */
  readonly fields: Readonly<Record<string, Field>>;
  /** True if the specification promises every field in every record, null instead of omitted. */
  readonly neverOmits?: boolean;
  /** Attributes that the service filters or sorts by but does not return. */
  readonly hidden?: Readonly<Record<string, Field>>;
  readonly endpoint: EndpointRule;
  /** Name of its folder in a snapshot, of its SQL table and, with `.ndjson`, of its exchange file. */
  readonly table: string;
  readonly site: SiteRule;
}

type Present<F extends Field> = F extends { values: readonly (infer V)[] } ? V : FieldTypes[F["type"]];
type Value<F extends Field> = F["nullable"] extends false ? Present<F> : Present<F> | null;

/** The TypeScript type of a resource's records. */
export type RecordOf<R extends Resource> = { readonly [K in keyof R["fields"]]: Value<R["fields"][K]> };

/** Type of a parameter's values. */
type ParameterKind = "integer" | "string" | "uuid";

/** How a filter selects records; `select-records.ts` defines each in memory and in SQL. */
export type FilterOperator = "oneOf";

/** One filter parameter of an endpoint. Every filter accepts one value or several; a record matches any of them. */
export interface FilterParameter {
  readonly kind: ParameterKind;
  /** Default: `oneOf`. */
  readonly operator?: FilterOperator;
  readonly description: string;
  /** Whether null is accepted, as an empty bracketed parameter. */
  readonly nullable?: boolean;
  /** Whether the request is refused without it. */
  readonly required?: boolean;
  /** Every accepted value, if the specification lists all. */
  readonly values?: readonly string[];
  /** Values that the specification lists; others are also accepted. */
  readonly seen?: readonly string[];
  /** Maximum number of values. */
  readonly maxValues?: number;
}

/** One key of a sort order. */
export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** Fields that `_sortBy` accepts. */
export interface SortRule {
  /** Sortable fields that the specification names. */
  readonly fields: readonly string[];
  /** False if the specification has no list, or states that its list is incomplete. */
  readonly complete: boolean;
  /** Whether `properties.<key>` is sortable. */
  readonly properties?: boolean;
  /** Default order; null if the specification does not show it. */
  readonly default: readonly SortKey[] | null;
  readonly deprecated?: readonly string[];
}

/** The largest page size in the specification. */
export const LARGEST_PAGE = 10_000;

/** `_pageSize` of an endpoint; null if the specification does not show the number. */
export interface PageSizeRule {
  readonly default: number | null;
  readonly max: number | null;
}

/** The definition of an endpoint. Every endpoint is a GET. */
export interface EndpointRule {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly filters: Readonly<Record<string, FilterParameter>>;
  /** At least one of these filters is required. */
  readonly oneOf?: readonly string[];
  /** True if `_page` is required; otherwise it defaults to 1. */
  readonly pageRequired?: boolean;
  readonly pageSize: PageSizeRule;
  readonly sort: SortRule;
}

/** A JSON object whose members the specification leaves open. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One property in a dataset's layout. */
export interface LayoutProperty {
  /** Marks the entry as a property. */
  readonly type: "PROPERTY";
  /** UUID of the property's definition. */
  readonly property_definition_id: string;
}

/** A titled group of properties in a dataset's layout. */
export interface LayoutSection {
  /** Marks the entry as a section. */
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
 * Whether a field may be null: `true` and `false` as specified; `"tolerated"` if the specification is silent: the
 * embedded service never sends null there, the client accepts it.
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
  /** Known values, if the specification does not list all. */
  readonly seen?: readonly string[];
  /** Personal data, replaced by pseudonyms if a source redacts. */
  readonly personal?: boolean;
  readonly deprecated?: boolean;
}

/** The pagination object of every list response. Specification: Pagination object. */
export interface Pagination {
  /** Current page, from 1. */
  readonly page: number;
  /** Items per page. */
  readonly pageSize: number;
  /** Items across all pages. */
  readonly rowCount: number;
  /** Total number of pages; 0 without items. */
  readonly pageCount: number;
}

/** One list response. */
export interface Page<T> {
  /** The records of the page. */
  readonly data: readonly T[];
  /** Position of the page and total counts. */
  readonly pagination: Pagination;
}
