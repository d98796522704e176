import type { Codes } from "../log/change-log.js";

/** Codes stand so much higher than in the log's dictionary: below are the reasons why no change decides a cell. */
export const REASONS = 3;

/** What a column's cells say. */
export interface DecidedCells {
  /** By row of the table: the code of a value, or `UNKNOWN`, `UNCHANGED`, `ABSENT`, each `REASONS` higher. */
  readonly codes: Codes;
  /** When the changes that decide were made, microseconds since 1970; NaN where none does. */
  readonly changedUs: Float64Array | undefined;
}
