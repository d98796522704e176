import { countTypes } from "../../../columns/column/count-types.js";
import { kindRows } from "../../sql/log/kind-rows.js";
import type { ValueKind } from "../../sql/values/shown-value.js";
import { askAll } from "../ask/ask.js";
import type { QuestionData } from "../ask/question-data.js";

/** What all values of each column are, logged and present: numbers, booleans, or something else. */
export async function valueKinds(data: QuestionData, signal: AbortSignal | undefined): Promise<readonly ValueKind[]> {
  const logged = new Map<unknown, Kinds>();
  for await (const { rowCount, columns } of askAll(data, kindRows, signal)) {
    const [keys, counts, numbers, booleans] = columns;
    for (let index = 0; index < rowCount; index += 1) {
      logged.set(keys?.[index], {
        all: Number(counts?.[index]),
        numbers: Number(numbers?.[index]),
        booleans: Number(booleans?.[index]),
      });
    }
  }
  return data.scope.columns.map(({ keys }, column) => {
    const found = keys.flatMap((key) => logged.get(key) ?? []);
    const isLabelled = data.scope.labels.some(({ key }) => keys.includes(key));
    return isLabelled ? "text" : kindOf([...found, presentKinds(data, column)]);
  });
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
