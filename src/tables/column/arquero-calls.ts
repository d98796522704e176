import type * as Arquero from "arquero";
import type { ColumnTable } from "arquero";

// Arquero, with replacements for functions that would bypass our methods of tables, which accept any function of rows
// and report missing columns.
export * from "arquero";

/** Arquero's function, by the methods `ungroup` and `rollup`. */
export const agg: typeof Arquero.agg = (table, expr) =>
  (table as ColumnTable).ungroup().rollup({ _: expr }).get("_") as ReturnType<typeof Arquero.agg>;

type Writer = "toArrow" | "toArrowIPC" | "toCSV" | "toHTML" | "toJSON" | "toMarkdown";

const written = <Name extends Writer>(name: Name) =>
  ((table: ColumnTable, ...options: []) => table[name](...options)) as unknown as (typeof Arquero)[Name];

/** Arquero's function, by the method `toArrow`. */
export const toArrow = written("toArrow");
/** Arquero's function, by the method `toArrowIPC`. */
export const toArrowIPC = written("toArrowIPC");
/** Arquero's function, by the method `toCSV`. */
export const toCSV = written("toCSV");
/** Arquero's function, by the method `toHTML`. */
export const toHTML = written("toHTML");
/** Arquero's function, by the method `toJSON`. */
export const toJSON = written("toJSON");
/** Arquero's function, by the method `toMarkdown`. */
export const toMarkdown = written("toMarkdown");
