import { countTypes } from "../../../../tables/column/count-types.js";
import type { ValueKind } from "../../sql/cell-values.js";
import { kindRows } from "../../sql/log-statements.js";
import { askAll } from "../ask/ask.js";
import type { QuestionData } from "../ask/question-data.js";

/**
 * What all values of some columns are, logged and present: numbers, booleans, or something else. What was found out
 * before is not asked again.
 *
 * @param columns their places
 * @returns by place; undefined for columns that nobody has asked about
 */
export async function valueKinds(
  data: QuestionData,
  columns: readonly number[],
  signal: AbortSignal | undefined,
): Promise<readonly (ValueKind | undefined)[]> {
  const asked = columns.filter((column) => !data.kinds.has(column));
  if (asked.length > 0) {
    const logged = await loggedKinds(data, asked, signal);
    for (const column of asked) data.kinds.set(column, valueKind(data, column, logged));
  }
  return data.columns.map((_, column) => data.kinds.get(column));
}

async function loggedKinds(data: QuestionData, asked: readonly number[], signal: AbortSignal | undefined) {
  const logged = new Map<unknown, Kinds>();
  const askedKeys = asked.flatMap((column) => data.scope.columns[column]?.keys ?? []);
  for await (const { rowCount, columns } of askAll(data, (scope) => kindRows(scope, askedKeys), signal)) {
    const [keys, counts, numbers, booleans] = columns;
    for (let index = 0; index < rowCount; index += 1) {
      logged.set(keys?.[index], {
        all: Number(counts?.[index]),
        numbers: Number(numbers?.[index]),
        booleans: Number(booleans?.[index]),
      });
    }
  }
  return logged;
}

function valueKind(data: QuestionData, column: number, logged: ReadonlyMap<unknown, Kinds>): ValueKind {
  const keys = data.scope.columns[column]?.keys ?? [];
  const isLabelled = data.scope.labels.some(({ key }) => keys.includes(key));
  return isLabelled ? "text" : kindOf([...keys.flatMap((key) => logged.get(key) ?? []), presentKinds(data, column)]);
}

/** What all present values of each column are; undefined for columns that only the log knows. */
export function presentValueKinds(data: QuestionData): readonly (ValueKind | undefined)[] {
  return data.columns.map(({ isInLayer }, column) => (isInLayer ? kindOf([presentKinds(data, column)]) : undefined));
}

interface Kinds {
  readonly all: number;
  readonly numbers: number;
  readonly booleans: number;
}

function presentKinds({ columns }: QuestionData, column: number): Kinds {
  const counts = countTypes(columns[column]?.values ?? []);
  const { number: numbers, boolean: booleans } = counts;
  return { all: numbers + booleans + counts.string + counts.json, numbers, booleans };
}

function kindOf(kinds: readonly Kinds[]): ValueKind {
  const sum = (of: (kind: Kinds) => number) => kinds.reduce((total, kind) => total + of(kind), 0);
  const all = sum((kind) => kind.all);
  if (all > 0 && sum((kind) => kind.numbers) === all) return "number";
  return all > 0 && sum((kind) => kind.booleans) === all ? "boolean" : "text";
}
