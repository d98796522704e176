import { formatCell } from "../html/format-cell.js";
import { cellKind } from "./cell-kind.js";
import type { EmbeddedColumn, EmbeddedNumbers, EmbeddedTexts } from "./embedded-column.js";
import { isOdd } from "./is-odd.js";
import type { TextBudget } from "./text-budget.js";

const DATE_UNITS = [86_400_000, 60_000, 1000];

/** Values of a column, in the form that takes the least room once it is deflated. */
export function embedColumn(values: readonly unknown[], budget: TextBudget): EmbeddedColumn {
  const odd = values.flatMap((value, row) => (isOdd(value) ? [[row, formatCell(value).text] as const] : []));
  const told = { ...(odd.length > 0 ? { odd } : {}) };
  const kind = cellKind(values);
  if (kind === "number") return { ...numbersOf("number", values.map(numberOf), 1), ...told };
  if (kind === "date") {
    const times = values.map(numberOf);
    const unit = DATE_UNITS.find((each) => times.every((time) => (time ?? 0) % each === 0)) ?? 1;
    return { ...numbersOf("date", times, unit), ...told };
  }
  return { ...textsOf(kind === "bigint" ? "number" : "text", values, budget), ...told };
}

function numberOf(value: unknown): number | null {
  return value === null || isOdd(value) ? null : Number(value);
}

function numbersOf(kind: "number" | "date", values: readonly (number | null)[], unit: number): EmbeddedNumbers {
  const numbers = values.map((value) => (value === null ? null : value / unit));
  const scale = unit === 1 ? {} : { unit };
  const plain = { kind, numbers, ...scale };
  if (!numbers.every((value) => value === null || Number.isSafeInteger(value))) return plain;
  const from = numbers.reduce<number>((least, value) => Math.min(least, value ?? least), Number.MAX_SAFE_INTEGER);
  const above = numbers.map((value) => (value === null ? null : value - from));
  let before = 0;
  const steps = numbers.map((value) => {
    const step = value === null ? null : value - before;
    before = value ?? before;
    return step;
  });
  const forms = [plain, { ...plain, numbers: above, from }, { ...plain, numbers: steps, isDelta: true as const }];
  return forms.filter(isExact).reduce((best, form) => (lengthOf(form) < lengthOf(best) ? form : best));
}

function isExact({ numbers }: EmbeddedNumbers): boolean {
  return numbers.every((value) => value === null || Number.isSafeInteger(value));
}

/** Of the text that is deflated; what a form says beside its numbers counts too. */
function lengthOf({ numbers, ...rest }: EmbeddedNumbers): number {
  return String(numbers).length + JSON.stringify(rest).length;
}

function textsOf(kind: "number" | "text", values: readonly unknown[], budget: TextBudget): EmbeddedTexts {
  const places = new Map<string, number>();
  const texts: string[] = [];
  const codes = values.map((value) => {
    if (value === null || isOdd(value)) return -1;
    const { text } = formatCell(value);
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, texts.length);
    return texts.push(budget.fit(text)) - 1;
  });
  return { kind, texts, codes };
}
