import type { ColumnTable } from "arquero";
import type { Provenance } from "../core/provenance.js";
import type { TableView } from "../tables/display/html/table-view.js";
import { originText } from "../tables/display/text/origin-text.js";
import { shownLog } from "./tables/shown-log.js";

/** What of a history is shown. */
interface ShownHistory {
  readonly columns: readonly string[];
  readonly provenance: Provenance;
}

/** The log of a history as `show()` shows it. */
export function historyView(history: ShownHistory, table: ColumnTable, featureCount: number): TableView {
  const columns = shownLog(table.columnNames()).map((name) => ({ name, at: table.getter(name) }));
  const from = originText(history.provenance);
  const count = (total: number, one: string, many: string) =>
    `${total.toLocaleString("en-US")} ${total === 1 ? one : many}`;
  const properties = count(history.columns.length, "property", "properties");
  const features = count(featureCount, "feature", "features");
  const caption = `History of ${properties}, ${features}, from ${from}`;
  return { rowCount: table.numRows(), columns, caption, owner: history };
}
