/**
 * What stands behind `FROM` for each value of each feature by itself: `id`, `k` and `v`, the JSON text. So what is asked of
 * every property costs memory by what there is, not by how many properties there are.
 *
 * @param rows features with `properties`
 */
export function storedValues(rows: string): string {
  return `(SELECT id, unnest(map_keys(properties)) AS k, unnest(map_values(properties)) AS v FROM ${rows})`;
}
