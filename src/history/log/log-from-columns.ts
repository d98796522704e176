import type { ChangeColumns } from "../../columns/read/change-columns.js";
import { ProtocolError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { canonicalKey } from "../../layer/property-key.js";
import { type ChangeLog, codeArray, NONE, narrowCodes } from "./change-log.js";
import { readCauses } from "./read-causes.js";
import { orderById } from "./tie-rule.js";
import { UuidColumn } from "./uuid-column.js";
import { ValueDictionary } from "./value-dictionary.js";

/**
 * Puts changes into order of insertion, with one code for equal values.
 *
 * @param rowOf row of a feature id; changes of other features are left out
 * @throws ProtocolError for a `created_at` that is no instant
 */
export function logFromColumns(
  columns: ChangeColumns,
  rowOf: ReadonlyMap<number, number>,
): { readonly log: ChangeLog; readonly findings: readonly Finding[] } {
  const known = Array.from({ length: columns.rowCount }, (_, row) => row).filter((row) =>
    rowOf.has(columns.featureIds[row] ?? NONE),
  );
  const idOf = (row: number) => String(columns.ids.at(row)).toLowerCase();
  const { rows, ids } = inInsertionOrder(known, known.map(idOf));
  const keys = recode(rows, columns.keys.codes, columns.keys.values, (key) => canonicalKey(String(key)));
  const users = recode(rows, columns.users.codes, columns.users.values, (user) => (user ?? null) as number | null);
  const values = new ValueDictionary([null]);
  const valueCodes = columns.values.values.map((value) => values.code(value));
  const log: ChangeLog = {
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
    timesUs: Float64Array.from(rows, (row) => timeOf(columns, row)),
    system: Uint8Array.from(rows, (row) => columns.system[row] ?? 0),
    userCodes: users.codes,
    users: users.values,
    ...readCauses(rows, columns.causes, ids),
  };
  return { log, findings: zonelessFinding(columns.zoneless) };
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

function timeOf({ timesUs, ids }: ChangeColumns, row: number): number {
  const us = timesUs[row] ?? Number.NaN;
  if (!Number.isNaN(us)) return us;
  throw new ProtocolError(
    `Property change ${String(ids.at(row))} has a created_at that is no instant.`,
    `$.data[${row}].created_at`,
  );
}

function zonelessFinding(count: number): Finding[] {
  if (count === 0) return [];
  return [
    {
      code: "zoneless-timestamp",
      message: `${count} ${count === 1 ? "change names" : "changes name"} no time zone; their times were read as UTC.`,
      count,
    },
  ];
}
