import type { PropertyChange } from "../../../api/resources.js";
import { HOUR, instant, PRESENT } from "../base/instant.js";
import { itemAt } from "../base/item-at.js";
import type { Edit } from "./edit.js";
import { propertyChange } from "./property-change.js";

const START = instant("2023-01-01");
const HOURS = Math.ceil((PRESENT - START) / HOUR) + 1;

/**
 * The log in insertion order, without holding it: an index says which features have an edit in which hour,
 * and each hour's edits are computed again from those features, then sorted.
 *
 * @param featureCount number of features
 * @param editsOf the edits of the feature with that index
 */
export function* changeLog(
  featureCount: number,
  editsOf: (index: number) => readonly Edit[],
): Generator<PropertyChange, void, undefined> {
  const { features, ends } = indexByHour(featureCount, editsOf);
  for (let hour = 0; hour < HOURS; hour++) {
    const first = hour === 0 ? 0 : itemAt(ends, hour - 1);
    const changes: PropertyChange[] = [];
    for (const feature of new Set(features.subarray(first, itemAt(ends, hour)))) {
      for (const edit of editsOf(feature)) if (hourOf(edit) === hour) changes.push(propertyChange(edit));
    }
    yield* changes.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** A counting sort of (hour, feature) over all edits. */
function indexByHour(
  featureCount: number,
  editsOf: (index: number) => readonly Edit[],
): { features: Uint32Array; ends: Uint32Array } {
  const counts = new Uint32Array(HOURS);
  for (let feature = 0; feature < featureCount; feature++) {
    for (const edit of editsOf(feature)) counts[hourOf(edit)] = itemAt(counts, hourOf(edit)) + 1;
  }
  const ends = new Uint32Array(HOURS);
  let total = 0;
  for (let hour = 0; hour < HOURS; hour++) {
    ends[hour] = total;
    total += itemAt(counts, hour);
  }
  const features = new Uint32Array(total);
  for (let feature = 0; feature < featureCount; feature++) {
    for (const edit of editsOf(feature)) {
      const slot = itemAt(ends, hourOf(edit));
      features[slot] = feature;
      ends[hourOf(edit)] = slot + 1;
    }
  }
  return { features, ends };
}

function hourOf(edit: Edit): number {
  return Math.floor((edit.insertedAt - START) / HOUR);
}
