import type { PropertyDefinition } from "../api/resources.js";
import type { Column } from "../columns/column/column.js";

const listNames = ["options", "values", "choices", "items"];
const codeNames = ["value", "id", "key", "code"];
const labelNames = ["label", "name", "title", "text"];

/**
 * The labels of an OPTION property by code, if its `config` holds a list that can be recognised: an array under
 * `options`, `values`, `choices` or `items` whose entries have a code and a label. The specification does not show
 * the shape of `config`.
 */
export function optionLabels(definition: PropertyDefinition): ReadonlyMap<unknown, string> | undefined {
  if (definition.type !== "OPTION") return undefined;
  const config = definition.config ?? {};
  const list = listNames.map((name) => config[name]).find(Array.isArray);
  const labels = new Map<unknown, string>();
  for (const entry of list ?? []) {
    const code = member(entry, codeNames);
    const label = member(entry, labelNames);
    if (isCode(code) && typeof label === "string") labels.set(code, label);
  }
  return labels.size > 0 ? labels : undefined;
}

/** A value with codes replaced by their labels, also inside an array; unknown codes stay. */
export function decodeValue(value: unknown, labels: ReadonlyMap<unknown, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => decodeValue(item, labels));
  return labels.get(value) ?? value ?? null;
}

/** A column with every value decoded. */
export function decodeColumn(column: Column, labels: ReadonlyMap<unknown, string>): Column {
  return Array.from(column, (value) => decodeValue(value, labels));
}

function member(entry: unknown, names: readonly string[]): unknown {
  if (typeof entry !== "object" || entry === null) return undefined;
  const record = entry as Readonly<Record<string, unknown>>;
  const name = names.find((candidate) => Object.hasOwn(record, candidate));
  return name === undefined ? undefined : record[name];
}

function isCode(code: unknown): boolean {
  return typeof code === "string" || typeof code === "number";
}
