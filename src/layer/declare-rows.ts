import type { PropertyDefinition } from "../api/resources.js";
import { countTypes, type ValueType } from "../columns/column/count-types.js";
import { type DefinitionKind, definitionKind } from "../columns/types/definition-kind.js";
import type { Layer } from "./layer.js";
import type { ColumnSchema } from "./layer-data.js";
import { optionLabels, optionList } from "./option-labels.js";

/**
 * The TypeScript of an interface for the rows of a layer: a member for each property column, by what its definitions say and
 * what its values are. A value that contradicts its definition widens the type, so that what is there is always of it.
 *
 * @param name of the interface
 * @param what the layer represents
 * @param isLabelled whether the layer was read with labels in place of option codes
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
  const what = { "built-in": "Built-in", unresolved: "Without definition", definition: type, base: type }[source];
  return description === undefined ? `${what}.` : `${what}: ${description}`;
}

/** Text that cannot end the comment in which it stands. */
function comment(text: string): string {
  return text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ");
}

function valueType(layer: Layer, { column, definitions }: ColumnSchema, isLabelled: boolean): string {
  const values = layer.table.column(column) ?? [];
  const defined = definitions.flatMap((definition) => definedTypes(definition, isLabelled));
  const seen = countTypes(values);
  const isCovered = (type: ValueType) => {
    if (type === "null") return true;
    const covering: Readonly<Record<string, readonly string[]>> = {
      json: ["readonly ", "unknown"],
      string: ["string", '"'],
      number: ["number"],
      boolean: ["boolean"],
    };
    return defined.some(
      (text) => covering[type]?.some((start) => text.startsWith(start)) || (type === "number" && /^-?\d/.test(text)),
    );
  };
  const odd = (Object.keys(seen) as ValueType[]).filter((type) => seen[type] > 0 && !isCovered(type));
  const types = [...defined, ...odd.map((type) => (type === "json" ? "unknown" : type))];
  const choices = new Set(defined.filter((text) => text.startsWith('"')));
  if (choices.size > 0 && hasOther(values, choices)) types.push("(string & {})");
  if (types.includes("unknown") || types.length === 0) return "unknown";
  return [...new Set(types), "null"].join(" | ");
}

/** What JSON has for a kind of values. */
const typeOf: Readonly<Record<DefinitionKind["one"], string>> = {
  integer: "number",
  number: "number",
  boolean: "boolean",
  text: "string",
  date: "string",
  instant: "string",
};

function definedTypes(definition: PropertyDefinition, isLabelled: boolean): readonly string[] {
  if (definition.type === "RELATIONSHIP") return ["number", "readonly number[]"];
  if (definition.type !== "OPTION") {
    const kind = definitionKind(definition.type);
    return kind ? [typeOf[kind.one]] : /^(DATE|TIME)/.test(definition.type) ? ["string"] : [];
  }
  const labels = isLabelled ? optionLabels(definition) : undefined;
  const choices = optionList(definition).map(({ code }) => JSON.stringify(labels?.get(code) ?? code));
  return choices.length > 0 ? [...choices, `readonly (${[...new Set(choices)].join(" | ")})[]`] : ["string"];
}

/** Whether a column has a text that is none of the choices. */
function hasOther(values: Iterable<unknown>, choices: ReadonlySet<string>): boolean {
  for (const value of values) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "string" && !choices.has(JSON.stringify(one))) return true;
    }
  }
  return false;
}
