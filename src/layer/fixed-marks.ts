import { ArgumentError } from "../core/errors.js";
import { sameJson } from "../core/json/json.js";
import { nearestName } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import type { FixedOption } from "./captures/capture-options.js";
import type { FixedMarks } from "./captures/capture-table.js";
import type { Layer } from "./layer.js";
import type { ColumnSchema } from "./layer-data.js";
import { optionList } from "./option-labels.js";

/** What a status has to say where nobody says otherwise. */
const FIXED = "fixed";

/**
 * What the status of the features of each capture says: that of the column that is named, else of `STATUS`, else of the
 * first OPTION property that has a choice of the name.
 *
 * @throws ArgumentError if no layer has the column that is named
 */
export function fixedMarks(layers: readonly Layer[], option: FixedOption | undefined): readonly FixedMarks[] {
  if (option !== undefined) requireColumn(layers, option.column);
  return layers.map(({ schema, table }) => {
    const status = option === undefined ? schema.find(isStatus) : schema.find(({ column }) => column === option.column);
    if (!status) return undefined;
    const isFixed = saysFixed(status, option?.values);
    const values = table.column(status.column);
    return (row) => isFixed(values?.at(row));
  });
}

function isStatus({ column, source, definitions }: ColumnSchema): boolean {
  return (column === "STATUS" && source === "built-in") || fixedCodes(definitions).length > 0;
}

/** The choices that are called so. */
function fixedCodes(definitions: ColumnSchema["definitions"]): readonly unknown[] {
  const isCalledSo = (name: unknown) => String(name).toLowerCase() === FIXED;
  return definitions.flatMap((definition) =>
    optionList(definition).flatMap(({ code, label }) => (isCalledSo(code) || isCalledSo(label) ? [code] : [])),
  );
}

function saysFixed({ definitions }: ColumnSchema, values: readonly unknown[] | undefined): (value: unknown) => boolean {
  if (!values) {
    const codes = fixedCodes(definitions);
    return (value) => (typeof value === "string" && value.toLowerCase() === FIXED) || codes.includes(value);
  }
  const labelled = definitions.flatMap((definition) => optionList(definition));
  // A layer has the codes or the labels, as `optionLabels` asks; either may be named.
  const others = labelled.flatMap(({ code, label }) =>
    values.includes(label) ? [code] : values.includes(code) ? [label] : [],
  );
  const all = [...values, ...others];
  return (value) => all.some((one) => sameJson(one, value ?? null));
}

function requireColumn(layers: readonly Layer[], column: string): void {
  const names = [...new Set(layers.flatMap(({ schema }) => schema.map((entry) => entry.column)))];
  if (names.includes(column)) return;
  const meant = nearestName(column, names);
  throw new ArgumentError(`No layer has a column ${showValue(column)}.`, {
    hint: `${meant === undefined ? "" : `Did you mean ${showValue(meant)}? `}There are: ${names.map((name) => showValue(name)).join(", ")}.`,
    facts: { column },
  });
}
