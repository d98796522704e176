import { parseInstant } from "../../core/instant.js";
import type { Column } from "../column/column.js";

/** The values of a column of timestamps that are not what they look like. */
export interface OddInstants {
  /** How many are a leap second or the end of a day, and are read as the beginning of the next second. */
  readonly rolledOver: number;
  /** Rows whose value is no instant, or names a date or time that does not exist. Null is none of them. */
  readonly impossible: readonly number[];
}

/** A column that knows by its form which of its values may be other than null or instants as they should be. */
interface FormedColumn extends Column {
  rowsWithoutForm(): Iterable<number>;
}

/** Looks through a column of timestamps; values that have their column's form are not read. */
export function oddInstants(column: Column): OddInstants {
  let rolledOver = 0;
  const impossible: number[] = [];
  const known = new Map<string, InstantKind>();
  for (const row of isFormed(column) ? column.rowsWithoutForm() : Array.from({ length: column.length }).keys()) {
    const value = column.at(row);
    if (value === null || value === undefined) continue;
    const kind = typeof value === "string" ? kindOf(value, known) : "impossible";
    if (kind === "impossible") impossible.push(row);
    else rolledOver += Number(kind === "rolled over");
  }
  return { rolledOver, impossible };
}

type InstantKind = "regular" | "rolled over" | "impossible";

/** Features that were made together share their time. */
const MOST_KNOWN = 1024;

function kindOf(text: string, known: Map<string, InstantKind>): InstantKind {
  const before = known.get(text);
  if (before) return before;
  const instant = parseInstant(text);
  const kind = !instant ? "impossible" : instant.rolledOver ? "rolled over" : "regular";
  if (known.size < MOST_KNOWN) known.set(text, kind);
  return kind;
}

function isFormed(column: Column): column is FormedColumn {
  return "rowsWithoutForm" in column;
}
