// The SQL of counts() and totals(). A member `sums` has the changes of the amounts of each group at each date. The rows
// for this process are `sums` itself; the stored result adds them up by date and casts their values.
import type { StageCredits } from "../../columns/credits.js";
import type { DatedPlan } from "../plan/dated-plan.js";
import { countColumns, totalColumns } from "../rows/amount-tables.js";
import { rowsSelect } from "../rows/read-rows.js";
import { castValue, stateOf, UNKNOWN_MARK, unmarked, type ValueKind } from "./cell-values.js";
import {
  type DeltasQuery,
  dateCtes,
  datedColumns,
  deltaCtes,
  groupKey,
  groupValue,
  shareOf,
  storedGroupKey,
  weighedCte,
} from "./cte/delta-ctes.js";
import type { Dialect } from "./dialect/dialect.js";
import { type Scope, statement } from "./statement-scope.js";

/** The part of a plan that statements need. */
type Planned = Pick<DatedPlan, "query" | "weights" | "credits">;

/** Amounts that are summed by group and date. */
interface Amounts {
  readonly query: DeltasQuery;
  /** Members of `WITH` after `deltas`; the last one has the rows to sum. */
  readonly members: readonly string[];
  /** The member with the rows to sum. */
  readonly from: string;
  /** Whether each value of the column has its own amounts. */
  readonly byValue: boolean;
  /** Each amount, by name. */
  readonly sums: Readonly<Record<string, string>>;
}

/**
 * Members up to `sums`: `place`, the group `g`, the value `v` if each has its own amounts, and the amounts.
 *
 * @param isStored whether the group is a value of the stored result; otherwise `example` is a feature of the group
 */
function sumMembers(scope: Scope, { query, members, from, byValue, sums }: Amounts, isStored: boolean): string[] {
  const { dialect } = scope;
  const { by } = query;
  const group = isStored ? groupValue(by) : by.kind === "column" ? "g" : "''";
  const grouped = isStored ? group : `${from}.g`;
  const amounts = Object.entries(sums).map(([name, sql]) => `${sql} AS ${name}`);
  const columns = [
    "place",
    ...(byValue ? ["v"] : []),
    `${group} AS g`,
    ...amounts,
    ...(isStored ? [] : ["min(f) AS example"]),
  ];
  return [
    ...deltaCtes(scope, query, (isStored ? storedGroupKey : groupKey)(dialect, by)),
    ...members,
    `sums AS (SELECT ${columns.join(", ")} FROM ${from} GROUP BY place, ${byValue ? "v, " : ""}${grouped})`,
  ];
}

/** Members that add up `sums` to the amounts at each requested date: `dated`. */
function datedMembers(
  dialect: Dialect,
  { query, byValue, sums }: Amounts & { readonly query: DatedPlan["query"] },
  summed = "sums",
): string[] {
  const keys = `asked, date_text, g${byValue ? ", v" : ""}`;
  const amounts = Object.keys(sums)
    .map((name) => `sum(${name}) AS ${name}`)
    .join(", ");
  return [
    ...dateCtes(dialect, query.dates),
    `dated AS (SELECT ${keys}, ${amounts}
  FROM dates JOIN ${summed} ON date_place >= place GROUP BY ${keys})`,
  ];
}

/** The change in the number of features with a content from a date on; `example` is a feature of the group. */
export const countShape = { v: "text", g: "text", place: "number", n: "number", example: "number" } as const;

/** The same, with the changes in the number of features that have a weight and in the sum of weights. */
export const weighedCountShape = { ...countShape, weighted: "number", quantity: "number" } as const;

function countAmounts({ dialect }: Scope, { query, weights }: Planned) {
  return {
    query,
    members: weights ? [weighedCte(dialect, weights)] : [],
    from: weights ? "weighed" : "deltas",
    byValue: true,
    sums: {
      n: "sum(step)",
      ...(weights && {
        weighted: "sum(CASE WHEN weight IS NULL THEN 0 ELSE step END)",
        quantity: "coalesce(sum(step * weight), 0)",
      }),
    },
  };
}

/** The rows of `counts()` for this process. */
export function countRows(scope: Scope, plan: Planned): string {
  const shape = plan.weights ? weighedCountShape : countShape;
  return statement(
    sumMembers(scope, countAmounts(scope, plan), false),
    `SELECT ${rowsSelect(scope.dialect, shape)} FROM sums`,
  );
}

/** The self-contained statement for the number of features with each value, with their weights and earned shares. */
export function countsStatement(scope: Scope, kinds: readonly (ValueKind | undefined)[], plan: Planned): string {
  const { dialect } = scope;
  const { query, weights, credits } = plan;
  const amounts = countAmounts(scope, plan);
  const added = [...(weights ? ["quantity", "weighted", "unit"] : []), ...(credits ? ["earned"] : [])];
  const { ownColumns, leading } = datedColumns(scope, kinds, query.by, [...countColumns, ...added]);
  const [, state, value, count, ...extra] = ownColumns;
  const quantity = "CASE WHEN weighted = 0 THEN 0 ELSE quantity END";
  const shares = [
    ...(weights ? [quantity, "weighted", dialect.text(weights.unit)] : []),
    ...(credits ? [earnedOf(dialect, credits, weights ? quantity : "n")] : []),
  ].map((sql, index) => `, ${sql} AS ${extra[index]}`);
  return statement(
    [...sumMembers(scope, amounts, true), ...datedMembers(dialect, { ...amounts, query })],
    `SELECT ${leading}, ${stateOf("v")} AS ${state}, ${castValue(dialect, kinds[query.column], unmarked("v"))} AS ${value}, n AS ${count}${shares.join("")}
FROM dated WHERE n <> 0 ORDER BY dated.asked, dated.g, dated.v`,
  );
}

/** The earned amount of a value, which is null if its share is unknown. */
function earnedOf(dialect: Dialect, credits: StageCredits, amount: string): string {
  return `CASE WHEN v <> '${UNKNOWN_MARK}' THEN ${dialect.double(amount)} * coalesce(${shareOf(dialect, credits, unmarked("v"))}, 0) END`;
}

/** The summed numbers: all, or only integers. */
export type SummandKind = "number" | "integer";

/** Change in the sum of a group from the date at an index; `example` is a feature of the group. */
export const totalShape = {
  g: "text",
  place: "number",
  total: "number",
  counted: "number",
  unknown: "number",
  present: "number",
  other: "number",
  example: "number",
} as const;

/** `numbers`: the deltas with the number that is added or subtracted; null if the value is not a number. */
function totalAmounts({ dialect }: Scope, { query, weights, credits }: Planned, kind: SummandKind) {
  const number = credits ? shareOf(dialect, credits, "plain") : dialect.double(castValue(dialect, kind, "plain"));
  const weight = weights ? ", weight" : "";
  const numbers = `numbers AS (SELECT f, place, step, v, g, plain, ${number} AS number${weight}
  FROM (SELECT f, place, step, v, g, ${unmarked("v")} AS plain${weight} FROM ${weights ? "weighed" : "deltas"}) decoded)`;
  const isNone = weights ? "number IS NULL OR weight IS NULL" : "number IS NULL";
  return {
    query,
    members: weights ? [weighedCte(dialect, weights), numbers] : [numbers],
    from: "numbers",
    byValue: false,
    sums: {
      total: `coalesce(sum(step * ${weights ? "number * weight" : "number"}), 0)`,
      counted: `sum(CASE WHEN ${isNone} THEN 0 ELSE step END)`,
      unknown: `sum(CASE WHEN v = '${UNKNOWN_MARK}' THEN step ELSE 0 END)`,
      present: "sum(step)",
      other: `sum(CASE WHEN number IS NULL AND plain NOT IN ('null', '${UNKNOWN_MARK}') THEN step ELSE 0 END)`,
    },
  };
}

/** The rows of `totals()` for this process. */
export function totalRows(scope: Scope, plan: Planned, kind: SummandKind): string {
  return statement(
    sumMembers(scope, totalAmounts(scope, plan, kind), false),
    `SELECT ${rowsSelect(scope.dialect, totalShape)} FROM sums`,
  );
}

/** The self-contained statement for the sums of a column's numbers at each date. */
export function totalsStatement(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  plan: Planned,
  { kind, unit }: { readonly kind: SummandKind; readonly unit: string | undefined },
): string {
  const { dialect } = scope;
  const { query } = plan;
  const amounts = totalAmounts(scope, plan, kind);
  const isGrouped = query.by.kind !== "none";
  const names = unit === undefined ? totalColumns : [...totalColumns, "unit"];
  const { ownColumns, leading } = datedColumns(scope, kinds, query.by, names);
  const [, sum, count, unknown, units] = ownColumns;
  // Without groups, each date has a row, even before the first feature.
  const always = isGrouped
    ? []
    : [
        `all_sums AS (SELECT * FROM sums
  UNION ALL SELECT 0, ${dialect.none("text")}, ${dialect.double("0")}, 0, 0, 0, 0)`,
      ];
  return statement(
    [
      ...sumMembers(scope, amounts, true),
      ...always,
      ...datedMembers(dialect, { ...amounts, query }, isGrouped ? "sums" : "all_sums"),
    ],
    `SELECT ${leading}, CASE WHEN counted = 0 THEN 0 ELSE total END AS ${sum}, counted AS ${count}, dated.unknown AS ${unknown}${
      unit === undefined ? "" : `, ${dialect.text(unit)} AS ${units}`
    }
FROM dated${isGrouped ? " WHERE present > 0" : ""} ORDER BY dated.asked, dated.g`,
  );
}
