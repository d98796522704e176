import { parseInstant } from "../../core/instant.js";
import type { Column } from "../column/column.js";

/** Irregular values of a column of timestamps. */
export interface OddInstants {
  /** Number of leap seconds and ends of days, which are read as the start of the next second. */
  readonly rolledOver: number;
  /** Rows with an invalid instant, or a date or time that does not exist. Null is excluded. */
  readonly impossible: readonly number[];
}

/** A column that determines by their form which values may be irregular. */
interface FormedColumn extends Column {
  rowsWithoutForm(): Iterable<number>;
}

/** Checks a column of timestamps; values in their column's form need no check. */
export function oddInstants(column: Column): OddInstants {
  let rolledOver = 0;
  const impossible: number[] = [];
  const kinds = new Map<string, InstantKind>();
  for (const row of isFormed(column) ? column.rowsWithoutForm() : Array.from({ length: column.length }).keys()) {
    const value = column.at(row);
    if (value === null || value === undefined) continue;
    const kind = typeof value === "string" ? kindOf(value, kinds) : "impossible";
    if (kind === "impossible") impossible.push(row);
    else rolledOver += Number(kind === "rolled over");
  }
  return { rolledOver, impossible };
}

type InstantKind = "regular" | "rolled over" | "impossible";

/** Features created together share their time. */
const MOST_KNOWN = 1024;

function kindOf(text: string, kinds: Map<string, InstantKind>): InstantKind {
  const before = kinds.get(text);
  if (before) return before;
  const instant = parseInstant(text);
  const kind = !instant ? "impossible" : instant.rolledOver ? "rolled over" : "regular";
  if (kinds.size < MOST_KNOWN) kinds.set(text, kind);
  return kind;
}

function isFormed(column: Column): column is FormedColumn {
  return "rowsWithoutForm" in column;
}
