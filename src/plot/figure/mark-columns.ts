import type { ColumnTable } from "arquero";
import { nearestName } from "../../core/nearest-name.js";
import { noColumn } from "../../tables/column/missing-column.js";

/** A mark as Plot keeps it. A transform computes channels, which have the name of the column that they are made of as their label. */
interface TableMark {
  readonly data?: unknown;
  readonly channels?: Readonly<Record<string, Channel>>;
  readonly fx?: unknown;
  readonly fy?: unknown;
  readonly transform?: unknown;
  initialize(): unknown;
}

interface Channel {
  readonly value?: unknown;
}

/**
 * Of a name that is no column Plot draws nothing, and says nothing.
 *
 * @param marks as `plot()` takes them
 * @throws ArgumentError for a mark of a table that names a column which the table does not have
 */
export function requireMarkColumns(marks: unknown): void {
  for (const mark of [marks].flat(Number.POSITIVE_INFINITY)) {
    const table = isMark(mark) ? tableOf(mark.data) : undefined;
    if (!table || !isMark(mark)) continue;
    const missing = missingColumn(mark, new Set(table.columnNames()));
    if (missing !== undefined) throw noColumn(missing, table);
  }
}

function isMark(mark: unknown): mark is TableMark {
  return typeof mark === "object" && mark !== null && typeof Reflect.get(mark, "initialize") === "function";
}

/** A table that has rows: one of no records has no columns. */
function tableOf(data: unknown): ColumnTable | undefined {
  if (typeof data !== "object" || data === null || typeof Reflect.get(data, "columnNames") !== "function")
    return undefined;
  const table = data as ColumnTable;
  return table.numRows() > 0 ? table : undefined;
}

function missingColumn(mark: TableMark, columns: ReadonlySet<string>): string | undefined {
  const channels = Object.values(mark.channels ?? {}).map(({ value }) => value);
  const isMissing = (name: unknown): name is string => typeof name === "string" && !columns.has(name);
  const named = [...channels, mark.fx, mark.fy].find(isMissing);
  if (named !== undefined || !mark.transform) return named;
  const labels = [...channels, mark.fx, mark.fy].map((value) => (isComputed(value) ? value.label : undefined));
  const likely = labels.filter(
    (label): label is string => isMissing(label) && nearestName(label, columns) !== undefined,
  );
  if (likely.length === 0) return undefined;
  const read = readNames(mark);
  return likely.find((label) => read.has(label));
}

function isComputed(value: unknown): value is { readonly label?: unknown } {
  return typeof value === "object" && value !== null && "transform" in value;
}

/** The names that a mark's transform reads of rows: a label may be one that the user gave. */
function readNames(mark: TableMark): ReadonlySet<string> {
  const names = new Set<string>();
  const rows = Array.from(mark.data as Iterable<object>, (row) => {
    return new Proxy(row, {
      get(target, name) {
        if (typeof name === "string") names.add(name);
        return Reflect.get(target, name) as unknown;
      },
    });
  });
  try {
    Object.create(mark, { data: { value: rows } }).initialize();
  } catch {
    // What cannot be drawn is told when it is drawn.
  }
  return names;
}
