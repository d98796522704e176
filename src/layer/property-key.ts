import type { PropertyDefinition } from "../api/resources.js";
import { compareText } from "../core/json.js";
import { isUuid } from "../core/uuid.js";

/** What a property key is: its own name, the UUID of a definition that was found, or a UUID without one. */
type KeySource = "built-in" | "definition" | "unresolved";

/** A property key with what is known of it. */
export interface PropertyKey {
  readonly key: string;
  readonly source: KeySource;
  readonly definition: PropertyDefinition | undefined;
}

/** Finds the definition of a key. UUIDs are the same in either case. */
export type KeyResolver = (key: string) => PropertyKey;

/**
 * Resolves keys against definitions of all datasets: features inherit definitions from parent datasets, so the
 * feature's own dataset is never enough. Specification: Layer feature.
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

/** The form of a key that compares: UUIDs in lower case, built-in keys as they are. */
export function canonicalKey(key: string): string {
  return isUuid(key) ? key.toLowerCase() : key;
}

function byDataset(a: PropertyDefinition, b: PropertyDefinition): number {
  return a.dataset_id - b.dataset_id || compareText(a.id, b.id);
}
