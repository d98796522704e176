import { type Column, countedColumn } from "../../src/tables/column/column.js";

/** Counted instead of arrays and objects, which need not be decoded. */
const OBJECT = "an object";

/** The counted values of a column in any order, and the hashes of its strings by their source. */
export function countedValues(column: Column) {
  const counted = countedColumn(column);
  if (!counted) throw new Error("the column does not count its values");
  const values: unknown[] = [];
  const hashes = new Map<string, Set<string>>();
  const add = (value: unknown, count: number) => {
    for (let left = count; left > 0; left -= 1) values.push(value);
  };
  counted.countInto({
    add,
    addObjects: (count) => add(OBJECT, count),
    addNumbers: (numbers) => values.push(...[...numbers].map((number) => (Number.isNaN(number) ? null : number))),
    addTimes: (times) => values.push(...[...times].map((time) => new Date(time))),
    addTexts(texts) {
      for (let index = 0; index < texts.length; index += 1) {
        const text = texts.at(index);
        values.push(text);
        const known = hashes.get(text) ?? new Set();
        hashes.set(text, known.add(`${texts.hashed} ${texts.hashAt(index)}`));
      }
    },
  });
  return { values: inOrder(values), hashes };
}

/** The same from the single values of the column. */
export function valuesOf(column: Column): readonly string[] {
  return inOrder(Array.from(column, (value) => (isObject(value) ? OBJECT : (value ?? null))));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof Date);
}

/** Sorted, as JSON: values of different types stay different. */
function inOrder(values: readonly unknown[]): readonly string[] {
  return values
    .map((value) => (typeof value === "bigint" ? `${value}n` : Object.is(value, -0) ? "-0" : JSON.stringify(value)))
    .toSorted();
}
