import { propertyRule } from "../api/property-types.js";
import type { PropertyDefinition } from "../api/resources.js";
import type { Column } from "../tables/column/column.js";

const listNames = ["options", "values", "choices", "items"];
const codeNames = ["value", "id", "key", "code"];
const labelNames = ["label", "name", "title", "text"];

/** A choice of an OPTION property. */
export interface Option {
  readonly code: string | number;
  readonly label?: string;
}

/**
 * The choices of an OPTION property in their order, if its `config` contains a recognizable list: an array under
 * `options`, `values`, `choices` or `items` whose entries have a code, or are codes. The specification does not show the
 * shape of `config`.
 */
export function optionList(definition: PropertyDefinition): readonly Option[] {
  if (propertyRule(definition.type)?.refersTo !== "options") return [];
  const config = definition.config ?? {};
  const list: readonly unknown[] = listNames.map((name) => config[name]).find(Array.isArray) ?? [];
  return list.flatMap((entry) => {
    const code = isCode(entry) ? entry : member(entry, codeNames);
    const label = member(entry, labelNames);
    return isCode(code) ? [typeof label === "string" ? { code, label } : { code }] : [];
  });
}

/** The possible values of a column with some definitions, in their order: codes, and the labels that may replace them. */
export function listedChoices(definitions: readonly PropertyDefinition[]): readonly string[] {
  const options = definitions.flatMap(optionList);
  return [...new Set(options.flatMap(({ code, label }) => [String(code), ...(label === undefined ? [] : [label])]))];
}

/** The labels of an OPTION property by code, for choices that have both. */
export function optionLabels(definition: PropertyDefinition): ReadonlyMap<unknown, string> | undefined {
  const labels = new Map<unknown, string>();
  for (const { code, label } of optionList(definition)) if (label !== undefined) labels.set(code, label);
  return labels.size > 0 ? labels : undefined;
}

/** A value with codes replaced by their labels, including in an array; unknown codes remain. */
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

function isCode(code: unknown): code is string | number {
  return typeof code === "string" || typeof code === "number";
}
