import { canonicalJson } from "../../../src/core/json.js";
import type { LayerFeature, PropertyChange } from "../../../src/index.js";

/** One state as whole lists of records. */
export interface NaiveState {
  readonly layerFeatures: readonly LayerFeature[];
  readonly propertyChanges: readonly PropertyChange[];
}

/** What differs between the states `from` and `to` of a folder, by going through everything. */
export function naiveDiff(states: readonly NaiveState[], from: number, to: number) {
  const [old, now] = [states[from], states[to]];
  if (!old || !now) throw new TypeError("no such state");
  const earlier = new Set(states.slice(0, from).flatMap(({ layerFeatures }) => layerFeatures.map(({ id }) => id)));
  const before = new Map(old.layerFeatures.map((feature) => [feature.id, feature]));
  const after = new Map(now.layerFeatures.map((feature) => [feature.id, feature]));
  const rows: [number, string][] = [];
  for (const id of [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b)) {
    const [a, b] = [before.get(id), after.get(id)];
    if (!b) rows.push([id, "gone"]);
    else if (!a) rows.push([id, earlier.has(id) ? "returned" : "new"]);
    else if (canonicalJson(a) !== canonicalJson(b)) rows.push([id, "changed"]);
  }
  // The log of a feature that is gone stays.
  const known = logUpTo(states, from);
  return { features: rows, changes: [...logUpTo(states, to)].filter((id) => !known.has(id)).sort() };
}

function logUpTo(states: readonly NaiveState[], state: number): ReadonlySet<string> {
  return new Set(states.slice(0, state + 1).flatMap(({ propertyChanges }) => propertyChanges.map(({ id }) => id)));
}
