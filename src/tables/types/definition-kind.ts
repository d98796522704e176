import { daysInMonth } from "../../core/days-in-month.js";
import { parseInstant } from "../../core/instant.js";

/** What a definition's type promises of each value. */
export interface DefinitionKind {
  /** What a column of such values is, where no value is an array. */
  readonly one: "integer" | "number" | "boolean" | "text" | "date" | "instant";
  /** What it is where some are arrays; absent if none may be. */
  readonly many?: "integers" | "texts";
  /** Whether a value is of the type. */
  accepts(value: unknown): boolean;
}

const number: DefinitionKind = { one: "number", accepts: (value) => typeof value === "number" };
const text: DefinitionKind = { one: "text", accepts: (value) => typeof value === "string" };
const instant: DefinitionKind = {
  one: "instant",
  accepts: (value) => typeof value === "string" && parseInstant(value) !== undefined,
};

/** Codes of options are texts or numbers, and several may be chosen. */
const option: DefinitionKind = {
  one: "text",
  many: "texts",
  accepts: (value) => isCode(value) || (Array.isArray(value) && value.every(isCode)),
};

/** Ids of features, which are integers. */
const relationship: DefinitionKind = {
  one: "integer",
  many: "integers",
  accepts: (value) => isInt64(value) || (Array.isArray(value) && value.every(isInt64)),
};

const kinds: Readonly<Record<string, DefinitionKind>> = {
  INTEGER: { one: "integer", accepts: isInt64 },
  FLOAT: number,
  DOUBLE: number,
  NUMBER: number,
  DECIMAL: number,
  BOOLEAN: { one: "boolean", accepts: (value) => typeof value === "boolean" },
  DATE: { one: "date", accepts: isDate },
  DATETIME: instant,
  TIMESTAMP: instant,
  STRING: text,
  TEXT: text,
  OPTION: option,
  RELATIONSHIP: relationship,
};

/**
 * What a definition's type promises; undefined for types that are not known, which the specification does not list
 * completely. Specification: Property definition.
 */
export function definitionKind(type: string | undefined): DefinitionKind | undefined {
  return type !== undefined && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** Whether a value is an integer that 64 bits hold. */
export function isInt64(value: unknown): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63;
}

/** Whether a value is a text `2025-06-30` of a day that exists. */
export function isDate(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return day > 0 && day <= daysInMonth(year, month);
}

function isCode(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}
