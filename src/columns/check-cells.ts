import type { Field, FieldType, Resource } from "../api/field.js";
import { resources } from "../api/resources.js";
import { BOXED, boxed, HIGH, LOW, tagOf, tags } from "./cells/cell.js";
import type { ColumnPage, RecordReader } from "./record-reader.js";

/** Which cells are sure to hold a value of a field's type: numbers that pass, and these tags. */
interface Fit {
  readonly number: (value: number) => boolean;
  readonly tags: readonly number[];
}

const anyNumber = () => true;
const noNumber = () => false;
const unsure: Fit = { number: noNumber, tags: [] };

const fits: Readonly<Record<FieldType, Fit>> = {
  integer: { number: Number.isSafeInteger, tags: [] },
  number: { number: anyNumber, tags: [] },
  string: { number: noNumber, tags: [tags.word, tags.text] },
  boolean: { number: noNumber, tags: [tags.literal] },
  uuid: { number: noNumber, tags: [tags.text] },
  // The cells of a timestamp hold a number where it has the column's form.
  timestamp: { number: anyNumber, tags: [] },
  geometry: { number: noNumber, tags: [tags.geometry] },
  json: { number: anyNumber, tags: Object.values(tags) },
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
  const tagFits = new Uint8Array(8);
  for (const tag of fit.tags) tagFits[tag] = 1;
  tagFits[tags.absent] = mayLack ? 1 : 0;
  const nullFits = field.nullable !== false;
  const numbers = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  for (let row = 0; row < numbers.length; row += 1) {
    const high = words[2 * row + HIGH] ?? 0;
    let isFit: boolean;
    if (high < BOXED) isFit = fit.number(numbers[row] ?? Number.NaN);
    else if (high === NULL_HIGH && words[2 * row + LOW] === 0) isFit = nullFits;
    else isFit = tagFits[tagOf(high)] === 1;
    if (!isFit) suspects.add(row);
  }
}

const NULL_HIGH = boxed(tags.literal);
