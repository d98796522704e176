/**
 * The same to DuckDB's ASOF JOIN, one a property. The log is sorted and split by property before, ties are settled (a join
 * would pick either), and the answer stays in its own memory. Values are texts or codes: the faster counts.
 */
import { BIGINT, DuckDBDataChunk, DuckDBInstance, INTEGER, UTINYINT } from "@duckdb/node-api";
import { CHANGES, cellHash, KEYS, makeLog, measure } from "../history/data.mjs";
import { report } from "../programs.mjs";
import { makeTable, ROWS } from "./data.mjs";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const run = (sql) => connection.run(sql);
await fill();
for (const [key, name] of KEYS.entries()) {
  const last = `SELECT feature, us, arg_max_null(value, id) AS code FROM changes WHERE key = ${key} GROUP BY feature, us`;
  await run(`CREATE TABLE ${name} AS SELECT *, 'value ' || code AS text FROM (${last}) ORDER BY feature, us`);
}
await run("CREATE TABLE in_order AS SELECT * FROM rows ORDER BY us, row");

const ask = (table, names, value) => {
  const columns = names.map((name) => `${name}.${value} AS v${KEYS.indexOf(name)}`);
  const joins = names.map((name) => `ASOF LEFT JOIN ${name} ON t.feature = ${name}.feature AND t.us >= ${name}.us`);
  return `SELECT t.row, t.feature, t.us, ${columns.join()} FROM ${table} t ${joins.join(" ")}`;
};
const questions = { one: ["rows", ["STATUS"]], five: ["rows", KEYS] };
const inOrder = { sortedOne: ["in_order", ["STATUS"]], sortedFive: ["in_order", KEYS] };
const figures = { ms: {}, hash: {} };
for (const [question, [table, names]] of Object.entries({ ...questions, ...inOrder })) {
  for (const value of ["code", "text"]) {
    const { ms } = await measure(() => run(`CREATE OR REPLACE TABLE answer AS ${ask(table, names, value)}`));
    figures.ms[question] = Math.min(figures.ms[question] ?? ms, ms);
    if (value === "code") figures.hash[question] = await hashOf(names);
  }
}
report(figures);

async function hashOf(names) {
  let hash = 0;
  for (const name of names) {
    const key = KEYS.indexOf(name);
    const read = await connection.runAndReadAll(`SELECT row, v${key} FROM answer WHERE v${key} IS NOT NULL`);
    for (const [row, code] of read.getRows()) hash += cellHash(Number(row) * KEYS.length + key, Number(code));
  }
  return hash;
}

async function fill() {
  const log = makeLog();
  const table = makeTable();
  const place = (n) => n;
  // Features of the log are counted from 0, ids from 1.
  await append("changes", CHANGES, [
    ["feature", INTEGER, (n) => log.feature[n] + 1],
    ["key", UTINYINT, (n) => log.key[n]],
    ["value", INTEGER, (n) => log.value[n] || null],
    ["us", BIGINT, (n) => BigInt(log.timeUs[n])],
    ["id", INTEGER, place],
  ]);
  await append("rows", ROWS, [
    ["row", INTEGER, place],
    ["feature", INTEGER, (n) => table.feature[n]],
    ["us", BIGINT, (n) => BigInt(table.us[n])],
  ]);
}

async function append(name, count, columns) {
  await run(`CREATE TABLE ${name} (${columns.map(([column, type]) => `${column} ${type}`).join()})`);
  const appender = await connection.createAppender(name);
  const size = 2048;
  for (let start = 0; start < count; start += size) {
    const places = Array.from({ length: Math.min(size, count - start) }, (_, n) => start + n);
    const chunk = DuckDBDataChunk.create(columns.map(([, type]) => type));
    chunk.setColumns(columns.map(([, , valueAt]) => places.map(valueAt)));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}
