import type { DeclaredType } from "../tables/types/declared-type.js";
import type { NamedColumn } from "./name-columns.js";

/** What is declared of a property column: the type of its definition, of the first one where several are merged. */
export function propertyType({ keys }: NamedColumn): DeclaredType {
  const definition = keys.find((key) => key.definition)?.definition;
  return { of: "property", type: definition?.type, key: keys[0]?.key };
}
