/** What stands for a value that is not known, where values are JSON texts: no JSON text is like that. */
export const UNKNOWN_MARK = "?";

/** What stands before the JSON text of a value that was never changed. */
export const UNCHANGED_MARK = "=";

/** Microseconds that are before all others; a double holds them exactly. */
export const BEGINNING_US = -(2 ** 62);
