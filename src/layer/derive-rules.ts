import { ArgumentError } from "../core/errors.js";
import { checkOptions, type OptionRules, text } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import { resolveTimeZone } from "../core/time-zone.js";

/** Options of `layer.derive()`. */
export interface DeriveOptions {
  /** Unit of the numbers, for labels and axes: `"MW"`. */
  readonly unit?: string;
  /** Time zone of the dates in tables and exports. Default: that of the layer. */
  readonly timeZone?: string;
}

/** Options of `history.derive()`, whose columns are in no table. */
export type HistoryDeriveOptions = Pick<DeriveOptions, "unit">;

const historyDeriveRules: OptionRules<HistoryDeriveOptions> = { unit: text };
const deriveRules: OptionRules<DeriveOptions> = { ...historyDeriveRules, timeZone: text };

/**
 * Returns the value of a row.
 *
 * @param row its values by column name
 */
export type DeriveValue = (row: Readonly<Record<string, unknown>>) => unknown;

/**
 * Checks the arguments of `derive()`.
 *
 * @param to what the column is added to, and the existing column names
 * @throws ArgumentError for an existing name, a value that is not a function, and unknown options
 */
export function checkDerived(
  to: { readonly kind: "layer" | "history"; readonly names: readonly string[] },
  name: string,
  compute: DeriveValue,
  options: DeriveOptions,
): void {
  if (to.kind === "layer") checkOptions("derive()", options, deriveRules);
  else checkOptions<HistoryDeriveOptions>("derive()", options, historyDeriveRules);
  resolveTimeZone(options.timeZone);
  if (typeof name !== "string" || name === "" || typeof compute !== "function") {
    throw new ArgumentError(
      `derive() needs a name and a function of a row, got ${showValue(name)}, ${showValue(compute)}.`,
      {
        hint: 'For example: derive("Power", (row) => row["Modules"] * 0.55, { unit: "kW" }).',
      },
    );
  }
  if (to.names.includes(name)) {
    throw new ArgumentError(`derive(): the ${to.kind} already has a column ${showValue(name)}.`, {
      hint: "Choose another name.",
      facts: { column: name },
    });
  }
}

/** The function's value for each row; undefined becomes null. */
export function derivedValues(
  count: number,
  columns: readonly (readonly [string, { at(row: number): unknown }])[],
  compute: DeriveValue,
): readonly unknown[] {
  const rowAt = (row: number) => Object.fromEntries(columns.map(([each, values]) => [each, values.at(row) ?? null]));
  return Array.from({ length: count }, (_, row) => compute(rowAt(row)) ?? null);
}
