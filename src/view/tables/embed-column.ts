import { formatCell } from "../../display/tables/format-cell.js";
import type { EmbeddedColumn, EmbeddedNumbers, EmbeddedTexts } from "./embedded-column.js";
import type { TextBudget } from "./text-budget.js";

const DATE_UNITS = [86_400_000, 60_000, 1000];

/** Values of a column, in the form that takes the least room once it is deflated. */
export function embedColumn(values: readonly unknown[], budget: TextBudget): EmbeddedColumn {
  const odd = values.flatMap((value, row) => (isOdd(value) ? [[row, formatCell(value).text] as const] : []));
  const told = { ...(odd.length > 0 ? { odd } : {}) };
  const filled = values.filter((value) => value !== null && !isOdd(value));
  const isNumeric = filled.length > 0 && filled.every((value) => typeof value === "number" || isSafeBigint(value));
  if (isNumeric) return { ...numbersOf("number", values.map(numberOf), 1), ...told };
  if (filled.length > 0 && filled.every((value) => value instanceof Date)) {
    const times = values.map(numberOf);
    const unit = DATE_UNITS.find((each) => times.every((time) => (time ?? 0) % each === 0)) ?? 1;
    return { ...numbersOf("date", times, unit), ...told };
  }
  const isBig = filled.length > 0 && filled.every((value) => typeof value === "bigint");
  return { ...textsOf(isBig ? "number" : "text", values, budget), ...told };
}

/** Values that are neither there nor null: `undefined`, `NaN`, what is infinite, dates that are none. */
function isOdd(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value === "number") return !Number.isFinite(value);
  return value instanceof Date && Number.isNaN(value.getTime());
}

function isSafeBigint(value: unknown): boolean {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value));
}

function numberOf(value: unknown): number | null {
  return value === null || isOdd(value) ? null : Number(value);
}

function numbersOf(kind: "number" | "date", values: readonly (number | null)[], unit: number): EmbeddedNumbers {
  const numbers = values.map((value) => (value === null ? null : value / unit));
  const scale = unit === 1 ? {} : { unit };
  if (!numbers.every((value) => value === null || Number.isSafeInteger(value))) return { kind, numbers, ...scale };
  let before = 0;
  const steps = numbers.map((value) => {
    if (value === null) return null;
    const step = value - before;
    before = value;
    return step;
  });
  const isShorter =
    steps.every((step) => step === null || Number.isSafeInteger(step)) && String(steps).length < String(numbers).length;
  return isShorter ? { kind, numbers: steps, isDelta: true, ...scale } : { kind, numbers, ...scale };
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
