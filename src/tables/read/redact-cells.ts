import type { Resource } from "../../api/form/resource.js";
import { resources } from "../../api/resources.js";
import type { Pseudonym } from "../../client/page/pseudonym.js";
import type { ColumnPage, RecordReader } from "./record-reader.js";

/** Replaces person data (the contract's `personal` fields) in the cells of a page by pseudonyms. */
export function redactCells({ cells }: ColumnPage, reader: RecordReader, pseudonym: Pseudonym): void {
  const contract: Resource = resources[reader.resource];
  for (const [name, { personal }] of Object.entries(contract.fields)) {
    const builder = reader.fields.get(name);
    const words = builder && cells.get(builder);
    if (!personal || !words) continue;
    const column = builder.finish(words);
    for (let row = 0; row < column.length; row += 1) {
      const value = column.at(row);
      if (value !== null && value !== undefined) builder.replace(words, row, pseudonym(value));
    }
  }
}
