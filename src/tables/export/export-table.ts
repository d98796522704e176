import type { ColumnTable } from "arquero";
import type { ColumnKind } from "../../api/property-types.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { callback, checkOptions, flag, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type Column, DateColumn, PickedColumn } from "../column/column.js";
import { type ColumnFormat, columnFormat } from "../column/column-format.js";
import { declaredType } from "../types/declared-type.js";
import { mismatchDiagnostic } from "../types/type-mismatches.js";
import { typedColumn } from "../types/typed-column.js";

/** One column of an exported table. */
export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly values: Column;
  /** The property key of the values, or one of several; undefined for a field of the feature. */
  readonly key?: string | undefined;
  /** Unit, decimals and time zone. */
  readonly format?: ColumnFormat;
}

/** Columns of known kinds, for all exports. Names are unique. */
export interface ExportTable {
  readonly rowCount: number;
  readonly columns: readonly ExportColumn[];
}

/** Name of a table for file formats that have one: the semantic type of its features, if all have the same. */
export function frameName({ rowCount, columns }: ExportTable): string | undefined {
  const types = columns.find(({ name, kind, key }) => name === "semantic_type" && kind === "text" && key === undefined);
  const first: unknown = types?.values.at(0);
  if (!types || typeof first !== "string" || first === "") return undefined;
  for (let row = 1; row < rowCount; row += 1) if (types.values.at(row) !== first) return undefined;
  return first;
}

/** Options of all exports. */
export interface ExportOptions {
  /**
   * Whether to add a column `<name> (as logged)` after each column with values that do not fit its definition's type
   * and are therefore null. It contains all values as received, as JSON. Default: false.
   */
  readonly asLogged?: boolean | undefined;
  /** Called with a diagnostic for each column with values that do not fit its definition's type. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** Rules for the options of all exports. */
export const exportRules: OptionRules<ExportOptions> = { asLogged: flag, onDiagnostic: callback };

/**
 * A table with typed columns and its visible rows: after its filter and in its order.
 *
 * @param table an Arquero table; columns with a type from a definition or the contract have that type
 */
export function exportTable(table: ColumnTable, { asLogged = false, onDiagnostic }: ExportOptions = {}): ExportTable {
  const rows = table.isFiltered() || table.isOrdered() ? Uint32Array.from(table.indices()) : undefined;
  const names = new Set(table.columnNames());
  const columns = table.columnNames().flatMap((name): ExportColumn[] => {
    const whole: Column = table.column(name) ?? [];
    const values = rows ? new PickedColumn(whole, rows) : whole;
    const declared = declaredType(whole);
    const { mismatches, ...typed } = typedColumn(values, declared);
    const column = { name, ...typed, key: declared?.key, format: columnFormat(whole) };
    if (mismatches.count === 0) return [column];
    onDiagnostic?.(mismatchDiagnostic(name, declared?.key, declared?.type, mismatches));
    if (!asLogged) return [column];
    const logged = whole instanceof DateColumn ? whole.texts : whole;
    const asReceived = rows ? new PickedColumn(logged, rows) : logged;
    return [column, { name: asLoggedName(name, names), kind: "json", values: asReceived, key: column.key }];
  });
  return { rowCount: table.numRows(), columns };
}

/** An export, for messages. */
interface ExportCall<Options> {
  readonly call: string;
  readonly rules: OptionRules<Options>;
  /** Whether it only writes files. */
  readonly needsPath: boolean;
}

/**
 * Checks the arguments of an export: one object with known options, and a valid path.
 *
 * @param given all arguments of the call
 * @throws ArgumentError
 */
export function checkExportOptions<Options extends object>(
  { call, rules, needsPath }: ExportCall<Options>,
  given: readonly [Options | undefined, ...unknown[]],
): void {
  const [options, ...others] = given;
  if (typeof options === "string") {
    throw new ArgumentError(`${call}: invalid options ${showValue(options)}.`, {
      hint: `Pass the path as an option: ${call.replace("()", "")}({ path: ${showValue(options)} }).`,
    });
  }
  checkOptions(call, options, rules);
  if (others.length > 0) {
    throw new ArgumentError(`${call}: too many arguments: ${given.map((one) => showValue(one)).join(", ")}.`, {
      hint: `Pass one object with any of: ${Object.keys(rules).join(", ")}.`,
    });
  }
  const path = options && "path" in options ? options.path : undefined;
  if ((path === undefined && !needsPath) || (typeof path === "string" && path !== "")) return;
  throw new ArgumentError(`${call}: invalid path ${showValue(path)}.`, {
    hint: `Pass a path: ${call.replace("()", "")}({ path: "…" }).`,
  });
}

/** A file of tables needs a column. */
export function noColumns(call: string): ArgumentError {
  return new ArgumentError(`${call}: the table has no columns.`, { hint: "Add a column, or write CSV." });
}

/**
 * Name of the column with the values as received that follows a column.
 *
 * @param used names that are taken; the new one is added
 */
export function asLoggedName(name: string, used: Set<string>): string {
  return freeName(`${name} (as logged)`, used);
}
