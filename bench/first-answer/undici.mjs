/** `node undici.mjs ADDRESS PATH…` reports the time from the import to the parsed answers. */
import { assertEqual, report } from "../programs.mjs";

const [url, ...paths] = process.argv.slice(2);
const start = performance.now();
const { Pool } = await import("undici");
const pool = new Pool(url);
const read = async (path) => JSON.parse(await (await pool.request({ path, method: "GET" })).body.text());
const answers = await Promise.all(paths.map(read));
const ms = performance.now() - start;
assertEqual("rows", Math.max(...answers.map(({ pagination }) => pagination.rowCount)), 2);
report({ ms });
