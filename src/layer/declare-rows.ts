import { columnKinds, propertyRule } from "../api/property-types.js";
import type { PropertyDefinition } from "../api/resources.js";
import { printableLine } from "../core/printable.js";
import { countTypes, type ValueType } from "../tables/column/column.js";
import type { Layer } from "./layer.js";
import type { ColumnSchema } from "./layer-data.js";
import { optionLabels, optionList } from "./option-labels.js";

/**
 * Returns a TypeScript interface for the rows of a layer: a member for each property column, typed by its definitions and
 * values. A value that contradicts its definition widens the type, so that the type fits all values.
 *
 * @param name of the interface
 * @param what name of the layer's features
 * @param isLabelled whether the layer was read with labels instead of option codes
 */
export function declareRows(name: string, what: string, layer: Layer, isLabelled: boolean): string {
  const members = layer.schema
    .filter(({ source }) => source !== "base")
    .flatMap((entry) => [
      `  /** ${comment(meaning(entry))} */`,
      `  readonly ${JSON.stringify(entry.column)}: ${valueType(layer, entry, isLabelled)};`,
    ]);
  return [
    `/** A feature of ${comment(what)}. */`,
    `export interface ${name} extends FeatureRow {`,
    ...members,
    "}",
  ].join("\n");
}

function meaning({ source, type, definitions }: ColumnSchema): string {
  const [description] = definitions.flatMap((definition) => definition.description || []);
  const what = {
    "built-in": "Built-in",
    unresolved: "Without definition",
    definition: type,
    base: type,
    derived: "Derived",
  }[source];
  return description === undefined ? `${what}.` : `${what}: ${description}`;
}

/** Text without the end of a comment. */
function comment(text: string): string {
  return printableLine(text.replaceAll("*/", "*\\/"));
}

function valueType(layer: Layer, { column, definitions }: ColumnSchema, isLabelled: boolean): string {
  const values = layer.table.column(column) ?? [];
  const defined = definitions.flatMap((definition) => definedTypes(definition, isLabelled));
  const seen = countTypes(values);
  const isCovered = (type: ValueType) => {
    if (type === "null") return true;
    const covering: Readonly<Record<string, readonly string[]>> = {
      string: ["string", '"'],
      number: ["number"],
      boolean: ["boolean"],
    };
    return defined.some(
      (text) => covering[type]?.some((start) => text.startsWith(start)) || (type === "number" && /^-?\d/.test(text)),
    );
  };
  const odd = (Object.keys(seen) as ValueType[]).filter((type) => seen[type] > 0 && !isCovered(type));
  if (defined.length === 0 && (odd.length === 0 || odd.includes("json"))) return "unknown";
  const choices = new Set(defined.filter((text) => text.startsWith('"')));
  const types = [...defined, ...odd.filter((type) => type !== "json")];
  if (seen.json > 0) types.push(...jsonTypes(values, choices, defined));
  if (choices.size > 0 && hasOther(values, choices)) types.push("(string & {})");
  return [...new Set(types), "null"].join(" | ");
}

/** Types of arrays and objects that are not already in a given type. */
function jsonTypes(
  values: Iterable<unknown>,
  choices: ReadonlySet<string>,
  defined: readonly string[],
): ReadonlySet<string> {
  const types = new Set<string>();
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) types.add("{ readonly [name: string]: unknown }");
    else if (choices.size === 0 || !value.every((one) => choices.has(JSON.stringify(one)))) types.add(arrayType(value));
  }
  for (const type of defined) types.delete(type);
  return types;
}

function arrayType(items: readonly unknown[]): string {
  if (items.every((one) => typeof one === "number")) return "readonly number[]";
  return items.every((one) => typeof one === "string") ? "readonly string[]" : "readonly unknown[]";
}

function definedTypes(definition: PropertyDefinition, isLabelled: boolean): readonly string[] {
  const rule = propertyRule(definition.type);
  if (!rule) return [];
  if (rule.refersTo !== "options") {
    const { json } = columnKinds[rule.kind];
    return rule.listKind ? [json, `readonly ${json}[]`] : [json];
  }
  const labels = isLabelled ? optionLabels(definition) : undefined;
  const choices = optionList(definition).map(({ code }) => JSON.stringify(labels?.get(code) ?? code));
  return choices.length > 0 ? [...choices, `readonly (${[...new Set(choices)].join(" | ")})[]`] : ["string"];
}

/** Whether a column has a string value, outside of arrays, that is not among the choices. */
function hasOther(values: Iterable<unknown>, choices: ReadonlySet<string>): boolean {
  for (const value of values) {
    if (typeof value === "string" && !choices.has(JSON.stringify(value))) return true;
  }
  return false;
}
