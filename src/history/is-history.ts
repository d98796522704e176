import type { History } from "../layer/layer.js";

/** Marks histories, so that `isHistory()` recognizes them even if their class is not loaded. */
export const historyBrand: unique symbol = Symbol.for("siteframe.history");

/**
 * Returns whether a value is a history. Unlike `instanceof History`, the check does not load the class and its
 * dependencies.
 */
export function isHistory(value: unknown): value is History {
  return typeof value === "object" && value !== null && historyBrand in value;
}
