import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { freeName } from "../../core/free-name.js";
import { callback, checkOptions, flag, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type Column, PickedColumn } from "../column/column.js";
import { unitOf } from "../column/column-units.js";
import { type ColumnKind, declaredType } from "../types/declared-type.js";
import { mismatchFinding } from "../types/type-mismatches.js";
import { typedColumn } from "../types/typed-column.js";

/** One column of an exported table. */
export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly values: Column;
  /** The property key whose values these are, or one of several; absent for a field of the feature. */
  readonly key?: string | undefined;
  /** The unit of its numbers. */
  readonly unit?: string | undefined;
}

/** Columns of known kinds, as every export takes them. Names are unique. */
export interface ExportTable {
  readonly rowCount: number;
  readonly columns: readonly ExportColumn[];
}

/** What a table is called where files have a place for it: the semantic type of its features, if all have the same. */
export function frameName({ rowCount, columns }: ExportTable): string | undefined {
  const types = columns.find(({ name, kind, key }) => name === "semantic_type" && kind === "text" && key === undefined);
  const first: unknown = types?.values.at(0);
  if (!types || typeof first !== "string" || first === "") return undefined;
  for (let row = 1; row < rowCount; row += 1) if (types.values.at(row) !== first) return undefined;
  return first;
}

/** What every export takes. */
export interface ExportOptions {
  /**
   * Whether a column of which values are not of its definition's type, and so null, has another one behind it, `<name> (as
   * logged)`, with all values as they came, as JSON. Default false.
   */
  readonly asLogged?: boolean | undefined;
  /** Called with a finding for each column of which values are not of its definition's type. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
}

/** Rules of what every export takes. */
export const exportRules: OptionRules<ExportOptions> = { asLogged: flag, onFinding: callback };

/**
 * A table with typed columns: rows as it shows them, after its filter and in its order.
 *
 * @param table an Arquero table; a column that a definition or the contract says the type of has that type
 */
export function exportTable(table: ColumnTable, { asLogged = false, onFinding }: ExportOptions = {}): ExportTable {
  const rows = table.isFiltered() || table.isOrdered() ? Uint32Array.from(table.indices()) : undefined;
  const names = new Set(table.columnNames());
  const columns = table.columnNames().flatMap((name): ExportColumn[] => {
    const whole: Column = table.column(name) ?? [];
    const values = rows ? new PickedColumn(whole, rows) : whole;
    const declared = declaredType(whole);
    const { mismatches, ...typed } = typedColumn(values, declared);
    const column = { name, ...typed, key: declared?.key, unit: unitOf(whole) };
    if (mismatches.count === 0) return [column];
    onFinding?.(mismatchFinding(name, declared?.key, declared?.type, mismatches));
    return asLogged ? [column, { name: asLoggedName(name, names), kind: "json", values, key: column.key }] : [column];
  });
  return { rowCount: table.numRows(), columns };
}

/** An export, as users write it. */
interface ExportCall<Options> {
  readonly call: string;
  readonly rules: OptionRules<Options>;
  /** Whether it has nothing to give but a file. */
  readonly needsPath: boolean;
}

/**
 * Checks what an export was given: one object that has its options and no others, and a path that is one.
 *
 * @param given all that it was called with
 * @throws ArgumentError
 */
export function checkExportOptions<Options extends object>(
  { call, rules, needsPath }: ExportCall<Options>,
  given: readonly [Options | undefined, ...unknown[]],
): void {
  const [options, ...others] = given;
  if (typeof options === "string") {
    throw new ArgumentError(`${call} takes its path as an option, got ${showValue(options)}.`, {
      hint: `Give ${call.replace("()", "")}({ path: ${showValue(options)} }), with all other options beside it.`,
    });
  }
  checkOptions(call, options, rules);
  if (others.length > 0) {
    throw new ArgumentError(`${call} cannot be called with ${given.map((one) => showValue(one)).join(", ")}.`, {
      hint: `It takes one object of options: ${Object.keys(rules).join(", ")}.`,
    });
  }
  const path = options && "path" in options ? options.path : undefined;
  if ((path === undefined && !needsPath) || (typeof path === "string" && path !== "")) return;
  throw new ArgumentError(`${showValue(path)} is no path of a file.`, {
    hint: `Give ${call.replace("()", "")}({ path: "…" }).`,
  });
}

/** A file of tables needs a column. */
export function noColumns(call: string): ArgumentError {
  return new ArgumentError(`${call}: the table has no columns.`, { hint: "Write CSV, or give it a column." });
}

/**
 * What the column of values as they came is called that stands behind a column.
 *
 * @param used names that are taken; the new one is added
 */
export function asLoggedName(name: string, used: Set<string>): string {
  return freeName(`${name} (as logged)`, used);
}
