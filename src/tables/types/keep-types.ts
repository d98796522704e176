import { ColumnTable } from "arquero";
import { isDate, propertyRule } from "../../api/property-types.js";
import type { Column } from "../column/column.js";
import { columnFormat, setColumnFormat } from "../column/column-format.js";
import { type DeclaredType, declaredType, declareType } from "./declared-type.js";

type Verb = (this: ColumnTable, ...values: readonly unknown[]) => unknown;

/** Verbs that create columns without changing their values. */
const copying =
  "antijoin assign concat cross dedupe except intersect join join_full join_left join_right lookup reify sample semijoin union";
/** Verbs that only copy the columns of the table's groups. */
const aggregating = "count pivot rollup";
const computing = "derive fold impute reduce spread unroll";

/**
 * Makes columns that Arquero's verbs create inherit the types and units of their source columns, so that a date remains
 * a date in exports. Types belong to the column object, and Arquero copies values into new arrays.
 */
export function keepTypes(prototype: Record<PropertyKey, unknown>): void {
  const isCopy = (name: string, isGroup: boolean) =>
    copying.split(" ").includes(name) || (isGroup && aggregating.split(" ").includes(name));
  for (const name of `${copying} ${aggregating} ${computing}`.split(" ")) {
    const verb = prototype[name] as Verb;
    const value: Verb = function (...values) {
      const result = Reflect.apply(verb, this, values);
      if (!(result instanceof ColumnTable) || result === this) return result;
      const groups = this.isGrouped() ? this.groups().names : [];
      const sources = [this, ...values.flat().filter((other) => other instanceof ColumnTable)];
      // Columns of later tables replace earlier ones.
      const ordered = name === "assign" ? sources.toReversed() : sources;
      declareColumns(result, ordered, name === "assign", (column) => isCopy(name, groups.includes(column)));
      return result;
    };
    Object.defineProperty(value, "name", { value: name });
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
  }
}

function declareColumns(
  result: ColumnTable,
  sources: readonly ColumnTable[],
  isReplaced: boolean,
  isCopy: (column: string) => boolean,
): void {
  const data = sources.map((source) => source.data() as Readonly<Record<string, Column>>);
  let hasDates: boolean | undefined;
  for (const [name, column] of Object.entries(result.data() as Readonly<Record<string, Column>>)) {
    // Arquero passes most columns on unchanged.
    const named = data.flatMap((columns) => (columns[name] ? [columns[name]] : []));
    const sourced = isReplaced ? named.slice(0, 1) : named;
    if (sourced[0] === column || declaredType(column)) continue;
    if (isCopy(name)) setColumnFormat(column, columnFormat(sourced[0]));
    const types = sourced.map(declaredType);
    const [type] = types;
    if (type && isCopy(name) && types.every((other) => other?.of === type.of && other.type === type.type)) {
      declareType(column, type);
    } else {
      const dated = types.map(datedType).find((one) => one !== undefined);
      hasDates ??= data.some((columns) => Object.values(columns).some((one) => datedType(declaredType(one)) === DATE));
      if (dated ?? (hasDates && startsWithDate(column))) declareType(column, { of: "verb", type: dated ?? DATE });
    }
  }
}

const DATE = "DATE";

/** The type of a definition for columns of dates, or of times as strings; undefined for other columns. */
function datedType(declared: DeclaredType | undefined): string | undefined {
  if (declared?.type === "date") return DATE;
  const isTyped = declared?.of === "property" || declared?.of === "verb";
  return isTyped && propertyRule(declared.type)?.axis === "instant" ? declared.type : undefined;
}

function startsWithDate(column: Column): boolean {
  for (const value of column) if (value !== null && value !== undefined) return isDate(value);
  return false;
}
