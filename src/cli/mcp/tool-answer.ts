import type { JSONObject } from "@modelcontextprotocol/server";
import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { canonicalJson } from "../../core/json.js";
import { nameHint } from "../../core/nearest-name.js";
import { type Origin, type Provenance, provenanceOf } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { jsonText } from "../../tables/export/export-values.js";
import { answerLimits, requestLimits, type ToolArguments } from "./tool-arguments.js";

/** Result of a tool. */
export interface ToolResult {
  readonly table: ColumnTable;
  readonly diagnostics: readonly Diagnostic[];
  /** Additional tables, by name. */
  readonly parts?: ReadonlyMap<string, ColumnTable>;
  /** Additional numbers and strings, by name. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Whether there are more rows than the table has, which were not counted. */
  readonly isCut?: boolean;
  /** Count of rows before those of the table that were skipped already. Default: 0. */
  readonly leftOut?: number;
  /** Whether geometries were requested by name. Default: false. */
  readonly hasGeometries?: boolean;
}

/** Which rows of a result are returned. */
interface RowBounds {
  /** Maximum rows of one answer. */
  readonly maxRows: number;
}

/** Provenance in the form of answers. */
export type ShownProvenance = {
  readonly origin: Origin;
  readonly generation?: number;
  readonly readAt: string;
  readonly asOf?: string;
  readonly assumptions?: Readonly<Record<string, unknown>>;
} | null;

/** Diagnostics in the form of answers. */
export type ShownDiagnostics = readonly Pick<Diagnostic, "code" | "severity" | "message" | "count">[];

/** An answer as JSON: part of a table, its provenance and its diagnostics. */
interface ToolAnswer {
  readonly columns: readonly string[];
  /** Values in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** Rows of the whole result; absent if they were not counted. */
  readonly rowCount?: number;
  /** Offset of the next rows; absent after the last rows. */
  readonly nextOffset?: number;
  /** Row counts of additional tables. */
  readonly parts?: Readonly<Record<string, number>>;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly provenance: ShownProvenance;
  readonly diagnostics: ShownDiagnostics;
}

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;

/** Schema of an object without other properties. Each tool has its own, so that schemas stay short. */
export function objectSchema(properties: JSONObject, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object" as const, properties, required, additionalProperties: false };
}

/** JSON Schema of provenance and diagnostics. */
export const commonSchema: JSONObject = {
  provenance: {
    type: ["object", "null"],
    properties: {
      origin: { type: "object" },
      generation: integer,
      readAt: text,
      asOf: text,
      assumptions: { type: "object" },
    },
    required: ["origin", "readAt"],
    additionalProperties: false,
  },
  diagnostics: {
    type: "array",
    items: objectSchema({ code: text, severity: text, message: text, count: integer }, ["count"]),
  },
};

/** JSON Schema of an answer. */
export function outputSchema(parts: readonly string[], facts: readonly string[]) {
  const each = (names: readonly string[], schema: JSONObject) =>
    objectSchema(Object.fromEntries(names.map((name) => [name, schema])));
  return objectSchema(
    {
      columns: { type: "array", items: text },
      rows: { type: "array", items: { type: "array" } },
      rowCount: integer,
      nextOffset: integer,
      ...(parts.length > 0 && { parts: each(parts, integer) }),
      ...(facts.length > 0 && { facts: each(facts, { type: ["number", "string", "null"] }) }),
      ...commonSchema,
    },
    ["rowCount", "nextOffset"],
  );
}

const MOST_TEXT = 100_000;
const MOST_CELL = 2000;
const MOST_DIAGNOSTICS = 20;

/**
 * Returns part of a table.
 *
 * @throws ArgumentError for unknown columns, and for values that a column cannot have
 */
export function toolAnswer(
  { table: main, diagnostics, parts, facts, isCut = false, leftOut = 0, hasGeometries = false }: ToolResult,
  { columns, where = {}, part, limit = answerLimits.rows, offset = 0 }: ToolArguments,
  { maxRows }: RowBounds,
): ToolAnswer {
  const table = (part === undefined ? undefined : parts?.get(part)) ?? main;
  const names = hasGeometries ? table.columnNames() : shownNames(table, columns);
  if (names.length > requestLimits.columns) throw tooManyColumns(names.length);
  const conditions = Object.entries(where);
  checkNames(
    table,
    conditions.map(([name]) => name),
  );
  for (const [name, value] of conditions) checkComparable(table, name, value);
  const filters = conditions.map(([name, value]) => new ColumnFilter(table, name, value));
  const first = offset - leftOut;
  const { picked: rowIndices, count } = pickRows(table, filters, first, Math.min(limit, maxRows));
  // The values of the remaining rows are unknown.
  const unmatched = isCut || leftOut > 0 ? [] : filters.flatMap((filter) => filter.noMatches());
  const rows: unknown[][] = [];
  let length = 0;
  for (const row of rowIndices) {
    const values = names.map((name) => shownValue(table.column(name)?.at(row)));
    length += jsonText(values).length;
    if (rows.length > 0 && length > MOST_TEXT) break;
    rows.push(values);
  }
  const next = first + rows.length;
  return {
    columns: names,
    rows,
    // Rows after the end were not counted.
    ...(isCut || (leftOut > 0 && count === 0) ? {} : { rowCount: leftOut + count }),
    ...(next < count || isCut ? { nextOffset: leftOut + next } : {}),
    ...(parts ? { parts: Object.fromEntries([...parts].map(([name, one]) => [name, one.numRows()])) } : {}),
    ...(facts ? { facts } : {}),
    provenance: shownProvenance(provenanceOf(table) ?? provenanceOf(main)),
    diagnostics: shownDiagnostics([...unmatched, ...diagnostics]),
  };
}

/** The returned rows in words, without data. */
export function rowsText({ rows, rowCount, nextOffset }: ToolAnswer): string {
  const all = rowCount === undefined ? "" : ` of ${rowCount}`;
  if (nextOffset === undefined) return `${rows.length}${all} rows, the last ones.`;
  return `${rows.length}${all} rows; more follow: use offset ${nextOffset}.`;
}

/** Geometries are long, and only returned if requested by name. */
function shownNames(table: ColumnTable, columns: readonly string[] | undefined): readonly string[] {
  const all = table.columnNames();
  if (!columns) return all.filter((name) => name !== "geometry");
  checkNames(table, columns);
  const first = ["id", "visible_id"].filter((name) => all.includes(name));
  return [...new Set([...first, ...columns])];
}

function checkNames(table: ColumnTable, names: readonly string[]): void {
  const all = table.columnNames();
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return;
  throw new ArgumentError(`The result has no column ${showValue(unknown)}.`, {
    hint: nameHint(unknown, all),
    facts: { column: unknown },
  });
}

/** An unsupported comparison such as `{ ">": 5 }` would return no rows, which is a different answer. */
function checkComparable(table: ColumnTable, name: string, expected: unknown): void {
  const object = [expected].flat().find(isObject);
  // The type of a column without rows is unknown.
  if (object === undefined || table.numRows() === 0) return;
  const column = table.column(name);
  if (Array.from(table.indices()).some((row) => isObject(column?.at(row)))) return;
  throw new ArgumentError(`where: ${showValue(object)} cannot equal a value of ${showValue(name)}.`, {
    hint: "Give a value or an array of values. Comparisons are not supported.",
    facts: { column: name },
  });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns part of the matching rows, and their count. */
function pickRows(table: ColumnTable, filters: readonly ColumnFilter[], first: number, most: number) {
  const rows = table.indices();
  if (filters.length === 0) return { picked: rows.slice(first, first + most), count: rows.length };
  const rowIndices: number[] = [];
  let count = 0;
  for (const row of rows) {
    if (!filters.every((filter) => filter.includes(row))) continue;
    if (count >= first && rowIndices.length < most) rowIndices.push(row);
    count += 1;
  }
  return { picked: rowIndices, count };
}

/** Maximum count of distinct values that are searched for a similar one. */
const MOST_MEANT = 10_000;

/** Rows whose value in a column is one of several values. Arrays and objects are compared by content. */
class ColumnFilter {
  readonly #table: ColumnTable;
  readonly #name: string;
  readonly #expected: readonly unknown[];
  readonly #set: JsonSet;

  constructor(table: ColumnTable, name: string, expected: unknown) {
    this.#table = table;
    this.#name = name;
    this.#expected = [expected].flat();
    this.#set = new JsonSet(this.#expected);
  }

  includes(row: number): boolean {
    return this.#set.has(this.#value(row));
  }

  /** Diagnostics for values without rows, since an empty answer may be caused by a different spelling. */
  noMatches(): readonly Diagnostic[] {
    const rows = this.#table.indices();
    if (rows.length === 0) return [];
    const missing = new JsonSet(this.#expected);
    for (const row of rows) missing.delete(this.#value(row));
    if (missing.values.length === 0) return [];
    const values = new Set<unknown>();
    for (const row of rows) {
      if (values.size === MOST_MEANT) break;
      const value = this.#value(row);
      if (!(value instanceof Object)) values.add(value);
    }
    return missing.values.map((one, index) => {
      const meant = index < MOST_DIAGNOSTICS ? sameText(one, values) : undefined;
      const hint = meant === undefined ? "" : ` Did you mean ${showValue(meant)}?`;
      return withSeverity({
        code: "match-missing",
        message: `where: no row has ${showValue(one)} in ${showValue(this.#name)}.${hint}`,
      });
    });
  }

  #value(row: number): unknown {
    return this.#table.column(this.#name)?.at(row) ?? null;
  }
}

/** A set of JSON values. Arrays and objects are compared by content, instants by their strings. */
class JsonSet {
  readonly #plain = new Set<unknown>();
  readonly #objects = new Map<string, unknown>();

  constructor(values: readonly unknown[]) {
    for (const value of values) {
      if (isComposite(value)) this.#objects.set(canonicalJson(value), value);
      else this.#plain.add(value);
    }
  }

  get values(): readonly unknown[] {
    return [...this.#plain, ...this.#objects.values()];
  }

  has(value: unknown): boolean {
    return isComposite(value) ? this.#objects.has(canonicalJson(value)) : this.#plain.has(plainText(value));
  }

  delete(value: unknown): void {
    if (isComposite(value)) this.#objects.delete(canonicalJson(value));
    else this.#plain.delete(plainText(value));
  }
}

function isComposite(value: unknown): value is object {
  return value instanceof Object && !(value instanceof Date);
}

function plainText(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** The value with the same string, such as 101 for "101". Other values may be personal data. */
function sameText(one: unknown, values: ReadonlySet<unknown>): unknown {
  if (typeof one === "object") return undefined;
  return [...values].find((value) => String(value) === String(one));
}

function tooManyColumns(count: number): ArgumentError {
  const { columns: most } = requestLimits;
  return new ArgumentError(`The answer has ${count} columns; the maximum is ${most}.`, {
    hint: 'Select columns: {"columns": ["…"]}.',
    facts: { limit: most },
  });
}

/** A value as JSON. Very long values are cut and marked. */
function shownValue(value: unknown): unknown {
  const plain: unknown = plainValue(value);
  const text = typeof plain === "string" ? plain : typeof plain === "object" && plain ? jsonText(plain) : "";
  return text.length > MOST_CELL ? `${text.slice(0, MOST_CELL)}… (${text.length} characters)` : plain;
}

/** Converts bytes to strings at any depth. */
function plainValue(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (Array.isArray(value)) return value.map((item) => (item instanceof Object ? plainValue(item) : item) as unknown);
  if (!(value instanceof Object) || value instanceof Date) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, item instanceof Object ? plainValue(item) : (item as unknown)]),
  );
}

/** Provenance in the form of answers. */
export function shownProvenance(provenance: Provenance | undefined): ShownProvenance {
  if (!provenance) return null;
  const { origin, generation, readAt, asOf, assumptions } = provenance;
  return {
    origin,
    ...(generation === undefined ? {} : { generation }),
    readAt: readAt.toISOString(),
    ...(asOf === undefined ? {} : { asOf }),
    ...(assumptions === undefined ? {} : { assumptions }),
  };
}

/** Each diagnostic once, up to a limit. */
export function shownDiagnostics(diagnostics: readonly Diagnostic[]): ShownDiagnostics {
  const byMessage = new Map(diagnostics.map((diagnostic) => [diagnostic.message, diagnostic]));
  const distinct = [...byMessage.values()].map(({ code, severity, message, count }) => ({
    ...{ code, severity, message },
    ...(count === undefined ? {} : { count }),
  }));
  if (distinct.length <= MOST_DIAGNOSTICS) return distinct;
  const left = distinct.length - MOST_DIAGNOSTICS;
  return [
    ...distinct.slice(0, MOST_DIAGNOSTICS),
    withSeverity({ code: "diagnostics-truncated", message: `${left} more diagnostics not shown.` }),
  ];
}

/** Bytes as a string of SQL, as DuckDB shows a BLOB: `ab\x00\xFF`. */
function bytesText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const sign = String.fromCharCode(byte);
    return /[ -~]/.test(sign) && !/['"\\]/.test(sign) ? sign : `\\x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
