import { parseInstant } from "../../core/instant.js";
import type { Column } from "../column/column.js";

/** The values of a column of timestamps that are not what they look like. */
export interface OddInstants {
  /** How many are a leap second or the end of a day, and are read as the beginning of the next second. */
  readonly rolledOver: number;
  /** Rows whose value is no instant, or names a date or time that does not exist. Null is none of them. */
  readonly impossible: readonly number[];
}

/** A column that may know by its form that all its values are instants as they should be, or null. */
interface FormedColumn extends Column {
  readonly isRegular: boolean;
}

/** Looks through a column of timestamps; one that says that it is regular is not read. */
export function oddInstants(column: Column): OddInstants {
  let rolledOver = 0;
  const impossible: number[] = [];
  if (isFormed(column) && column.isRegular) return { rolledOver, impossible };
  const known = new Map<string, InstantKind>();
  for (let row = 0; row < column.length; row += 1) {
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
  return "isRegular" in column;
}
