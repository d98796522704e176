import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { showValue } from "../../core/show-value.js";
import type { PastLayer } from "../../layer/build-layer.js";
import { assembleLayer, keyMismatch, localDiagnostics } from "../../layer/build-layer.js";
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
import { specify } from "./define/specification.js";
import { presentDiagnostics } from "./reconcile.js";

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the layer as of a time: a `Layer` with the table of `asOf()` and every export, map, join and query. Its
     * `schema` and `diagnostics` describe the values at that time, and `provenance.asOf` is the time. Names, descriptions
     * and geometries are the current ones, because the log does not contain earlier ones.
     *
     * @example
     * ```ts
     * const june = trenchHistory.layerAsOf("2024-06-30");
     * (await june.centroids()).select("visible_id", "longitude", "latitude", "length_m")
     * ```
     * @throws ArgumentError
     */
    layerAsOf(time: TimePoint, options?: AsOfOptions): L;
  }
}

export const layerAsOfSpecification = specify({
  summary: "A whole layer at a past time.",
  takes: ["at"],
  options: asOfRules,
  time: (time: TimePoint, _options?: AsOfOptions) => time,
  layer: (data, time: TimePoint, options: AsOfOptions = {}) => layerAsOf(data, time, options),
});

/** The table of `asOf()` with the schema and the diagnostics of its values. */
export function layerAsOf(data: HistoryData, point: TimePoint, options: AsOfOptions): PastLayer {
  const us = resolveTimePoint(point, data.timeZone);
  const chosen = chooseColumns(data.names, options.columns);
  const backfill = options.fillUnknown === "backfill";
  const rows = rowsAt(data, us, options.absent);
  const features = data.features.pick(rows);
  const properties = chosen.flatMap((column) => {
    const property = data.columns[column];
    return property
      ? [{ ...property, values: new BlockColumn(rows.length, valuesAt(data, column, rows, us, backfill)) }]
      : [];
  });
  const diagnostics = () => [
    ...data.layerDiagnostics,
    ...properties.flatMap(mismatches),
    ...localDiagnostics(properties, data.timeZone),
    ...(backfill ? [] : unknownDiagnostic(data, chosen, rows, us)),
    // If a column changed between this time and the reading, its values are expected to differ.
    ...(equalsReading(data, us) ? presentDiagnostics(data, chosen) : []),
  ];
  return {
    ...assembleLayer({ features, timeZone: data.timeZone }, properties, diagnostics),
    features,
    timeZone: data.timeZone,
    asOf: timePointText(point, data.timeZone),
  };
}

/** Whether the log has the same values at a time as when it was read. */
function equalsReading({ index, readAtUs }: HistoryData, us: number): boolean {
  return index.timesUs.every((time) => time <= us === time <= readAtUs);
}

/** The keys of one column have the same type. */
function mismatches({ column, keys: [key], values }: PropertyColumn): Diagnostic[] {
  return key ? keyMismatch(column, key, values) : [];
}

/** In a layer, unknown values become null, so a diagnostic reports them. */
function unknownDiagnostic(data: HistoryData, columns: readonly number[], rows: Int32Array, us: number): Diagnostic[] {
  const counts = columns
    .map((column) => [data.names[column] as string, countUnknown(data, column, rows, us)] as const)
    .filter(([, count]) => count > 0);
  if (counts.length === 0) return [];
  const count = counts.reduce((sum, [, unknownCount]) => sum + unknownCount, 0);
  const [values, are] = count === 1 ? ["value", "is"] : ["values", "are"];
  const named = counts.map(([name, number]) => `${showValue(name)} (${number})`).join(", ");
  return [
    withSeverity({
      code: "value-unknown",
      message: `${count} ${values} ${are} unknown at that time and null in the table, because all changes are later: ${named}.`,
      count,
      facts: { columns: Object.fromEntries(counts) },
    }),
  ];
}

function countUnknown(data: HistoryData, column: number, rows: Int32Array, us: number): number {
  const decisionOf = decidingChanges(data, column, data.index.countsAt(column, us), us);
  let count = 0;
  for (const row of rows) count += Number(decisionOf(row) === UNKNOWN);
  return count;
}
