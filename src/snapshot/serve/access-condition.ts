import type { ResourceName } from "../../api/resources.js";
import { whereIn } from "../database/where.js";
import type { Access } from "./snapshot-store.js";

/** The SQL condition that a row of a resource is visible to a key. Specification: Authentication. */
export function whereVisible(resource: ResourceName, { siteIds }: Access): string {
  if (!siteIds) return "true";
  const onSite = whereIn("site_id", siteIds);
  switch (resource) {
    case "sites":
      return whereIn("id", siteIds);
    case "operations":
    case "layerFeatures":
      return onSite;
    case "datasets":
      return `(site_id IS NULL OR ${onSite})`;
    case "blocks":
      return `operation_id IN (SELECT id FROM served.operations WHERE ${onSite})`;
    case "propertyDefinitions":
      return `dataset_id IN (SELECT id FROM served.datasets WHERE site_id IS NULL OR ${onSite})`;
    case "propertyChanges":
      return `layer_feature_id IN (SELECT id FROM main.layer_features WHERE ${onSite})`;
  }
}
