import type { History } from "../layer/layer.js";
import { historyBrand } from "./history-links.js";

/**
 * Returns whether a value is a history. Unlike `instanceof History`, the check does not load the class and its
 * dependencies.
 */
export function isHistory(value: unknown): value is History {
  return typeof value === "object" && value !== null && historyBrand in value;
}
