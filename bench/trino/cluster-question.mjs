import { trino } from "../../modules/index.js";
import { cpuSeconds } from "./cpu-seconds.mjs";

let asked = 0;

/**
 * A question as one cluster answers it, its result left there: of every row only a sum that tells whether two results are
 * the same.
 */
export class ClusterQuestion {
  #cluster;
  #statements;
  #last = "";

  constructor(cluster, statements) {
    this.#cluster = cluster;
    this.#statements = statements;
  }

  /**
   * Asks twice through the library, and keeps what it asks the engine the second time: what it found out then, it
   * remembers.
   *
   * @param cluster its nodes, and the place where the tables are declared
   * @param ask gives the answer to a question: awaited, or stored
   */
  static async of(cluster, snapshot, params, ask) {
    const engine = trino(cluster.place);
    const statements = [];
    const query = async function* (sql, options) {
      const statement = { sql, width: 0 };
      statements.push(statement);
      for await (const rows of engine.query(sql, options)) {
        statement.width = rows.columns.length;
        yield rows;
      }
    };
    const store = async (sql) => {
      const [row] = await rowsOf(engine, `SELECT * FROM (${sql}) LIMIT 1`);
      statements.push({ sql, width: row.length });
    };
    const questions = await snapshot.questions(params, { engine: { ...engine, query, store } });
    await ask(questions);
    statements.length = 0;
    await ask(questions);
    await engine.close();
    return new ClusterQuestion(cluster, statements);
  }

  /** @returns a sum of the result, how long it took, and what each node computed meanwhile, in seconds */
  async ask() {
    asked += 1;
    this.#last = `bench ${process.pid} ${asked}`;
    const engine = trino({ ...this.#cluster.place, source: this.#last });
    const before = this.#cluster.nodes.map(({ pid }) => cpuSeconds(pid));
    const start = performance.now();
    const sums = [];
    for (const statement of this.#statements) sums.push(...(await rowsOf(engine, summed(statement))));
    const seconds = (performance.now() - start) / 1000;
    const cpu = this.#cluster.nodes.map(({ pid }, node) => cpuSeconds(pid) - before[node]);
    await engine.close();
    return { sum: JSON.stringify(sums), seconds, cpu };
  }

  /** What the last time cost, as the engine counts it. */
  async describe() {
    const engine = trino(this.#cluster.place);
    const ids = await rowsOf(engine, `SELECT query_id FROM system.runtime.queries WHERE source = '${this.#last}'`);
    const list = ids.map(([id]) => `'${id}'`).join();
    const splits = await rowsOf(
      engine,
      `SELECT node_id, sum(splits) FROM system.runtime.tasks WHERE query_id IN (${list}) AND node_id LIKE 'worker%' GROUP BY node_id ORDER BY node_id`,
    );
    await engine.close();
    const stats = await Promise.all(ids.map(([id]) => this.#statsOf(id)));
    const total = (name) => stats.reduce((sum, one) => sum + bytesOf(one[name]), 0) / 1e6;
    const planning = stats.reduce((sum, one) => sum + secondsOf(one.planningTime), 0);
    return [
      `${planning.toFixed(2)} s planned`,
      `${total("physicalInputDataSize").toFixed(0)} MB read`,
      `${total("internalNetworkInputDataSize").toFixed(0)} MB sent between nodes`,
      ...splits.map(([node, count]) => `${node} ${count} splits`),
    ].join(", ");
  }

  async #statsOf(queryId) {
    const headers = { "x-trino-user": "siteframe" };
    const response = await fetch(`${this.#cluster.place.server}/v1/query/${queryId}`, { headers });
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

/** And times: `12.50ms`. */
function secondsOf(time) {
  const [, number, unit] = /^([\d.]+)(\w+)$/.exec(time) ?? [];
  return Number(number) * { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60 }[unit];
}
