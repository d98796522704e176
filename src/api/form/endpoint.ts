/** How one value of a parameter is read. */
export type ParameterKind = "integer" | "string" | "uuid";

/** One filter parameter of an endpoint. Every filter takes one value or several; several match any of them. */
export interface FilterParameter {
  readonly kind: ParameterKind;
  readonly description: string;
  /** Whether null may be asked for, by an empty bracketed parameter. */
  readonly nullable?: boolean;
  /** Whether the request is refused without it. */
  readonly required?: boolean;
  /** Every accepted value, where the specification lists all. */
  readonly values?: readonly string[];
  /** Values that the specification lists; others are accepted, too. */
  readonly seen?: readonly string[];
  /** The most values accepted. */
  readonly maxValues?: number;
}

/** One key of a sort order. */
export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** What `_sortBy` accepts. */
export interface SortRule {
  /** Sortable fields that the specification names. */
  readonly fields: readonly string[];
  /** False where the specification says that its list is not complete or gives none. */
  readonly complete: boolean;
  /** Whether `properties.<key>` is sortable. */
  readonly properties: boolean;
  /** Default order; null where the specification does not show it. */
  readonly default: readonly SortKey[] | null;
  readonly deprecated?: readonly string[];
}

/** The largest page that the specification shows anywhere. */
export const LARGEST_PAGE = 10_000;

/** `_pageSize` of an endpoint; null where the specification does not show the number. */
export interface PageSizeRule {
  readonly default: number | null;
  readonly max: number | null;
}

/** What an endpoint is and takes. Every endpoint is a GET. */
export interface EndpointRule {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly filters: Readonly<Record<string, FilterParameter>>;
  /** At least one of these filters must be given. */
  readonly oneOf?: readonly string[];
  /** True where `_page` must be sent; elsewhere it defaults to 1. */
  readonly pageRequired: boolean;
  readonly pageSize: PageSizeRule;
  readonly sort: SortRule;
}
