// The tables of counts() and totals(), from amounts at dates by group: computed in memory, or read from an engine.
import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../../core/diagnostic.js";
import { GrowingArray } from "../../../tables/cells/growing-array.js";
import { type Column, computedColumn } from "../../../tables/column/column.js";
import { toTable } from "../../../tables/column/table.js";
import { requireRows } from "../../answer-size.js";
import type { CellState } from "../../cell/cell-state.js";
import { declaredDates } from "../../columns/block-column.js";
import { compareValues } from "../../columns/step-order.js";
import type { QuantitiesAt } from "../../grid/date-sums.js";
import { groupColumn } from "../../grid/group-codes.js";
import type { CellContent } from "../../grid/timelines.js";
import type { DateGrid } from "../../time/date-grid.js";
import type { DatedPlan } from "../plan/dated-plan.js";

/** The columns of counts() without options. */
export const countColumns = ["date", "state", "value", "count"];

/** The columns of totals() without options. */
export const totalColumns = ["date", "sum", "count", "unknown"];

/** The content of the features of a group. */
export interface Kind extends CellContent {
  readonly code: number;
  readonly group: unknown;
}

/** The contents of features at dates, and how many features have them. */
export interface CountedKinds {
  readonly kinds: readonly Kind[];
  /** The count, by the code of a kind and the index of a date, in order of time. */
  readonly countAt: (code: number, date: number) => number;
  /** The same for their weights. */
  readonly quantities?: QuantitiesAt | undefined;
}

/** How a table of counts was requested. */
interface AskedCounts extends Pick<DatedPlan, "weights" | "credits"> {
  readonly by: string | undefined;
}

/** One row for each date, as requested, and each kind that occurs then. */
export function countsTable(
  { dates, rank }: DateGrid,
  { by, weights, credits }: AskedCounts,
  { kinds: unordered, countAt, quantities }: CountedKinds,
): ColumnTable {
  const kinds = [...unordered].sort(compareKinds);
  // Indices of the date and of the kind of each row.
  const [rowDates, rowKinds] = [new GrowingArray(Int32Array), new GrowingArray(Int32Array)];
  const [counts, sums, weighted] = [
    new GrowingArray(Int32Array),
    new GrowingArray(Float64Array),
    new GrowingArray(Int32Array),
  ];
  rank.forEach((day, dateIndex) => {
    kinds.forEach(({ code }, kind) => {
      const count = countAt(code, day);
      if (count === 0) return;
      rowDates.push(dateIndex);
      rowKinds.push(kind);
      counts.push(count);
      if (!quantities) return;
      sums.push(quantities.quantity(code, day));
      weighted.push(quantities.weighted(code, day));
    });
    requireRows("counts()", counts.length, "dates or groups");
  });
  const ofKind = <T>(get: (kind: Kind, row: number) => T) =>
    computedColumn(counts.length, (row) => get(kinds[rowKinds.at(row)] as Kind, row));
  const amounts = weights ? sums : counts;
  const earned = ({ state, value }: Kind, row: number) =>
    state === "unknown" ? null : amounts.at(row) * (credits?.share(value) ?? 0);
  const extra: (readonly [string, Column])[] = [
    ...(weights
      ? ([
          ["quantity", sums.filled()],
          ["weighted", weighted.filled()],
          ["unit", ofKind(() => weights.unit)],
        ] as const)
      : []),
    ...(credits ? [["earned", ofKind(earned)] as const] : []),
  ];
  const ownNames = [...countColumns, ...extra.map(([column]) => column)];
  return toTable([
    [
      "date",
      declaredDates(
        dates,
        computedColumn(counts.length, (row) => dates[rowDates.at(row)]),
      ),
    ],
    ...groupColumn(
      by,
      ownNames,
      ofKind(({ group }) => group),
    ),
    ["state", ofKind(({ state }) => state)],
    ["value", ofKind(({ value }) => value)],
    ["count", counts.filled()],
    ...extra,
  ]);
}

const stateOrder: Readonly<Record<CellState, number>> = { logged: 0, cleared: 1, unchanged: 2, unknown: 3, absent: 4 };

function compareKinds(a: Kind, b: Kind): number {
  return (
    compareValues(a.group, b.group) || stateOrder[a.state] - stateOrder[b.state] || compareValues(a.value, b.value)
  );
}

/** Sums of the features of groups at dates, by the code of the group and the index of the date, in order of time. */
export interface GroupSums {
  readonly groups: readonly unknown[];
  present(group: number, date: number): number;
  sum(group: number, date: number): number;
  count(group: number, date: number): number;
  unknown(group: number, date: number): number;
  /** Number of values that do not fit the type of the column's definition. */
  leftOut(group: number, date: number): number;
  /** Diagnostics about their weights. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A row for each date, as requested, and with `by` for each group that has features then. */
export function totalsTable(
  { dates, rank }: DateGrid,
  { by, unit }: { readonly by: string | undefined; readonly unit: string | undefined },
  at: GroupSums,
): ColumnTable {
  const ordered = at.groups.map((group, code) => ({ group, code })).sort((a, b) => compareValues(a.group, b.group));
  // Indices of the date and of the group of each row.
  const [rowDates, rowGroups] = [new GrowingArray(Int32Array), new GrowingArray(Int32Array)];
  rank.forEach((day, dateIndex) => {
    ordered.forEach(({ code }, group) => {
      if (by !== undefined && at.present(code, day) === 0) return;
      rowDates.push(dateIndex);
      rowGroups.push(group);
    });
    requireRows("totals()", rowDates.length, "dates or groups");
  });
  const each = <T>(get: (code: number, day: number) => T) =>
    computedColumn(rowDates.length, (row) =>
      get(ordered[rowGroups.at(row)]?.code as number, rank[rowDates.at(row)] as number),
    );
  return toTable([
    [
      "date",
      declaredDates(
        dates,
        computedColumn(rowDates.length, (row) => dates[rowDates.at(row)]),
      ),
    ],
    ...groupColumn(
      by,
      unit === undefined ? totalColumns : [...totalColumns, "unit"],
      computedColumn(rowDates.length, (row) => ordered[rowGroups.at(row)]?.group),
    ),
    // Adding and subtracting the same value may leave a rounding error.
    ["sum", each((code, day) => (at.count(code, day) === 0 ? 0 : at.sum(code, day)))],
    ["count", each(at.count)],
    ["unknown", each(at.unknown)],
    ...(unit === undefined ? [] : [["unit", each(() => unit)] as const]),
  ]);
}
