import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { sameJson } from "../../core/json/json.js";
import { nearestName } from "../../core/nearest-name.js";
import type { Origin } from "../../core/origin.js";
import { type Provenance, provenanceOf } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { jsonText } from "../../tables/export/json-text.js";
import { bytesText } from "./bytes-text.js";
import type { ToolArguments } from "./tool-arguments.js";
import type { Found } from "./tools.js";

/** Which rows of a result are given. */
export interface RowBounds {
  /** The most rows of one answer. */
  readonly maxRows: number;
}

/** An answer as JSON: a part of a table, where it comes from, and what to know of it. */
export interface ToolAnswer {
  readonly columns: readonly string[];
  /** Values in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** Rows of the whole result; absent where they were not counted. */
  readonly rowCount?: number;
  /** Where the next rows begin; absent if these are the last. */
  readonly nextOffset?: number;
  readonly provenance: { readonly origin: Origin; readonly generation?: number; readonly readAt: string } | null;
  readonly findings: readonly Pick<Finding, "code" | "message" | "count">[];
}

const DEFAULT_ROWS = 50;
const MOST_TEXT = 100_000;
const MOST_CELL = 2000;
const MOST_FINDINGS = 20;

/**
 * Gives a part of a table.
 *
 * @throws ArgumentError for columns that it does not have
 */
export function toolAnswer(
  { table, findings, isCut = false, leftOut = 0 }: Found,
  { columns, where = {}, limit = DEFAULT_ROWS, offset = 0 }: ToolArguments,
  { maxRows }: RowBounds,
): ToolAnswer {
  const names = shownNames(table, columns);
  const wanted = Object.entries(where);
  checkNames(
    table,
    wanted.map(([name]) => name),
  );
  const passing = Array.from(table.indices()).filter((row) =>
    wanted.every(([name, value]) => isWanted(table.column(name)?.at(row) ?? null, value)),
  );
  const rows: unknown[][] = [];
  let length = 0;
  const first = offset - leftOut;
  for (const row of passing.slice(first, first + Math.min(limit, maxRows))) {
    const values = names.map((name) => shownValue(table.column(name)?.at(row)));
    length += jsonText(values).length;
    if (rows.length > 0 && length > MOST_TEXT) break;
    rows.push(values);
  }
  const next = first + rows.length;
  return {
    columns: names,
    rows,
    // Behind the end nobody counted.
    ...(isCut || (leftOut > 0 && passing.length === 0) ? {} : { rowCount: leftOut + passing.length }),
    ...(next < passing.length || isCut ? { nextOffset: leftOut + next } : {}),
    provenance: shownProvenance(provenanceOf(table)),
    findings: shownFindings(findings),
  };
}

/** Geometries are long, and only given where they are asked for. */
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
  const meant = nearestName(unknown, all);
  throw new ArgumentError(`The result has no column ${showValue(unknown)}.`, {
    hint: meant === undefined ? `It has: ${all.join(", ")}.` : `Did you mean ${showValue(meant)}?`,
    facts: { column: unknown },
  });
}

function isWanted(value: unknown, wanted: unknown): boolean {
  const comparable = value instanceof Date ? value.toISOString() : value;
  return (Array.isArray(wanted) ? wanted : [wanted]).some((one) => sameJson(comparable, one));
}

/** A value as JSON has it. What is very long is cut, and says so. */
function shownValue(value: unknown): unknown {
  const plain: unknown = plainValue(value);
  const text = typeof plain === "string" ? plain : typeof plain === "object" && plain ? jsonText(plain) : "";
  return text.length > MOST_CELL ? `${text.slice(0, MOST_CELL)}… (${text.length} characters)` : plain;
}

/** Bytes become text wherever they stand. */
function plainValue(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (Array.isArray(value)) return value.map((item) => (item instanceof Object ? plainValue(item) : item) as unknown);
  if (!(value instanceof Object) || value instanceof Date) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, item instanceof Object ? plainValue(item) : (item as unknown)]),
  );
}

function shownProvenance(provenance: Provenance | undefined): ToolAnswer["provenance"] {
  if (!provenance) return null;
  const { origin, generation, readAt } = provenance;
  return { origin, ...(generation === undefined ? {} : { generation }), readAt: readAt.toISOString() };
}

function shownFindings(findings: readonly Finding[]): ToolAnswer["findings"] {
  const byMessage = new Map(findings.map((finding) => [finding.message, finding]));
  const shown = [...byMessage.values()].map(({ code, message, count }) => ({
    ...{ code, message },
    ...(count === undefined ? {} : { count }),
  }));
  if (shown.length <= MOST_FINDINGS) return shown;
  const left = shown.length - MOST_FINDINGS;
  return [...shown.slice(0, MOST_FINDINGS), { code: "more-findings", message: `There are ${left} more findings.` }];
}
