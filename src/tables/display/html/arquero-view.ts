import { provenanceOf } from "../../../core/provenance.js";
import { originText } from "../text/origin-text.js";
import type { TableView } from "./table-view.js";

interface ArqueroLike {
  numRows(): number;
  columnNames(): string[];
  /** Rows are counted as the table shows them: after its filter, in its order. */
  getter(name: string): (row: number) => unknown;
}

/** An Arquero table as a `TableView`, recognised by its methods so that Arquero need not be loaded. */
export function arqueroView(value: unknown): TableView | undefined {
  if (!isArqueroLike(value)) return undefined;
  const columns = value.columnNames().map((name) => ({ name, at: value.getter(name) }));
  const provenance = provenanceOf(value);
  // What was read from the service just now is as old as the output that shows it.
  const age = provenance?.origin.kind === "snapshot" ? { age: originText(provenance) } : {};
  return { rowCount: value.numRows(), columns, owner: value, ...age };
}

function isArqueroLike(value: unknown): value is ArqueroLike {
  if (typeof value !== "object" || value === null) return false;
  const candidate = value as Partial<ArqueroLike>;
  return (
    typeof candidate.numRows === "function" &&
    typeof candidate.columnNames === "function" &&
    typeof candidate.getter === "function"
  );
}
