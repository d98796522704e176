import { checkRecord, type Violation } from "../../api/check-record.js";
import type { ResourceName } from "../../api/resources.js";
import { MAX_DEPTH } from "../../core/depth.js";
import { SnapshotError } from "../../core/errors.js";
import { exactUs } from "../../core/instant.js";
import { canonicalJson, deepOffset, jsonPath, valueNestsDeeper } from "../../core/json.js";
import { showTimeOrNumber, valueKind } from "../../core/show-record-value.js";
import { isUuid } from "../../core/uuid.js";
import { canonicalKey } from "../../layer/property-key.js";
import { boxSides } from "../../tables/export/geoparquet.js";
import { sharedWkb } from "../../tables/export/wkb.js";
import type { TableColumn, TableSchema } from "../format/table-schema.js";
import { compactJson, jsonText } from "../json/json-text.js";

/** A record as an object, or as the API's JSON text, which keeps the notation of numbers. */
export type RecordInput = object | string;

/** Nesting of a value: the record and possibly its properties. */
const RECORD_DEPTH = 2;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** A value of a typed column. Instants are microseconds since 1970, geometries well-known binary. */
export type ColumnValue = bigint | number | string | boolean | Uint8Array | null;

/** A record as a row of its table. */
export interface EncodedRecord {
  /** The record's JSON text, compact, otherwise unchanged. */
  readonly text: string;
  /** A value for each staging column, in the order of `stagingColumns`. */
  readonly values: readonly ColumnValue[];
}

/** Reason why a record cannot be stored. */
interface RecordProblem {
  readonly problem: string;
}

/**
 * Converts a record to a row, or returns the reason why it is invalid.
 *
 * @param onImpossible is called for a nonexistent timestamp, and may throw; the typed column is then null, and the
 * record's text keeps the original. Without it, such a record is invalid.
 */
export function encodeRecord(
  schema: TableSchema,
  input: RecordInput,
  onImpossible?: (violation: Violation) => void,
): EncodedRecord | RecordProblem {
  let record: unknown = input;
  if (typeof input === "string") {
    const deep = deepOffset(input, RECORD_DEPTH + MAX_DEPTH);
    if (deep !== undefined)
      return { problem: `${jsonPath(input, deep, RECORD_DEPTH).replace(/^\$\.?/, "")} ${TOO_DEEP}` };
    try {
      record = JSON.parse(input);
    } catch (error) {
      return { problem: `is not JSON: ${jsonReason(error)}` };
    }
  } else if (valueNestsDeeper(input, RECORD_DEPTH + MAX_DEPTH)) return { problem: TOO_DEEP };
  const violation = checkRecord(schema.resource, record);
  if (violation) return { problem: `${violation.path.slice(1) || "the record"}: ${violation.message}` };
  const text = typeof input === "string" ? compactJson(input) : jsonText(input);
  const fields = record as Readonly<Record<string, unknown>>;
  const values: ColumnValue[] = [];
  let geometry: ReturnType<typeof sharedWkb>;
  for (const column of schema.columns) {
    if (column.field === "geometry") {
      // The box is the next column, with a value for each side.
      if (column.boxOf === undefined) {
        geometry = sharedWkb(fields[column.name]);
        values.push(geometry?.bytes ?? null);
      } else values.push(...(geometry?.extent ?? noBox));
      continue;
    }
    const value = columnValue(column, fields[column.name]);
    if (value === undefined) {
      const given = fields[column.name];
      const valueText = column.field === "timestamp" ? showTimeOrNumber(given) : valueKind(given);
      const message = `expected a ${column.field}, got ${valueText}${idText(fields["id"])}`;
      if (column.field !== "timestamp" || !onImpossible) return { problem: `${column.name}: ${message}` };
      onImpossible({ path: `.${column.name}`, message });
    }
    values.push(value ?? null);
  }
  return { text, values };
}

/** The id of the service's records. Other ids may be names of persons. */
function idText(id: unknown): string {
  const isOfService = typeof id === "number" || (typeof id === "string" && isUuid(id));
  return isOfService ? ` (id ${id})` : "";
}

const noBox: readonly null[] = boxSides.map(() => null);

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

/** The parser's message without the line itself, which may contain person data. */
function jsonReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, (?:\.\.\. ?)?".*$/s, "").replace(/ "[^"]*"\.\.\. is not valid JSON$/s, "");
}

const HALF_PAIR = /\p{Surrogate}/gu;

/**
 * Returns the current values of a feature by key, both canonical, as the JSON text of an object of strings. Null values
 * are omitted; of two spellings of one key, the first with a value counts.
 */
function propertyTexts(properties: object): string {
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(properties)) {
    if (value === null) continue;
    const stored = storedKey(key);
    if (!texts.has(stored)) texts.set(stored, canonicalJson(value));
  }
  return `{${Array.from(texts, ([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`).join()}}`;
}

/** A property key in the form of the column: half of a surrogate pair, which has no UTF-8, becomes U+FFFD. */
export function storedKey(key: string): string {
  return canonicalKey(key).replace(HALF_PAIR, "\ufffd");
}

/** A record that cannot be stored, with its position. */
export interface BadRecord {
  readonly resource: ResourceName;
  /** File, or name of the table, with the record. */
  readonly path: string;
  /** Line in the file, or index in the table, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** The error for an invalid record, unless it may be skipped. */
export function badRecordError(bad: BadRecord): SnapshotError {
  return new SnapshotError(`${bad.path}:${bad.line}: ${bad.reason}.`, {
    hint: "Correct the record, or skip invalid records (skipBad, --skip-bad).",
    facts: { ...bad },
  });
}
