import type { EndpointRule } from "./endpoint.js";
import type { Field, FieldTypes } from "./field.js";

/**
 * How a record belongs to a site. A key that is limited to sites sees what belongs to them; a pull that is limited to
 * sites asks for it, by the filter of the same name.
 */
export interface SiteRule<Name extends string = string> {
  /** The field that names the site or, with `of`, the record that the record belongs to. */
  readonly by: string;
  /** The resource of that record. */
  readonly of?: Name;
  /**
   * True where records without a site are for every key, and every pull keeps all records: names are resolved against
   * whatever the key can read.
   */
  readonly shared?: boolean;
}

/** A resource: all that is said of it. Endpoint, service, client, snapshots and pulls follow from it. */
export interface Resource {
  /** Name of one record, as in the specification's headings: `LayerFeature`. */
  readonly record: string;
  /** In the specification's order. */
  readonly fields: Readonly<Record<string, Field>>;
  /** True where the specification promises every field in every record, null instead of omitted. */
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
