/**
 * The same questions to DuckDB, by its fastest queries that keep the rules (null is a value, ties by id). It is given
 * every advantage: values as codes, ids as ranks, answers left in its own memory.
 */
import { BIGINT, DOUBLE, DuckDBDataChunk, DuckDBInstance, INTEGER, UTINYINT } from "@duckdb/node-api";
import { report } from "../programs.mjs";
import { CHANGES, cellHash, KEYS, MONTH_ENDS, makeLog, measure, ONE_DATE, START_MS, THOUSAND } from "./data.mjs";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const run = (sql) => connection.run(sql);
const rows = async (sql) => (await connection.runAndReadAll(sql)).getRows();
await fill();

const sort = await measure(() =>
  run("CREATE OR REPLACE TABLE sorted AS SELECT * FROM changes ORDER BY feature, key, us, id"),
);

const us = ONE_DATE * 1000;
const asOf = await measure(() =>
  run(`CREATE OR REPLACE TABLE answer AS
    SELECT feature, key, arg_max_null(value, row(us, id)) AS value
    FROM changes WHERE us <= ${us} GROUP BY feature, key`),
);
const sortedAsOf = await measure(() =>
  run(`CREATE OR REPLACE TABLE answer AS
    SELECT feature, key, arg_max_null(value, row(us, id)) AS value
    FROM sorted WHERE us <= ${us} GROUP BY feature, key`),
);
const wide = await measure(() =>
  run(
    `CREATE OR REPLACE TABLE wide AS SELECT feature, ${KEYS.map(
      (_, key) => `arg_max_null(value, row(us, id)) FILTER (key = ${key}) AS k${key}`,
    ).join()} FROM changes WHERE us <= ${us} GROUP BY feature`,
  ),
);
const asOfHash = await hashOf("SELECT feature * 5 + key, value FROM answer WHERE value IS NOT NULL");

await run("CREATE TABLE month_ends (place INTEGER, us DOUBLE)");
await run("CREATE TABLE thousand (place INTEGER, us DOUBLE)");
await dates("month_ends", MONTH_ENDS);
await dates("thousand", THOUSAND);
const status = KEYS.indexOf("STATUS");
/** Changes of one property with the first date that sees each: by ASOF join, or by arithmetic where dates are even. */
const placed = (
  grid,
) => `(SELECT feature, value, c.us, id, coalesce(d.place, (SELECT count(*) FROM ${grid}))::INTEGER AS place
  FROM changes c ASOF LEFT JOIN ${grid} d ON c.us <= d.us WHERE key = ${status})`;
const step = (THOUSAND[1] - THOUSAND[0]) * 1000;
const placedEvenly = `(SELECT feature, value, us, id, least(1000, greatest(0, ceil((us - ${START_MS * 1000}) / ${step}) - 1))::INTEGER AS place
  FROM changes WHERE key = ${status})`;
const spans = (source, count) => `SELECT feature, value, place AS a,
    lead(place, 1, ${count}) OVER (PARTITION BY feature ORDER BY us, id) AS b FROM ${source}`;

const panelUnnest = await measure(() =>
  run(`CREATE OR REPLACE TABLE panel AS
    SELECT unnest(range(a, b)) AS place, feature, value FROM (${spans(placed("month_ends"), 36)}) WHERE b > a`),
);
const panelJoin = await measure(() =>
  run(`CREATE OR REPLACE TABLE panel_join AS SELECT d.place, s.feature, s.value
    FROM (${spans(placed("month_ends"), 36)}) s JOIN month_ends d ON d.place >= s.a AND d.place < s.b WHERE b > a`),
);
const panelGroup = await measure(() =>
  run(`CREATE OR REPLACE TABLE panel_group AS SELECT d.place, c.feature, arg_max_null(c.value, row(c.us, c.id)) AS value
    FROM changes c JOIN month_ends d ON c.us <= d.us WHERE c.key = ${status} GROUP BY ALL`),
);
const panelHash = await hashOf("SELECT feature * 36 + place, value FROM panel WHERE value IS NOT NULL");

const sweep = (source, grid, count) => `WITH spans AS (${spans(source, count)}),
  steps AS (
    SELECT a AS place, value, 1 AS step FROM spans WHERE b > a
    UNION ALL SELECT b, value, -1 FROM spans WHERE b > a),
  sums AS (SELECT place, value, sum(step)::INTEGER AS step FROM steps WHERE place < ${count} GROUP BY ALL),
  filled AS (SELECT d.place, v.value, coalesce(s.step, 0) AS step
    FROM ${grid} d CROSS JOIN (SELECT DISTINCT value FROM sums) v
    LEFT JOIN sums s ON s.place = d.place AND s.value IS NOT DISTINCT FROM v.value)
  SELECT place, value, sum(step) OVER (PARTITION BY value ORDER BY place)::INTEGER AS count FROM filled`;
const counts1000 = await measure(() =>
  run(`CREATE OR REPLACE TABLE counts1000 AS ${sweep(placed("thousand"), "thousand", 1000)}`),
);
const counts1000Even = await measure(() =>
  run(`CREATE OR REPLACE TABLE counts1000 AS ${sweep(placedEvenly, "thousand", 1000)}`),
);

report({
  ms: {
    index: sort.ms,
    asOf: Math.min(asOf.ms, sortedAsOf.ms, wide.ms),
    panel: Math.min(panelJoin.ms, panelUnnest.ms, panelGroup.ms),
    counts: Math.min(counts1000.ms, counts1000Even.ms),
  },
  hash: {
    asOf: asOfHash,
    panel: panelHash,
    counts: await hashOf("SELECT place * 41 + value, count FROM counts1000 WHERE value IS NOT NULL AND count > 0"),
  },
});

async function hashOf(sql) {
  let hash = 0;
  for (const [cell, code] of await rows(sql)) hash += cellHash(Number(cell), Number(code));
  return hash;
}

async function dates(table, list) {
  await run(`INSERT INTO ${table} VALUES ${list.map((ms, place) => `(${place}, ${ms * 1000})`).join()}`);
}

async function fill() {
  const log = makeLog();
  await run("CREATE TABLE changes (feature INTEGER, key UTINYINT, value INTEGER, us DOUBLE, id BIGINT)");
  const appender = await connection.createAppender("changes");
  const size = 2048;
  for (let start = 0; start < CHANGES; start += size) {
    const end = Math.min(start + size, CHANGES);
    const places = Array.from({ length: end - start }, (_, n) => start + n);
    const chunk = DuckDBDataChunk.create([INTEGER, UTINYINT, INTEGER, DOUBLE, BIGINT]);
    chunk.setColumns([
      places.map((place) => log.feature[place]),
      places.map((place) => log.key[place]),
      places.map((place) => log.value[place] || null),
      places.map((place) => log.timeUs[place]),
      places.map(BigInt),
    ]);
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}
