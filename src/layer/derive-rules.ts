import { ArgumentError } from "../core/errors.js";
import { checkOptions, type OptionRules, text } from "../core/options.js";
import { showValue } from "../core/show-value.js";

/** Options of `layer.derive()` and `history.derive()`. */
export interface DeriveOptions {
  /** Unit of the numbers, for texts and axes: `"MW"`. */
  readonly unit?: string;
}

const deriveRules: OptionRules<DeriveOptions> = { unit: text };

/** Makes a value of a row, whose fields are columns. */
export type DeriveValue = (row: Readonly<Record<string, unknown>>) => unknown;

/**
 * Checks what `derive()` is given.
 *
 * @param to what the column is added to, and the names that it has already
 * @throws ArgumentError for a name that is there already, what is no function, and options that there are not
 */
export function checkDerived(
  to: { readonly kind: "layer" | "history"; readonly names: readonly string[] },
  name: string,
  compute: DeriveValue,
  options: DeriveOptions,
): void {
  checkOptions("derive()", options, deriveRules);
  if (typeof name !== "string" || name === "" || typeof compute !== "function") {
    throw new ArgumentError(
      `derive() takes a name and a function of a row, got ${showValue(name)}, ${showValue(compute)}.`,
      {
        hint: 'derive("Power", (row) => row["Modules"] * 0.55, { unit: "kW" })',
      },
    );
  }
  if (to.names.includes(name)) {
    throw new ArgumentError(`The ${to.kind} has a column ${showValue(name)} already.`, {
      hint: "Give the column another name.",
      facts: { column: name },
    });
  }
}

/** What a function makes of each row; undefined becomes null. */
export function derivedValues(
  count: number,
  columns: readonly (readonly [string, { at(row: number): unknown }])[],
  compute: DeriveValue,
): readonly unknown[] {
  const rowAt = (row: number) => Object.fromEntries(columns.map(([each, values]) => [each, values.at(row) ?? null]));
  return Array.from({ length: count }, (_, row) => compute(rowAt(row)) ?? null);
}
