import type { FilterParameter } from "./form/endpoint.js";
import type { ResourceName, resources } from "./resources.js";

type Scalar<P extends FilterParameter> = P extends { values: readonly (infer V)[] }
  ? V
  : P extends { seen: readonly (infer S extends string)[] }
    ? S | (string & {})
    : P["kind"] extends "integer"
      ? number
      : string;
type Loose<P extends FilterParameter> = P extends { nullable: true }
  ? Scalar<P> | null | readonly (Scalar<P> | null)[]
  : Scalar<P> | readonly Scalar<P>[];
type Filters<R extends ResourceName> = (typeof resources)[R]["endpoint"]["filters"];
type RequiredNames<F> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F];
type LooseFilters<F> = {
  readonly [K in keyof F as K extends RequiredNames<F> ? K : never]: F[K] extends FilterParameter ? Loose<F[K]> : never;
} & {
  readonly [K in keyof F as K extends RequiredNames<F> ? never : K]?:
    | (F[K] extends FilterParameter ? Loose<F[K]> : never)
    | undefined;
};

/**
 * Filters of an endpoint as a caller writes them: one value, an array of values, or null where the API accepts null.
 * An absent or `undefined` filter does not filter; an empty array selects nothing.
 */
export type Params<R extends ResourceName> = LooseFilters<Filters<R>>;

/** One value of a filter. */
export type FilterValue = string | number | null;

/** Complete filters: each name with its values, without repetition. */
export type ResolvedFilters = ReadonlyMap<string, readonly FilterValue[]>;
