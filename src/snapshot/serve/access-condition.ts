import type { ResourceName } from "../../api/resources.js";
import { siteRule } from "../../api/site-rule.js";
import { whereIn } from "../database/where.js";
import { servedTable } from "./served-tables.js";
import type { Access } from "./snapshot-store.js";

/** The SQL condition that a row of a resource is visible to a key. Specification: Authentication. */
export function whereVisible(resource: ResourceName, access: Access): string {
  if (!access.siteIds) return "true";
  const { by, of, shared } = siteRule(resource);
  if (of) return `${by} IN (SELECT id FROM ${servedTable(of)} WHERE ${whereVisible(of, access)})`;
  const onSite = whereIn(by, access.siteIds);
  return shared ? `(${by} IS NULL OR ${onSite})` : onSite;
}
