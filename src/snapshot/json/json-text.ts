import { deepJson } from "../../core/json/json.js";

/**
 * A JSON value as compact text. Unlike `JSON.stringify`, it keeps what `JSON.parse` can give: `-0`, and the infinity
 * that a number like `1e400` becomes.
 */
export function jsonText(value: unknown): string {
  try {
    return hasOddNumber(value) ? exactText(value) : JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJson(value, exactText);
  }
}

function hasOddNumber(value: unknown): boolean {
  if (typeof value === "number") return isOdd(value);
  if (Array.isArray(value)) return value.some(hasOddNumber);
  return typeof value === "object" && value !== null && Object.values(value).some(hasOddNumber);
}

function isOdd(value: number): boolean {
  return Object.is(value, -0) || value === Infinity || value === -Infinity;
}

function exactText(value: unknown): string {
  if (typeof value === "number" && isOdd(value)) return value === 0 ? "-0" : value > 0 ? "1e999" : "-1e999";
  if (Array.isArray(value)) return `[${value.map(exactText).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${exactText(item)}`).join()}}`;
}
