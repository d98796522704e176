import type { ChangeColumns } from "../../columns/read/change-columns.js";
import { ProtocolError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { canonicalKey } from "../../layer/property-key.js";
import { type ChangeLog, codeArray, NONE, narrowCodes } from "./change-log.js";
import { readCauses } from "./read-causes.js";
import { orderById } from "./tie-rule.js";
import { UuidColumn } from "./uuid-column.js";
import { ValueDictionary } from "./value-dictionary.js";

/** A log and what was found while it was read. */
export interface LogReading {
  /** The changes whose time is known. */
  readonly log: ChangeLog;
  /**
   * Every change; the same object where all times are known. It says which cells were ever changed, and no more: a
   * change that names no time stands at the beginning of 1970.
   */
  readonly whole: ChangeLog;
  readonly findings: readonly Finding[];
}

/**
 * Puts changes into order of insertion, with one code for equal values.
 *
 * @param rowOf row of a feature id; changes of other features are left out
 * @param strict whether a `created_at` that names no time that exists is an error; else its change is left out of the log
 * @throws ProtocolError naming the change, if strict
 */
export function logFromColumns(columns: ChangeColumns, rowOf: ReadonlyMap<number, number>, strict = true): LogReading {
  const known = Array.from({ length: columns.rowCount }, (_, row) => row).filter((row) =>
    rowOf.has(columns.featureIds[row] ?? NONE),
  );
  const undated = known.filter((row) => Number.isNaN(timeOf(columns, row)));
  if (strict) refuseUndated(columns, undated);
  const whole = logOf(columns, known, rowOf);
  const dated = undated.length === 0 ? known : known.filter((row) => !Number.isNaN(timeOf(columns, row)));
  return {
    log: undated.length === 0 ? whole : logOf(columns, dated, rowOf),
    whole,
    findings: [...timeFindings(columns), ...undatedFinding(columns, undated)],
  };
}

function logOf(columns: ChangeColumns, known: readonly number[], rowOf: ReadonlyMap<number, number>): ChangeLog {
  const idOf = (row: number) => String(columns.ids.at(row)).toLowerCase();
  const { rows, ids } = inInsertionOrder(known, known.map(idOf));
  const keys = recode(rows, columns.keys.codes, columns.keys.values, (key) => canonicalKey(String(key)));
  const users = recode(rows, columns.users.codes, columns.users.values, (user) => (user ?? null) as number | null);
  const values = new ValueDictionary([null]);
  const valueCodes = columns.values.values.map((value) => values.code(value));
  return {
    length: rows.length,
    ids: UuidColumn.from(ids),
    rows: Int32Array.from(rows, (row) => rowOf.get(columns.featureIds[row] ?? NONE) ?? NONE),
    keyCodes: keys.codes,
    keys: keys.values,
    valueCodes: narrowCodes(
      rows.map((row) => valueCodes[columns.values.codes[row] ?? 0] ?? 0),
      values.values.length,
    ),
    values: values.values,
    timesUs: Float64Array.from(rows, (row) => timeOf(columns, row) || 0),
    system: Uint8Array.from(rows, (row) => columns.system[row] ?? 0),
    userCodes: users.codes,
    users: users.values,
    ...readCauses(rows, columns.causes, ids),
  };
}

function inInsertionOrder(
  rows: readonly number[],
  ids: readonly string[],
): { readonly rows: readonly number[]; readonly ids: readonly string[] } {
  const order = orderById(ids);
  if (!order) return { rows, ids };
  return { rows: order.map((index) => rows[index] ?? NONE), ids: order.map((index) => ids[index] ?? "") };
}

/** The codes of some rows over values in their canonical form, each value once. */
function recode<T>(
  rows: readonly number[],
  codes: Int32Array,
  values: readonly unknown[],
  canonical: (value: unknown) => T,
): { readonly codes: ChangeLog["keyCodes"]; readonly values: readonly T[] } {
  const forms = values.map(canonical);
  const used = new Map<T, number>();
  const recoded = codeArray(forms.length, rows.length);
  rows.forEach((row, index) => {
    const form = forms[codes[row] ?? 0] as T;
    const code = used.get(form) ?? used.size;
    if (code === used.size) used.set(form, code);
    recoded[index] = code;
  });
  return { codes: recoded, values: [...used.keys()] };
}

function timeOf({ timesUs }: ChangeColumns, row: number): number {
  return timesUs[row] ?? Number.NaN;
}

function refuseUndated({ ids }: ChangeColumns, [row]: readonly number[]): void {
  if (row === undefined) return;
  const id = String(ids.at(row));
  throw new ProtocolError(
    `Property change ${id} has a created_at that names no time that exists.`,
    `$.data[${row}].created_at`,
    { hint: "With strict: false, such changes are left out and counted in a finding.", facts: { change_id: id } },
  );
}

/** Ids that a finding lists. */
const MOST_IDS = 100;

function undatedFinding({ ids }: ChangeColumns, undated: readonly number[]): Finding[] {
  const count = undated.length;
  if (count === 0) return [];
  return [
    {
      code: "impossible-timestamp",
      message: `${count} ${count === 1 ? "change names a time that does not exist and is" : "changes name times that do not exist and are"} left out; a value that no other change tells is unknown.`,
      count,
      facts: { change_ids: undated.slice(0, MOST_IDS).map((row) => String(ids.at(row))) },
    },
  ];
}

function timeFindings({ zoneless, rolledOver }: ChangeColumns): Finding[] {
  const findings: Finding[] = [];
  if (zoneless > 0) {
    const name = zoneless === 1 ? "change names" : "changes name";
    findings.push({
      code: "zoneless-timestamp",
      message: `${zoneless} ${name} no time zone; their times were read as UTC.`,
      count: zoneless,
    });
  }
  if (rolledOver > 0) {
    const were = rolledOver === 1 ? "change was" : "changes were";
    findings.push({
      code: "rolled-over-timestamp",
      message: `${rolledOver} ${were} made at a second 60 or at 24:00:00; their times were read as the beginning of the next second.`,
      count: rolledOver,
    });
  }
  return findings;
}
