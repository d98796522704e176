import { op, parse } from "arquero";

/** Arquero's functions for users: `op`. */
export const registry: Record<string, unknown> = op;

const builtIn = new Set(Object.keys(registry));

/** Names of Arquero's aggregates and window functions, computed once because that is slow. */
export const aggregateNames: readonly string[] = (
  "row_object count any array_agg array_agg_distinct object_agg map_agg entries_agg valid invalid distinct mode sum " +
  "product mean average variance variancep stdev stdevp min max quantile median covariance covariancep corr bins " +
  "row_number rank avg_rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value " +
  "fill_down fill_up"
).split(" ");

export function isArquerosFunction(name: string): boolean {
  return Object.hasOwn(registry, name);
}

/** Whether a function reads other rows too, so that only Arquero can compute it. Users may add some. */
export function isAggregate(name: string): boolean {
  if (builtIn.has(name) || !isArquerosFunction(name)) return aggregateNames.includes(name);
  return (parse({ value: `op.${name}()` }).ops ?? []).length > 0;
}
