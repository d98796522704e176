import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import type { EncodedRecord } from "../write/encode-record.js";
import { logParts } from "../write/join-parts.js";
import { RowAppender } from "../write/row-appender.js";
import { writeTable } from "../write/write-staged-tables.js";
import type { LogChunk } from "./log-plan.js";
import type { WorkTables } from "./work-tables.js";

/** Rows of a part at most, about. */
const PART_ROWS = 65_536;
/** How much waits outside of DuckDB's memory, which has a limit, until it is handed over. */
const FLUSH_ROWS = 8192;
const FLUSH_CHARACTERS = 2 ** 21;

const schema = schemaOf("propertyChanges");

/** A part of the log while it is put together: changes, and the sites of their features, which say where they go. */
export class LogPart {
  readonly #tables: WorkTables;
  readonly #changes: RowAppender;
  readonly #features: RowAppender;
  #rows = 0;
  #characters = 0;
  #waitingRows = 0;
  #waitingCharacters = 0;

  private constructor(tables: WorkTables, changes: RowAppender, features: RowAppender) {
    this.#tables = tables;
    this.#changes = changes;
    this.#features = features;
  }

  static async open(tables: WorkTables): Promise<LogPart> {
    const { name } = schemaOf("layerFeatures");
    await tables.create(schema);
    await tables.connection.run(`CREATE OR REPLACE TABLE ${name} (id BIGINT, site_id BIGINT)`);
    const features = await RowAppender.open(tables.connection, name, ["BIGINT", "BIGINT"]);
    return new LogPart(tables, await tables.appender(schema), features);
  }

  get isFull(): boolean {
    return this.#rows >= PART_ROWS || this.#characters >= schema.partBytes;
  }

  /** @param rows changes of the features of `chunk` */
  add({ ids, sites }: LogChunk, rows: readonly EncodedRecord[]): void {
    for (const [index, id] of ids.entries()) {
      const site = sites[index] ?? null;
      this.#features.append([BigInt(id), site === null ? null : BigInt(site)]);
    }
    for (const { values, text } of rows) this.#addRow([...values, text], text.length);
  }

  /** Writes the part, by site. Nothing can be added to it any more. */
  async write(): Promise<readonly SnapshotFile[]> {
    this.#features.close();
    this.#changes.close();
    if (this.#rows === 0) return [];
    return writeTable(this.#tables.connection, logParts, this.#tables.folder);
  }

  #addRow(values: EncodedRecord["values"], characters: number): void {
    this.#changes.append(values);
    this.#rows++;
    this.#characters += characters;
    this.#waitingCharacters += characters;
    if (++this.#waitingRows < FLUSH_ROWS && this.#waitingCharacters < FLUSH_CHARACTERS) return;
    this.#changes.flush();
    [this.#waitingRows, this.#waitingCharacters] = [0, 0];
  }
}
