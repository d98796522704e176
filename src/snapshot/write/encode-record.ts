import { checkRecord, type Violation } from "../../api/check-record.js";
import { exactUs } from "../../core/instant.js";
import { canonicalJson } from "../../core/json/json.js";
import { nestsDeeper } from "../../core/json/nests-deeper.js";
import { showValue } from "../../core/show-value.js";
import { canonicalKey } from "../../layer/property-key.js";
import type { TableColumn, TableSchema } from "../format/table-schema.js";
import { compactJson } from "../json/compact-json.js";
import { jsonText } from "../json/json-text.js";
import { propertyTexts } from "./property-texts.js";

/** A record as an object, or as the JSON text that the API sent. Text keeps numbers as they were written. */
export type RecordInput = object | string;

/** A value of a typed column. Instants are microseconds since 1970. */
export type ColumnValue = bigint | number | string | boolean | null;

/** A record as a row of its table. */
export interface EncodedRecord {
  /** The record's JSON text, compact, otherwise as it came. */
  readonly text: string;
  /** One value for each column of the table. */
  readonly values: readonly ColumnValue[];
}

/** Why a record cannot be stored. */
export interface RecordProblem {
  readonly problem: string;
}

/**
 * Turns a record into a row, or says why it is none.
 *
 * @param onImpossible is told of a timestamp that names no time that exists, and may throw; the typed column then is
 * null, and the record's text keeps what came. Without it such a record is none.
 */
export function encodeRecord(
  schema: TableSchema,
  input: RecordInput,
  onImpossible?: (violation: Violation) => void,
): EncodedRecord | RecordProblem {
  try {
    return encode(schema, input, onImpossible);
  } catch (error) {
    // Whoever walks through a value that nests without end meets the end of the stack.
    if (!(error instanceof RangeError)) throw error;
    return { problem: TOO_DEEP };
  }
}

const TOO_DEEP = "nests arrays and objects too deeply to be stored";
/** The parser takes minutes for millions. */
const DEEPEST = 100_000;

function encode(
  schema: TableSchema,
  input: RecordInput,
  onImpossible?: (violation: Violation) => void,
): EncodedRecord | RecordProblem {
  let record: unknown = input;
  if (typeof input === "string") {
    if (input.length > DEEPEST && nestsDeeper(input, DEEPEST)) return { problem: TOO_DEEP };
    try {
      record = JSON.parse(input);
    } catch (error) {
      return { problem: `is no JSON: ${jsonReason(error)}` };
    }
  }
  const violation = checkRecord(schema.resource, record);
  if (violation) return { problem: `${violation.path.slice(1) || "the record"}: ${violation.message}` };
  const text = typeof input === "string" ? compactJson(input) : jsonText(input);
  const fields = record as Readonly<Record<string, unknown>>;
  const values: ColumnValue[] = [];
  for (const column of schema.columns) {
    const value = columnValue(column, fields[column.name]);
    if (value === undefined) {
      const message = `expected a ${column.field}, got ${showValue(fields[column.name])} (id ${showValue(fields["id"])})`;
      if (column.field !== "timestamp" || !onImpossible) return { problem: `${column.name}: ${message}` };
      onImpossible({ path: `.${column.name}`, message });
    }
    values.push(value ?? null);
  }
  return { text, values };
}

function columnValue(column: TableColumn, value: unknown): ColumnValue | undefined {
  if (value === null || value === undefined) return null;
  switch (column.field) {
    case "json":
      return canonicalJson(value);
    case "object":
      return propertyTexts(value);
    case "integer":
      return Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
    case "timestamp": {
      const us = typeof value === "string" ? exactUs(value) : undefined;
      return us === undefined ? undefined : BigInt(us);
    }
    case "uuid":
      return typeof value === "string" ? value.toLowerCase() : undefined;
    case "number":
      return typeof value === "number" ? value : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    default:
      if (typeof value !== "string") return undefined;
      return column.form === "key" ? canonicalKey(value) : value;
  }
}

/** The parser's message without the line itself, which may hold person data. */
function jsonReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, (?:\.\.\. ?)?".*$/s, "").replace(/ "[^"]*"\.\.\. is not valid JSON$/s, "");
}
