import type { PropertyDefinition } from "../api/resources.js";
import { compareText } from "../core/json.js";
import { isUuid } from "../core/uuid.js";

/** Kind of a property key: built-in name, UUID with a definition, or UUID without one. */
type KeySource = "built-in" | "definition" | "unresolved";

/** A property key with its definition. */
export interface PropertyKey {
  readonly key: string;
  readonly source: KeySource;
  readonly definition: PropertyDefinition | undefined;
}

/** Returns the definition of a key. UUIDs are the same in either case. */
export type KeyResolver = (key: string) => PropertyKey;

/**
 * Resolves keys against the definitions of all datasets: features inherit definitions from parent datasets, so the
 * feature's own dataset is not enough. Specification: Layer feature.
 */
export function keyResolver(definitions: readonly PropertyDefinition[]): KeyResolver {
  const byId = new Map<string, PropertyDefinition>();
  for (const definition of [...definitions].sort(byDataset)) {
    const id = canonicalKey(definition.id);
    if (!byId.has(id)) byId.set(id, definition);
  }
  return (key) => {
    const definition = byId.get(canonicalKey(key));
    const source = definition ? "definition" : isUuid(key) ? "unresolved" : "built-in";
    return { key, source, definition };
  };
}

/** The comparable form of a key: UUIDs in lower case, built-in keys unchanged. */
export function canonicalKey(key: string): string {
  return isUuid(key) ? key.toLowerCase() : key;
}

function byDataset(a: PropertyDefinition, b: PropertyDefinition): number {
  return a.dataset_id - b.dataset_id || compareText(a.id, b.id);
}
