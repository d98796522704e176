import type { ParsedQuery } from "../../api/parse-query.js";
import type { Database } from "../database/database.js";
import { whereMayHoldFeatures } from "../database/feature-datasets.js";
import { orderBy } from "../database/order-by.js";
import { type FeatureOrder, featureOrder, sortsByProperty } from "../database/property-order.js";
import { whereFilters } from "../database/where.js";
import { schemaOf } from "../format/table-schema.js";
import { CodeColumn, type RowTest } from "./code-column.js";
import { passingRows } from "./passing-rows.js";
import type { Access } from "./snapshot-store.js";
import { WeightedCache } from "./weighted-cache.js";

type FilterName = "site_id" | "operation_id" | "dataset_id" | "semantic_type";

const FILTERS: readonly FilterName[] = ["site_id", "operation_id", "dataset_id", "semantic_type"];
/** Bytes of row numbers to keep. */
const KEPT_ORDERS = 48_000_000;
const KEPT_SELECTIONS = 32_000_000;
const FEATURES_ONLY = whereMayHoldFeatures("served.datasets");

const schema = schemaOf("layerFeatures");

/**
 * The layer features without their texts: enough to say which rows a page has. An order of all rows is kept, so that
 * any filter in that order is one pass over small numbers.
 */
export class FeatureTable {
  /** Bytes of each record's text, by row. */
  readonly lengths: Uint32Array;
  readonly #database: Database;
  readonly #columns: Readonly<Record<FilterName, CodeColumn>>;
  readonly #orders = new WeightedCache<Uint32Array>(KEPT_ORDERS);
  readonly #selections = new WeightedCache<Uint32Array>(KEPT_SELECTIONS);

  private constructor(database: Database, rows: number) {
    this.#database = database;
    this.lengths = new Uint32Array(rows);
    this.#columns = {
      site_id: new CodeColumn(rows),
      operation_id: new CodeColumn(rows),
      dataset_id: new CodeColumn(rows),
      semantic_type: new CodeColumn(rows),
    };
  }

  /** @param rows number of layer features in the snapshot */
  static async load(database: Database, rows: number): Promise<FeatureTable> {
    const table = new FeatureTable(database, rows);
    await Promise.all([
      table.#loadColumns(),
      table.#order([{ field: "id", descending: false }]),
      table.#order([
        { field: "updated_at", descending: true },
        { field: "id", descending: true },
      ]),
    ]);
    return table;
  }

  /** The rows that a query selects, in its order. */
  select(query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<Uint32Array> {
    const key = JSON.stringify([[...query.filters], query.sort, access.siteIds]);
    const select = async (wanted: AbortSignal) => {
      const order = sortsByProperty(query.sort)
        ? await this.#orderByProperty(query, wanted)
        : await this.#order(query.sort, wanted);
      return passingRows(order, this.#tests(query, access));
    };
    return this.#selections.get(key, select, signal);
  }

  #tests({ filters }: ParsedQuery, { siteIds }: Access): RowTest[] {
    const tests = FILTERS.flatMap((name) => {
      const values = filters.get(name);
      return values ? [this.#columns[name].test(values)] : [];
    });
    return siteIds ? [...tests, this.#columns.site_id.test(siteIds)] : tests;
  }

  #order(sort: ParsedQuery["sort"], signal?: AbortSignal): Promise<Uint32Array> {
    const rows = { sql: `layer_features WHERE ${FEATURES_ONLY}`, parameters: [] };
    const order = (wanted: AbortSignal) => this.#rowNumbers({ rows, sql: orderBy(schema, sort) }, wanted);
    return this.#orders.get(JSON.stringify(sort), order, signal);
  }

  /** `passingRows` sees to the sites: a condition on them would skip files, and `row` counts the files that are read. */
  async #orderByProperty(query: ParsedQuery, signal: AbortSignal): Promise<Uint32Array> {
    const { sql, parameters } = whereFilters(new Map([...query.filters].filter(([name]) => name !== "site_id")));
    const where = { sql: `${FEATURES_ONLY} AND ${sql}`, parameters };
    return this.#rowNumbers(await featureOrder(this.#database, schema, query, where), signal);
  }

  async #rowNumbers(order: FeatureOrder, signal: AbortSignal): Promise<Uint32Array> {
    const rows = new Uint32Array(this.lengths.length);
    let count = 0;
    const sql = `SELECT row::INTEGER FROM ${order.rows.sql} ORDER BY ${order.sql}`;
    for await (const chunk of this.#database.chunks(sql, order.rows.parameters, { signal })) {
      const vector = chunk.getColumnVector(0);
      const length = vector.itemCount;
      for (let index = 0; index < length; index++) rows[count++] = vector.getItem(index) as number;
    }
    return rows.slice(0, count);
  }

  async #loadColumns(): Promise<void> {
    const numbers = FILTERS.map((name) => (name === "semantic_type" ? name : `${name}::DOUBLE`));
    const sql = `SELECT row::INTEGER, record_bytes, ${numbers.join()} FROM layer_features`;
    const columns = FILTERS.map((name) => this.#columns[name]);
    for await (const chunk of this.#database.chunks(sql)) {
      const length = chunk.rowCount;
      const rows = new Uint32Array(length);
      const [positions, lengths] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
      for (let index = 0; index < length; index++) {
        const row = positions.getItem(index) as number;
        rows[index] = row;
        this.lengths[row] = lengths.getItem(index) as number;
      }
      for (const [at, column] of columns.entries()) column.fill(rows, chunk.getColumnVector(at + 2));
    }
  }
}
