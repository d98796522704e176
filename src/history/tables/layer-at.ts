import { checkOptions } from "../../core/check-options.js";
import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import { assembleLayer, baseColumn, mismatchFinding } from "../../layer/build-layer.js";
import type { PastLayer } from "../../layer/past-layer.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { UNKNOWN } from "../cell/cell-state.js";
import { decidingChanges } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { rowsAt } from "../cell/present-rows.js";
import { valuesAt } from "../cell/values-at.js";
import { BlockColumn } from "../columns/block-column.js";
import { chooseColumns } from "../columns/choose-columns.js";
import { resolveTimePoint, type TimePoint, timePointText } from "../time/valid-time.js";
import { type AsOfOptions, asOfRules } from "./as-of.js";

/** The layer as it was: the table of `asOf()` with the schema and the findings that belong to its values. */
export function layerAt(data: HistoryData, point: TimePoint, options: AsOfOptions): PastLayer {
  checkOptions("layerAt()", options, asOfRules);
  const us = resolveTimePoint(point, data.timeZone);
  const chosen = chooseColumns(data.names, options.columns);
  const backfill = options.unknown === "backfill";
  const rows = rowsAt(data, us, options.absent);
  const features = data.features.pick(rows);
  const properties = chosen.flatMap((column) => {
    const property = data.columns[column];
    return property
      ? [{ ...property, values: new BlockColumn(rows.length, valuesAt(data, column, rows, us, backfill)) }]
      : [];
  });
  const findings = [
    ...data.layerFindings,
    ...properties.flatMap(mismatches),
    ...(backfill ? [] : chosen.flatMap((column) => unknownFinding(data, column, rows, us))),
  ];
  return {
    ...assembleLayer((field) => baseColumn(features, field), properties, findings),
    features,
    asOf: timePointText(point, data.timeZone),
  };
}

/** The keys of one column are of one type. */
function mismatches({ column, keys: [key], values }: PropertyColumn): Finding[] {
  return key ? mismatchFinding(column, key, values) : [];
}

/** In a layer null is all that is left of not knowing. */
function unknownFinding(data: HistoryData, column: number, rows: Int32Array, us: number): Finding[] {
  const decisionOf = decidingChanges(data, column, data.index.countsAt(column, us), us);
  let count = 0;
  for (const row of rows) count += Number(decisionOf(row) === UNKNOWN);
  if (count === 0) return [];
  const name = data.names[column];
  const [values, are] = count === 1 ? ["value", "is"] : ["values", "are"];
  return [
    {
      code: "unknown-values",
      message: `${count} ${values} of ${showValue(name)} ${are} not known as of then, since every change came later; null in the table.`,
      count,
      facts: { column: name },
    },
  ];
}
