import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import { assembleLayer, keyMismatch } from "../../layer/build-layer.js";
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
import { presentFindings } from "./reconcile.js";
import { specify } from "./specification.js";

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * The layer as it was: a whole layer whose table is that of `asOf()`, with every export, map, join and query of a layer.
     * Its `schema` and `findings` are about the values of then; `provenance.asOf` tells the time. Names, descriptions and
     * geometries are those that were read, since the log does not tell how they were before.
     *
     * @throws ArgumentError
     */
    layerAt(time: TimePoint, options?: AsOfOptions): L;
  }
}

export const layerAtSpecification = specify({
  summary: "A whole layer as it was at a time.",
  takes: ["at"],
  options: asOfRules,
  time: (time: TimePoint, _options?: AsOfOptions) => time,
  layer: (data, time: TimePoint, options: AsOfOptions = {}) => layerAt(data, time, options),
});

/** The layer as it was: the table of `asOf()` with the schema and the findings that belong to its values. */
export function layerAt(data: HistoryData, point: TimePoint, options: AsOfOptions): PastLayer {
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
  const findings = () => [
    ...data.layerFindings,
    ...properties.flatMap(mismatches),
    ...(backfill ? [] : unknownFinding(data, chosen, rows, us)),
    // If a column changed between this time and the reading, its values are expected to differ.
    ...(equalsReading(data, us) ? presentFindings(data, chosen) : []),
  ];
  return {
    ...assembleLayer(features, properties, findings),
    features,
    asOf: timePointText(point, data.timeZone),
  };
}

/** Whether the log has the same values at a time as when it was read. */
function equalsReading({ index, readAtUs }: HistoryData, us: number): boolean {
  return index.timesUs.every((time) => time <= us === time <= readAtUs);
}

/** The keys of one column are of one type. */
function mismatches({ column, keys: [key], values }: PropertyColumn): Finding[] {
  return key ? keyMismatch(column, key, values) : [];
}

/** In a layer null is all that is left of not knowing. */
function unknownFinding(data: HistoryData, columns: readonly number[], rows: Int32Array, us: number): Finding[] {
  const counts = columns
    .map((column) => [data.names[column] as string, countUnknown(data, column, rows, us)] as const)
    .filter(([, count]) => count > 0);
  if (counts.length === 0) return [];
  const count = counts.reduce((sum, [, found]) => sum + found, 0);
  const [values, are] = count === 1 ? ["value", "is"] : ["values", "are"];
  const found = counts.map(([name, number]) => `${showValue(name)} (${number})`).join(", ");
  return [
    {
      code: "unknown-values",
      message: `${count} ${values} ${are} not known as of then, since every change came later; null in the table: ${found}.`,
      count,
      facts: { columns: Object.fromEntries(counts) },
    },
  ];
}

function countUnknown(data: HistoryData, column: number, rows: Int32Array, us: number): number {
  const decisionOf = decidingChanges(data, column, data.index.countsAt(column, us), us);
  let count = 0;
  for (const row of rows) count += Number(decisionOf(row) === UNKNOWN);
  return count;
}
