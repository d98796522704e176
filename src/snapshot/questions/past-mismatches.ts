import type { Finding } from "../../core/finding.js";
import type { MistypedColumns } from "../../history/questions/answers/log/mistyped-columns.js";
import { layerNames } from "../../history/questions/sql/members/layer-columns.js";
import type { Scope } from "../../history/questions/sql/scope/scope.js";
import { asOfTable } from "../../history/questions/sql/tables/as-of.js";
import type { ValueKind } from "../../history/questions/sql/values/shown-value.js";
import { mismatchFinding } from "../../tables/types/type-mismatches.js";

/** How many different values are shown. */
const EXAMPLES = 3;

/** Columns in which values can be lost, and the kinds of all. */
interface Doubtful {
  readonly mistyped: MistypedColumns;
  readonly kinds: readonly (ValueKind | undefined)[];
  /** Answers a statement. */
  readonly rows: (statement: string) => Promise<readonly (readonly unknown[])[]>;
}

/**
 * Values that are null in the features as of a time, since they are not of their definitions' types.
 *
 * @param us the last microsecond that the time includes
 */
export async function pastMismatches(
  scopes: readonly Scope[],
  us: number,
  { mistyped, kinds, rows }: Doubtful,
): Promise<readonly Finding[]> {
  const places = [...mistyped.ever].sort((a, b) => a - b);
  const [scope] = scopes;
  if (places.length === 0 || !scope) return [];
  const query = { columns: places, asLogged: mistyped.ever, us, backfill: false, keepsAbsent: false };
  const names = layerNames(scope, query);
  const counts = places.map((place, index) => {
    const logged = names.asLogged.get(place) ?? "NULL";
    const isLost = `${names.properties[index]} IS NULL AND ${logged} IS NOT NULL`;
    const examples = `list_slice(list_sort(list(DISTINCT ${logged}) FILTER (WHERE ${isLost})), 1, ${EXAMPLES})`;
    return `count(*) FILTER (WHERE ${isLost})::DOUBLE, to_json(${examples})::VARCHAR`;
  });
  const parts = scopes.map((part) => `(${asOfTable(part, kinds, query)})`).join("\nUNION ALL ");
  const [row = []] = await rows(`SELECT ${counts.join()} FROM (${parts})`);
  return places.flatMap((place, index) => {
    const count = Number(row[2 * index]);
    if (count === 0) return [];
    const texts = JSON.parse(String(row[2 * index + 1] ?? "[]")) as string[];
    const examples = texts.map((text) => JSON.parse(text) as unknown);
    const { key, type } = mistyped.types.get(place) ?? {};
    return [mismatchFinding(scope.columns[place]?.name ?? "", key, type, { count, examples })];
  });
}
