import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { nearestName } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import { featureId } from "../relations/feature-id.js";
import { UnresolvedIds } from "../relations/unresolved-ids.js";

/** What the features of captures say that they are the same as. */
export interface RelatedIds {
  /** By capture and row: ids of features. */
  readonly ids: readonly (readonly (readonly number[])[])[];
  readonly findings: readonly Finding[];
}

/**
 * The ids in a column of captures.
 *
 * @param tables in the order of time
 * @param relation the column; without it there are none
 * @throws ArgumentError if no table has it
 */
export function relatedIds(tables: readonly ColumnTable[], relation: string | undefined): RelatedIds {
  if (relation === undefined) return { ids: tables.map(noIds), findings: [] };
  checkColumn(tables, relation);
  const earlier = new Set<number>();
  const unresolved = new UnresolvedIds();
  const ids = tables.map((table) => {
    const column = table.column(relation);
    const named = column ? Array.from(column, (value: unknown) => idsOf(value, earlier, unresolved)) : noIds(table);
    for (const id of table.column("id") ?? []) earlier.add(Number(id));
    return named;
  });
  return { ids, findings: unresolved.findings(relation, "of an earlier capture", "they tell nothing") };
}

function idsOf(value: unknown, earlier: ReadonlySet<number>, unresolved: UnresolvedIds): readonly number[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => {
    if (one === null || one === undefined) return [];
    const id = featureId(one);
    if (earlier.has(id)) return [id];
    unresolved.add(one);
    return [];
  });
}

function noIds(table: ColumnTable): readonly (readonly number[])[] {
  return Array.from({ length: table.numRows() }, () => []);
}

function checkColumn(tables: readonly ColumnTable[], relation: string): void {
  const names = [...new Set(tables.flatMap((table) => table.columnNames()))];
  if (names.includes(relation)) return;
  const meant = nearestName(relation, names);
  throw new ArgumentError(`No layer has a column ${showValue(relation)}.`, {
    hint: `${meant === undefined ? "" : `Did you mean ${showValue(meant)}? `}There are: ${names.map((name) => showValue(name)).join(", ")}.`,
    facts: { column: relation },
  });
}
