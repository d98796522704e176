import { trino } from "../../dist/index.js";

let asked = 0;

/**
 * A question as one cluster answers it, its result left there: of every row only a sum that tells whether two results are
 * the same.
 */
export class ClusterQuestion {
  #place;
  #statements;
  #last = "";

  constructor(place, statements) {
    this.#place = place;
    this.#statements = statements;
  }

  /**
   * Asks once through the library, and keeps what that asked the engine.
   *
   * @param place where the tables are declared
   * @param ask gives the answer to a question
   */
  static async of(place, snapshot, params, ask) {
    const engine = trino(place);
    const statements = [];
    const query = async function* (sql, options) {
      const statement = { sql, width: 0 };
      statements.push(statement);
      for await (const rows of engine.query(sql, options)) {
        statement.width = rows.columns.length;
        yield rows;
      }
    };
    const questions = await snapshot.questions(params, { engine: { ...engine, query } });
    statements.length = 0;
    await ask(questions);
    await engine.close();
    return new ClusterQuestion(place, statements);
  }

  /** @returns a sum of the result */
  async ask() {
    asked += 1;
    this.#last = `bench ${process.pid} ${asked}`;
    const engine = trino({ ...this.#place, source: this.#last });
    const sums = [];
    for (const statement of this.#statements) sums.push(...(await rowsOf(engine, summed(statement))));
    await engine.close();
    return JSON.stringify(sums);
  }

  /** What the last time cost, as the engine counts it. */
  async describe() {
    const engine = trino(this.#place);
    const ids = await rowsOf(engine, `SELECT query_id FROM system.runtime.queries WHERE source = '${this.#last}'`);
    const list = ids.map(([id]) => `'${id}'`).join();
    const splits = await rowsOf(
      engine,
      `SELECT node_id, sum(splits), sum(split_cpu_time_ms) FROM system.runtime.tasks WHERE query_id IN (${list}) AND node_id LIKE 'worker%' GROUP BY node_id ORDER BY node_id`,
    );
    await engine.close();
    const stats = await Promise.all(ids.map(([id]) => this.#statsOf(id)));
    const total = (name) => stats.reduce((sum, one) => sum + bytesOf(one[name]), 0) / 1e6;
    const read = `${total("physicalInputDataSize").toFixed(0)} MB read`;
    const sent = `${total("internalNetworkInputDataSize").toFixed(0)} MB sent between nodes`;
    const work = splits.map(([node, count, cpuMs]) => `${node} ${count} splits in ${(cpuMs / 1000).toFixed(1)} s`);
    return [read, sent, ...work].join(", ");
  }

  async #statsOf(queryId) {
    const headers = { "x-trino-user": "siteframe" };
    const response = await fetch(`${this.#place.server}/v1/query/${queryId}`, { headers });
    return (await response.json()).queryStats;
  }
}

/** Every cell of a result is looked at, and none is sent. */
function summed({ sql, width }) {
  const names = Array.from({ length: width }, (_, column) => `c${column}`).join(", ");
  return `SELECT count(*), to_hex(checksum(row(${names}))) FROM (${sql}) AS answer(${names})`;
}

async function rowsOf(engine, sql) {
  const rows = [];
  for await (const { rowCount, columns } of engine.query(sql)) {
    for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((column) => column[row]));
  }
  return rows;
}

/** Trino writes sizes as texts: `12.5MB`. */
function bytesOf(size) {
  const [, number, unit] = /^([\d.]+)(\w+)$/.exec(size) ?? [];
  return Number(number) * { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }[unit];
}
