import type { PropertyChange } from "../../api/resources.js";
import { parseInstant } from "../../core/instant.js";
import { CellColumn, type EncodedColumn } from "../cells/cell-column.js";
import { InstantColumn } from "../cells/instant-column.js";
import type { Column } from "../column/column.js";
import type { RecordColumns } from "../column/record-at.js";

/** Property changes by column, in the order in which they were read. */
export interface ChangeColumns {
  readonly rowCount: number;
  /** UUIDs as they came, in either case. */
  readonly ids: Column;
  readonly featureIds: Float64Array;
  /** Property keys as they came: one UUID may stand in both cases. */
  readonly keys: EncodedColumn;
  /** New values. Equal texts, numbers and literals mostly have one code; arrays and objects never share one. */
  readonly values: EncodedColumn;
  /** Valid time, microseconds since 1970; NaN where `created_at` is no instant. */
  readonly timesUs: Float64Array;
  /** How many times name no zone. */
  readonly zoneless: number;
  /** How many times are a leap second or the end of a day, and were read as the beginning of the next second. */
  readonly rolledOver: number;
  /** 1 for changes that the system made. */
  readonly system: Uint8Array;
  readonly users: EncodedColumn;
  /** UUIDs as they came, or null. */
  readonly causes: Column;
}

/** The columns of property changes that were read from bytes. */
export function changeColumnsOfBytes({ rowCount, fields }: RecordColumns): ChangeColumns {
  const column = (name: string): Column => fields.get(name) ?? [];
  return {
    rowCount,
    ids: column("id"),
    featureIds: numbers(column("layer_feature_id")),
    keys: encode(column("property_key")),
    values: encode(column("new_value")),
    ...times(column("created_at")),
    system: flags(column("system")),
    users: encode(column("user_id")),
    causes: column("caused_by_change_id"),
  };
}

/** Columns of property changes that are at hand as records. */
export function changeColumnsOfRecords(records: readonly PropertyChange[]): ChangeColumns {
  return {
    rowCount: records.length,
    ids: records.map(({ id }) => id),
    featureIds: Float64Array.from(records, ({ layer_feature_id }) => layer_feature_id),
    keys: encode(records.map(({ property_key }) => property_key)),
    values: encode(records.map(({ new_value }) => new_value)),
    ...times(records.map(({ created_at }) => created_at)),
    system: Uint8Array.from(records, ({ system }) => Number(system)),
    users: encode(records.map(({ user_id }) => user_id)),
    causes: records.map(({ caused_by_change_id }) => caused_by_change_id),
  };
}

function encode(column: Column): EncodedColumn {
  if (column instanceof CellColumn) return column.encode();
  return { codes: Int32Array.from(column, (_, row) => row), values: [...column] };
}

function numbers(column: Column): Float64Array {
  return (column instanceof CellColumn ? column.numbers() : undefined) ?? Float64Array.from(column, Number);
}

function flags(column: Column): Uint8Array {
  const set = new Uint8Array(column.length);
  for (let row = 0; row < set.length; row += 1) if (column.at(row) === true) set[row] = 1;
  return set;
}

function times(column: Column): Pick<ChangeColumns, "timesUs" | "zoneless" | "rolledOver"> {
  let zoneless = 0;
  let rolledOver = 0;
  if (column instanceof InstantColumn && column.isZoned) {
    const timesUs = new Float64Array(column.length);
    for (let row = 0; row < timesUs.length; row += 1) timesUs[row] = column.us(row);
    return { timesUs, zoneless, rolledOver };
  }
  const timesUs = Float64Array.from(column, (text) => {
    const instant = typeof text === "string" ? parseInstant(text) : undefined;
    if (!instant) return Number.NaN;
    zoneless += Number(!instant.zoned);
    rolledOver += Number(instant.rolledOver);
    return instant.us;
  });
  return { timesUs, zoneless, rolledOver };
}
