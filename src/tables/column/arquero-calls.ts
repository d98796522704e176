import type * as Arquero from "arquero";
import type { ColumnTable } from "arquero";

// Arquero, with those of its calls as methods of tables that would pass ours by: which take any function of rows, and tell
// which column is none.
export * from "arquero";

/** Arquero's, by the methods `ungroup` and `rollup`. */
export const agg: typeof Arquero.agg = (table, expr) =>
  (table as ColumnTable).ungroup().rollup({ _: expr }).get("_") as ReturnType<typeof Arquero.agg>;

type Writer = "toArrow" | "toArrowIPC" | "toCSV" | "toHTML" | "toJSON" | "toMarkdown";

const written = <Name extends Writer>(name: Name) =>
  ((table: ColumnTable, ...options: []) => table[name](...options)) as unknown as (typeof Arquero)[Name];

/** Arquero's, by the method `toArrow`. */
export const toArrow = written("toArrow");
/** Arquero's, by the method `toArrowIPC`. */
export const toArrowIPC = written("toArrowIPC");
/** Arquero's, by the method `toCSV`. */
export const toCSV = written("toCSV");
/** Arquero's, by the method `toHTML`. */
export const toHTML = written("toHTML");
/** Arquero's, by the method `toJSON`. */
export const toJSON = written("toJSON");
/** Arquero's, by the method `toMarkdown`. */
export const toMarkdown = written("toMarkdown");
