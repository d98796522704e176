import { propertyType } from "../../../../layer/property-type.js";
import type { DeclaredType } from "../../../../tables/types/declared-type.js";
import { typeMismatches } from "../../../../tables/types/type-mismatches.js";
import type { ValueKind } from "../../sql/cell-values.js";
import { mistypedRows } from "../../sql/log-statements.js";
import { askAll } from "../ask/ask.js";
import type { QuestionData } from "../ask/question-data.js";

/** Places of columns of which values are null in a stored result, since they are not of their definitions' types. */
export interface MistypedColumns {
  /** Those with such a value at present. */
  readonly present: ReadonlySet<number>;
  /** Those that ever had one. */
  readonly ever: ReadonlySet<number>;
  /** What is declared of each column. */
  readonly types: ReadonlyMap<number, DeclaredType>;
}

/**
 * Finds the columns that have values of other types than their definitions'.
 *
 * @param kinds of the columns, by place
 */
export async function mistypedColumns(
  data: QuestionData,
  kinds: readonly (ValueKind | undefined)[],
): Promise<MistypedColumns> {
  const present = new Set<number>();
  const types = new Map(data.columns.map((column, place) => [place, propertyType(column)]));
  const kindOfKey = new Map<string, ValueKind>();
  data.columns.forEach((column, place) => {
    const kind = kinds[place];
    if (kind === undefined || kind === "text") return;
    if (typeMismatches(column.values, propertyType(column).type).count > 0) present.add(place);
    for (const key of data.scope.columns[place]?.keys ?? []) kindOfKey.set(key, kind);
  });
  const ever = new Set(present);
  if (kindOfKey.size === 0) return { present, ever, types };
  for await (const { rowCount, columns } of askAll(data, (scope) => mistypedRows(scope, kindOfKey), undefined)) {
    const keys = new Set(Array.from({ length: rowCount }, (_, row) => columns[0]?.[row]));
    data.scope.columns.forEach((column, place) => {
      if (column.keys.some((key) => keys.has(key))) ever.add(place);
    });
  }
  return { present, ever, types };
}
