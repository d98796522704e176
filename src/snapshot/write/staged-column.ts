import { PROPERTY_MAP, type SqlType, type TableColumn } from "../format/table-schema.js";

/** Type of a column while records are put together: a map waits as JSON text, which is one value to append. */
export function stagedType({ type }: TableColumn): SqlType {
  return type === PROPERTY_MAP ? "VARCHAR" : type;
}

/** A column of a staged table as Parquet gets it. */
export function fromStaged({ name, type }: TableColumn): string {
  return type === PROPERTY_MAP ? `from_json_strict("${name}", '"${PROPERTY_MAP}"') AS "${name}"` : `"${name}"`;
}

/** A column of Parquet as a staged table takes it. */
export function toStaged({ name, type }: TableColumn): string {
  return type === PROPERTY_MAP ? `to_json("${name}")::VARCHAR AS "${name}"` : `"${name}"`;
}
