import type { ResolvedFilters } from "../../api/params.js";
import type { Finding } from "../../core/finding.js";

/**
 * The features that were asked for and of which no change came. Specification: propertyChanges, rule 1: a feature
 * that the caller cannot access yields no rows and no error, like one that was never edited.
 */
export function silentFeatures(filters: ResolvedFilters, changes: readonly object[]): readonly Finding[] {
  const asked = filters.get("layer_feature_id") ?? [];
  const came = new Set(changes.map((change) => ("layer_feature_id" in change ? change.layer_feature_id : undefined)));
  const silent = asked.filter((id) => typeof id === "number" && !came.has(id));
  if (silent.length === 0) return [];
  const narrowed = filters.has("property_key");
  return [
    {
      code: "features-without-changes",
      message:
        `${silent.length} of ${asked.length} layer features came without ${narrowed ? "changes of these properties" : "changes"}: ` +
        "they were never edited, or the key cannot access them; the log does not tell which. " +
        "Features that layerFeatures lists for the same key are accessible.",
      count: silent.length,
      facts: { layer_feature_id: silent, narrowed },
    },
  ];
}
