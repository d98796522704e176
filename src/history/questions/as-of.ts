import type { ColumnTable } from "arquero";
import { type OptionRules, oneOf, texts } from "../../core/options.js";
import { propertyValues } from "../../layer/name-columns.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { type Column, computedColumn, PickedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import { UNCHANGED, UNKNOWN } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { isAbsent, rowsAt } from "../cell/present-rows.js";
import { valuesAt } from "../cell/values-at.js";
import { BlockColumn } from "../columns/block-column.js";
import { chooseColumns } from "../columns/choose-columns.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { presenceOf } from "./engine/log-survey.js";
import { type Question, type QuestionData, queryInBatches, requireColumns } from "./engine/query-in-batches.js";
import { declaredKinds } from "./plan/value-kinds.js";
import { JsonValues } from "./rows/cell-decoder.js";
import { castValue, loggedValue, UNKNOWN_MARK, type ValueKind } from "./sql/cell-values.js";
import { changeCtes, ofFirstChange, ofLastChange } from "./sql/cte/change-ctes.js";
import { existence, existsAt, isWide } from "./sql/cte/feature-ctes.js";
import { type LayerSelection, layerColumns } from "./sql/cte/layer-columns.js";
import { type SqlExpression, usLiteral } from "./sql/dialect/literals.js";
import { type Scope, statement } from "./sql/statement-scope.js";

/** Options of `history.asOf()`. */
export interface AsOfOptions {
  /** Property columns to return. Default: all. Base columns are always included. */
  readonly columns?: readonly string[];
  /** Value of a cell whose changes are all later: null, or the first later value. Default: `"null"`. */
  readonly fillUnknown?: "null" | "backfill";
  /** Whether to leave out features that did not exist yet, or keep them with null properties. Default: `"drop"`. */
  readonly absent?: "drop" | "keep";
}

/** Rules for the options. */
export const asOfRules: OptionRules<AsOfOptions> = {
  columns: texts,
  fillUnknown: oneOf("null", "backfill"),
  absent: oneOf("drop", "keep"),
};

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the layer as of a time: one row for each feature that existed, with the layer's columns and the property
     * values of that time.
     *
     * @param options columns to return, and the treatment of unknown values and absent features
     * @example
     * ```ts
     * history.asOf("2025-06-30").select("visible_id", "Title", "PRIORITY", "STATUS").slice(0, 4)
     * ```
     * @throws ArgumentError
     */
    asOf(time: TimePoint, options?: AsOfOptions & { readonly columns?: undefined }): Rows;
    /**
     * Returns the layer as of a time: one row for each feature that existed, with the layer's columns and the property
     * values of that time.
     *
     * @param options columns to return, and the treatment of unknown values and absent features
     * @example
     * ```ts
     * history.asOf("2025-06-30", { columns: ["STATUS"], fillUnknown: "backfill" }).groupby("STATUS").count()
     * ```
     * @throws ArgumentError
     */
    asOf(time: TimePoint, options?: AsOfOptions): ColumnTable;
  }
}

export const asOfSpecification = specify({
  summary: "A layer at a past time, one row per feature that existed.",
  takes: ["at"],
  options: asOfRules,
  time: (time: TimePoint, _options?: AsOfOptions) => time,
  isAsOf: true,
  hasFeatures: true,
  memory: (data, time: TimePoint, options: AsOfOptions = {}) => ({ table: asOf(data, time, options) }),
  engine: asOfQuestion,
});

/** One row per feature, with the layer's columns and the property values as of a time. */
export function asOf(data: HistoryData, point: TimePoint, options: AsOfOptions = {}): ColumnTable {
  const us = resolveTimePoint(point, data.timeZone);
  const columns = chooseColumns(data.names, options.columns);
  const backfill = options.fillUnknown === "backfill";
  const rows = rowsAt(data, us, options.absent);
  return asOfTable(data, columns, rows, (column) => {
    return new BlockColumn(rows.length, valuesAt(data, column, rows, us, backfill));
  });
}

/**
 * The layer's columns with other property values.
 *
 * @param columns indices of the property columns
 * @param rows rows of the features
 * @param valuesOf returns the values of a column, in the order of the rows
 */
function asOfTable(
  { features, names, columns: properties, timeZone }: Pick<HistoryData, "features" | "names" | "columns" | "timeZone">,
  columns: readonly number[],
  rows: Int32Array,
  valuesOf: (column: number) => Column<unknown>,
): ColumnTable {
  const base = (field: BaseField) => {
    const values = features.base(field);
    return [field, rows.length === features.count ? values : new PickedColumn(values, rows)] as const;
  };
  const property = (column: number) => {
    return [
      names[column] as string,
      propertyValues(properties[column] as PropertyColumn, valuesOf(column), timeZone),
    ] as const;
  };
  const { leading, trailing } = features.fields;
  return toTable([...leading.map(base), ...columns.map(property), ...trailing.map(base)]);
}

/** The question for the layer as of a time. */
export function asOfQuestion(data: QuestionData, point: TimePoint, options: AsOfOptions): Question<ColumnTable> {
  const query: AsOfQuery = {
    us: resolveTimePoint(point, data.timeZone),
    columns: chooseColumns(data.names, options.columns),
    backfill: options.fillUnknown === "backfill",
    keepsAbsent: options.absent === "keep",
  };
  return {
    table: (signal) => table(data, query, signal),
    statement: async (scope, kinds) => asOfStatement(scope, declaredKinds(data, await kinds(query.columns)), query),
    cellsPerFeature: query.columns.length,
  };
}

async function table(data: QuestionData, query: AsOfQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const present = await presenceOf(data, signal);
  const cells = new Map(query.columns.map((column) => [column, new DecidedCells(data.features.count)]));
  if (cells.size > 0) {
    const write = asOfCells;
    for await (const { rowCount, columns } of queryInBatches(
      data,
      cells.size,
      (scope) => write(scope, query),
      signal,
    )) {
      const [features, cols, values] = requireColumns(columns, 3);
      for (let index = 0; index < rowCount; index += 1) {
        const row = data.rowOf.get(Number(features[index]));
        if (row !== undefined) cells.get(Number(cols[index]))?.decide(row, values[index]);
      }
    }
  }
  const rows = rowsAt(present, query.us, query.keepsAbsent ? "keep" : "drop");
  return asOfTable(data, query.columns, rows, (column) => {
    const current = data.columns[column]?.values;
    const decided = cells.get(column);
    return computedColumn(rows.length, (entry) => {
      const row = rows[entry] as number;
      if (isAbsent(present, row, query.us)) return null;
      return decided?.isUnchanged(row) ? (current?.at(row) ?? null) : (decided?.at(row) ?? null);
    });
  });
}

/** The contents of the cells of a column, by row. */
class DecidedCells {
  readonly #codes: Int32Array;
  readonly #values = new JsonValues();

  constructor(rowCount: number) {
    this.#codes = new Int32Array(rowCount).fill(UNCHANGED);
  }

  decide(row: number, value: unknown): void {
    this.#codes[row] = value === UNKNOWN_MARK ? UNKNOWN : this.#values.code(value);
  }

  isUnchanged(row: number): boolean {
    return this.#codes[row] === UNCHANGED;
  }

  at(row: number): unknown {
    return this.#values.values[this.#codes[row] ?? UNKNOWN];
  }
}

/** Parameters of an as-of query. */
interface AsOfQuery extends AsOfCells {
  readonly us: number;
}

/** The same for a statement, whose time may be set when it runs. */
interface AsOfCells extends LayerSelection {
  readonly us: number | SqlExpression;
  /** Whether a cell whose changes are all later gets its first later value. */
  readonly backfill: boolean;
  /** Whether to keep features that did not exist yet. */
  readonly keepsAbsent: boolean;
}

/** `f`, `col` and `v` of the cells that were ever changed: the value as JSON text, or the mark of an unknown value. */
function asOfCells(scope: Scope, query: AsOfQuery): string {
  return statement(cellMembers(scope, query, false), `SELECT ${scope.dialect.double("f")} AS f, col, v FROM cells`);
}

/**
 * The self-contained statement for the layer as of a time. It reads the log once, for both the values and the times
 * from which features exist.
 *
 * @param kinds kinds of the scope's columns
 */
export function asOfStatement(scope: Scope, kinds: readonly (ValueKind | undefined)[], query: AsOfCells): string {
  const { columns, us, keepsAbsent } = query;
  const existing = (value: string) => `CASE WHEN ${existsAt(scope, us)} THEN ${value} END`;
  const { entriesOf } = scope.dialect;
  const changed = entriesOf && isWide(scope, columns.length) ? entriesOf : undefined;
  const valueAsOf = (index: number, now: string) => {
    const value = changed ? changed.at("changed_values", String(columns[index])) : `v${index}`;
    return `coalesce(${value}, ${now})`;
  };
  const layer = layerColumns(
    scope,
    query,
    (column, index, now) => existing(castValue(scope.dialect, kinds[column], valueAsOf(index, now))),
    (index, now) => existing(loggedValue(valueAsOf(index, now))),
  );
  const values = changed
    ? [`${changed.of("col", "v")} AS changed_values`]
    : columns.map((column, index) => `max(CASE WHEN col = ${column} THEN v END) AS v${index}`);
  return statement(
    [
      ...layer.members,
      ...cellMembers(scope, query, true),
      `wide AS (SELECT ${["f AS changed", "min(first_us) AS first_us", ...values].join(", ")} FROM cells GROUP BY f)`,
      `present AS (SELECT *, ${existence(scope)} FROM feat LEFT JOIN wide ON changed = f)`,
    ],
    `SELECT ${layer.selected}
FROM present${keepsAbsent ? "" : `\nWHERE ${existsAt(scope, us)}`}
ORDER BY 1`,
  );
}

/**
 * `cells`: the content of each cell that was ever changed.
 *
 * @param others whether to add `first_us` (when the first change was made) and the cells of all other properties as one
 */
function cellMembers(scope: Scope, { columns, us, backfill }: AsOfCells, others: boolean): string[] {
  const { dialect } = scope;
  const ofColumns = others ? " AND col IS NOT NULL" : "";
  const last = ofLastChange(dialect, "v", `us <= ${usLiteral(us)}${ofColumns}`);
  const first = ofFirstChange(dialect, "v", `us IS NOT NULL${ofColumns}`);
  const value = [last, ...(backfill ? [first] : []), `'${UNKNOWN_MARK}'`].join(", ");
  return [
    ...changeCtes(scope, columns, { others }),
    `cells AS (SELECT f, col, coalesce(${value}) AS v${others ? ", min(us) AS first_us" : ""} FROM changes GROUP BY f, col)`,
  ];
}
