import type { JsonObject, LayoutDefinition, LayoutProperty, LayoutSection } from "../../src/api/contract.js";
import { uuidV5 } from "../base/random.js";

/** A custom property, with the key of the dataset that defines it. */
export interface Definition {
  readonly id: string;
  readonly dataset: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly config: JsonObject;
}

interface Details {
  readonly description?: string;
  readonly config?: JsonObject;
}

/** Defines a property of a dataset; its UUID follows from the dataset's key and the name. */
export function define(dataset: string, name: string, type: string, details: Details = {}): Definition {
  const { description = null, config = {} } = details;
  return { id: uuidV5(`${dataset}/${name}`), dataset, name, type, description, config };
}

/** Of a number: the unit, as a symbol. */
export function unit(symbol: string): Details {
  return { config: { unit: symbol } };
}

/** Of a relationship: what the features that it names represent. */
export function linkTo(semanticType: string): Details {
  return { config: { semantic_type: semanticType } };
}

/** Defines a choice: codes and their labels, in the order of the list. */
export function defineOption(dataset: string, name: string, labels: Readonly<Record<string, string>>): Definition {
  const options = Object.entries(labels).map(([value, label]) => ({ value, label }));
  return define(dataset, name, "OPTION", { config: { options } });
}

export function section(header: string | null, definitions: readonly Definition[]): LayoutSection {
  return header === null
    ? { type: "SECTION", items: definitions.map(property) }
    : { type: "SECTION", header, items: definitions.map(property) };
}

function property(definition: Definition): LayoutProperty {
  return { type: "PROPERTY", property_definition_id: definition.id };
}

/** A layout of sections and single properties. */
export function layout(...items: readonly (LayoutSection | Definition)[]): LayoutDefinition {
  return { items: items.map((item) => ("items" in item ? item : property(item))) };
}

/** Built-in property keys: they are their own names and have no definition. */
export const STATUS = "STATUS";
export const ASSIGNEE = "ASSIGNEE";
export const PRIORITY = "PRIORITY";
export const DUE_DATE = "DUE_DATE";
export const PROGRESS = "PROGRESS";
export const VOLUME = "VOLUME";
