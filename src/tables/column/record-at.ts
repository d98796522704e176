import type { RecordColumn } from "./record-column.js";

/** The columns of records, by the names of their members. */
export interface RecordColumns {
  readonly rowCount: number;
  readonly fields: ReadonlyMap<string, RecordColumn>;
  /** The member whose members are columns of their own, and these. */
  readonly nested: string | undefined;
  readonly properties: ReadonlyMap<string, RecordColumn>;
}

/** The record of a row, with the members that it had and no others. */
export function recordAt({ fields, nested, properties }: RecordColumns, row: number): Record<string, unknown> {
  const record = members(fields, row);
  if (nested !== undefined && !Object.hasOwn(record, nested)) record[nested] = members(properties, row);
  // Kept as a value where the record lacks the member altogether.
  else if (nested !== undefined && record[nested] === undefined) delete record[nested];
  return record;
}

function members(columns: ReadonlyMap<string, RecordColumn>, row: number): Record<string, unknown> {
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return Object.fromEntries(
    [...columns].flatMap(([name, column]) => (column.has(row) ? [[name, column.at(row)]] : [])),
  );
}
