import type { Field, FieldType } from "../../api/form/field.js";
import type { Resource } from "../../api/form/resource.js";
import { resources } from "../../api/resources.js";
import { BOXED, boxed, HIGH, LOW, tagOf, tags } from "../cells/cell.js";
import type { ColumnPage, RecordReader } from "./record-reader.js";

/** Which cells are sure to hold a value of a field's type: these numbers, and these tags. */
interface Fit {
  readonly number: "all" | "finite" | "integers" | "none";
  readonly tags: readonly number[];
}

const unsure: Fit = { number: "none", tags: [] };

const fits: Readonly<Record<FieldType, Fit>> = {
  integer: { number: "integers", tags: [] },
  number: { number: "finite", tags: [] },
  string: { number: "none", tags: [tags.word, tags.text] },
  boolean: { number: "none", tags: [tags.literal] },
  // A text in the cells of UUIDs is one with capital letters.
  uuid: { number: "none", tags: [tags.uuid, tags.text] },
  // The cells of a timestamp hold a number where it has the column's form.
  timestamp: { number: "all", tags: [] },
  geometry: { number: "none", tags: [tags.geometry] },
  json: { number: "all", tags: Object.values(tags) },
  date: unsure,
  point: unsure,
  polygon: unsure,
  layout: unsure,
  object: unsure,
};

/**
 * Rows of a page that may break the contract, in order. Cells are judged by their bits; what cannot be told from them
 * is a suspect, so that a row that is not among them is sure to keep the contract.
 */
export function suspectRows(reader: RecordReader, { cells, rowCount }: ColumnPage): readonly number[] {
  const contract: Resource = resources[reader.resource];
  const suspects = new Set<number>();
  for (const [name, field] of Object.entries(contract.fields)) {
    const column = reader.fields.get(name);
    const words = column && cells.get(column);
    const mayLack = name === reader.nested || (field.nullable !== false && !contract.neverOmits);
    if (words) collectSuspects(words, field, mayLack, suspects);
    else if (!mayLack) for (let row = 0; row < rowCount; row += 1) suspects.add(row);
  }
  return [...suspects].sort((a, b) => a - b);
}

function collectSuspects(words: Uint32Array, field: Field, mayLack: boolean, suspects: Set<number>): void {
  const fit = field.values ? unsure : fits[field.type];
  const fitKinds = kindsOf(fit, field.nullable !== false, mayLack);
  const numbers = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  const areNumbersFit = fit.number === "all" || (fit.number !== "none" && areNumbers(numbers, isNumber[fit.number]));
  if ((kindsIn(words) & ~(areNumbersFit ? fitKinds | NUMBER : fitKinds)) === 0) return;
  for (let row = 0; row < numbers.length; row += 1) {
    const kind = kindOf(words[2 * row + HIGH] ?? 0, words[2 * row + LOW] ?? 0);
    const isFit = kind === NUMBER ? areNumbersFit || isFitNumber(fit, numbers[row]) : (kind & fitKinds) !== 0;
    if (!isFit) suspects.add(row);
  }
}

/** Kinds of cells, a bit each: one a tag, and two more. */
const NULL = 1 << 8;
const NUMBER = 1 << 9;
const NULL_HIGH = boxed(tags.literal);

function kindOf(high: number, low: number): number {
  if (high < BOXED) return NUMBER;
  return high === NULL_HIGH && low === 0 ? NULL : 1 << tagOf(high);
}

/** The kinds of the cells of a column together. */
function kindsIn(words: Uint32Array): number {
  let kinds = 0;
  for (let at = 0; at < words.length; at += 2) kinds |= kindOf(words[at + HIGH] ?? 0, words[at + LOW] ?? 0);
  return kinds;
}

function kindsOf(fit: Fit, nullable: boolean, mayLack: boolean): number {
  const ofTags = fit.tags.reduce((kinds, tag) => kinds | (1 << tag), 0) & ~(1 << tags.absent);
  return ofTags | (nullable ? NULL : 0) | (mayLack ? 1 << tags.absent : 0);
}

/** What numbers of a kind are. */
const isNumber: Readonly<Record<"finite" | "integers", (value: number) => boolean>> = {
  finite: Number.isFinite,
  integers: Number.isSafeInteger,
};

/** Whether every cell that is a number is one of a kind; cells that are none are NaN as numbers. */
function areNumbers(numbers: Float64Array, isOfKind: (value: number) => boolean): boolean {
  for (let row = 0; row < numbers.length; row += 1) {
    const value = numbers[row] ?? 0;
    if (!Number.isNaN(value) && !isOfKind(value)) return false;
  }
  return true;
}

function isFitNumber({ number }: Fit, value = 0): boolean {
  return number !== "none" && (number === "all" || isNumber[number](value));
}
