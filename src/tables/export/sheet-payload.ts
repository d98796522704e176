import type { ColumnTable } from "arquero";
import type { ColumnKind } from "../../api/property-types.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { ColumnFormat } from "../column/column-format.js";
import { isTable } from "../column/is-table.js";
import type { MimeBundle } from "../display/mime-bundle.js";
import { type ExportTable, exportTable } from "./export-table.js";
import { plainInteger, plainValues } from "./export-values.js";

/** MIME type of a table for a sheet of a report's workbook. */
export const sheetMime = "application/vnd.siteframe.sheet+json";

/** All rows of a table as JSON, in a notebook output. */
interface SheetPayload {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly {
    readonly name: string;
    readonly kind: ColumnKind;
    readonly format?: ColumnFormat;
    readonly values: readonly unknown[];
  }[];
}

/**
 * Returns the rows of a table as a format of a notebook output.
 *
 * @param value an Arquero table or a layer
 * @param names columns of the sheet; all if undefined
 * @throws ArgumentError for other values
 */
export function sheetOutput(name: string, value: object, names?: readonly string[]): MimeBundle {
  const { table = value } = value as { readonly table?: unknown };
  if (!isTable(table)) {
    throw new ArgumentError(`show(): \`sheet\` needs an Arquero table or a layer, got ${showValue(value)}.`, {
      hint: "Pass the rows as a table: show(history.asOf(…), { sheet: … }).",
    });
  }
  return { [sheetMime]: sheetPayload(name, names === undefined ? table : table.select(...names)) };
}

function sheetPayload(name: string, table: ColumnTable): SheetPayload {
  const { rowCount, columns } = exportTable(table);
  return {
    name,
    rowCount,
    columns: columns.map((column) => {
      const at = plainValues(column);
      const values = Array.from({ length: rowCount }, (_, row) => jsonValue(at(row)));
      const { kind, format = {} } = column;
      return { name: column.name, kind, format, values };
    }),
  };
}

function jsonValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "bigint" ? plainInteger(value) : value;
}

/** Whether a notebook output is a sheet. */
export function isSheetPayload(value: unknown): value is SheetPayload {
  const { name, rowCount, columns } = Object(value) as Partial<SheetPayload>;
  return typeof name === "string" && typeof rowCount === "number" && Array.isArray(columns);
}

/** The table of a notebook output. */
export function payloadTable({ rowCount, columns }: SheetPayload): ExportTable {
  return {
    rowCount,
    columns: columns.map(({ values, ...column }) => ({
      ...column,
      values: column.kind === "instant" ? values.map(instantOf) : values,
    })),
  };
}

/** An instant; other strings in such a column stay as they are. */
function instantOf(value: unknown): unknown {
  const date = new Date(String(value));
  return typeof value !== "string" || Number.isNaN(date.getTime()) ? value : date;
}
