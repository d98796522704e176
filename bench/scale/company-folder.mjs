/**
 * A snapshot folder of a made-up company with a long log: 24 changes a feature over three years, on eight sites and
 * without one; five properties, each with a definition a site, so that their columns are merged. Ties, late edits,
 * clears, values of every kind, features that were never changed, and changes that others caused.
 *
 * DuckDB makes the records of the log, since a script would take an hour for 12,000,000; the library's writer sorts
 * them, and writes the files: `node company-folder.mjs CHANGES`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDuckDB } from "../../modules/snapshot/database/open-duckdb.js";
import { removeUnlisted } from "../../modules/snapshot/folder/prune-generations.js";
import { formatManifest } from "../../modules/snapshot/format/manifest-text.js";
import { joinLog, logParts } from "../../modules/snapshot/write/join-parts.js";
import { writeSnapshot, writeTable } from "../../modules/snapshot/write/write-snapshot.js";
import { report } from "../programs.mjs";
import { dataPath } from "../share.mjs";
import {
  CHANGES_OF_FEATURE,
  DAY_MS,
  datasets,
  definitions,
  END_MS,
  layerFeatures,
  PROPERTIES,
  SITES,
  START_MS,
  sites,
} from "./company.mjs";

/** The folder of a company with so many changes; written if absent. */
async function companyFolder(changes) {
  const folder = dataPath(`company-${changes}.snapshot`);
  if (existsSync(join(folder, "manifest.json"))) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const features = Math.ceil(changes / CHANGES_OF_FEATURE);
  const tables = { sites: sites(), datasets: datasets(), propertyDefinitions: definitions() };
  await writeSnapshot(unfinished, { ...tables, layerFeatures: layerFeatures(features) }, { readAt: new Date(END_MS) });
  await addChanges(unfinished, changes, features);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return folder;
}

async function addChanges(folder, count, features) {
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  const database = join(scratch, "changes.duckdb");
  const instance = await openDuckDB(database, { memoryMb: 2048, threads: 2, spillPath: scratch });
  const connection = await instance.connect();
  await connection.run(
    `CREATE TABLE layer_features AS SELECT id, ${siteOf("id")} AS site_id FROM range(1, ${features + 1}) t(id)`,
  );
  await connection.run(`CREATE TABLE property_changes AS ${changesSql(count, features)}`);
  const parts = await writeTable(connection, logParts, folder);
  const files = await joinLog(connection, folder, parts);
  instance.closeSync();
  rmSync(scratch, { recursive: true });
  const path = join(folder, "manifest.json");
  const { sha256: _, ...manifest } = JSON.parse(readFileSync(path, "utf8"));
  const others = manifest.files.filter(({ resource }) => resource !== "propertyChanges");
  writeFileSync(path, formatManifest({ ...manifest, files: [...others, ...files] }));
  await removeUnlisted(folder);
}

/** A random whole number below `range`, another for each `salt`. */
const draw = (salt, range, n = "n") => `(hash((${n}) * 32 + ${salt}) % ${range})::BIGINT`;
/** Without a site where it is null. */
const siteOf = (id) => `CASE WHEN ${id} % 97 = 0 THEN NULL ELSE 1 + ${id} % ${SITES} END`;
const keySql = (site, property) =>
  `printf('0d%02x000%d-1111-4222-8333-%012x', coalesce(${site}, 0), ${property}, ${property} * 7919 + coalesce(${site}, 0))`;

function changesSql(count, features) {
  const insertedMs = (n) => `(${START_MS} + ((${n}) * ${(END_MS - START_MS) / count})::BIGINT)`;
  const uuid = (n, ms) =>
    `printf('%08x-%04x-7000-8%03x-%012x', ${ms} // 65536, ${ms} % 65536, ${draw(1, 4096, n)}, ${n})`;
  // Three in ten share the time of the one before.
  const moments = `SELECT n, ${insertedMs("n")} AS inserted, n - (${draw(2, 10)} < 3)::BIGINT AS made,
      1 + ${draw(3, features)} AS drawn, ${draw(4, PROPERTIES.length)} AS property FROM range(${count}) t(n)`;
  const edits = `SELECT *, CASE WHEN drawn % 13 = 0 THEN drawn - 1 ELSE drawn END AS feature,
      (${insertedMs("made")} - CASE WHEN ${draw(5, 100, "made")} < 3 THEN ${draw(6, 30, "made")} * ${DAY_MS} ELSE 0 END) * 1000
        + ${draw(7, 1000, "made")} AS us FROM (${moments})`;
  const columns = `SELECT ${uuid("n", "inserted")} AS id, feature AS layer_feature_id, ${keySql(siteOf("feature"), "property")} AS property_key,
      ${valueSql()} AS new_value, n % 20 = 0 AS system, CASE WHEN n % 20 = 0 THEN NULL ELSE 1 + n % 50 END AS user_id,
      CASE WHEN n % 20 = 0 AND n > 0 THEN ${uuid("n - 1", insertedMs("n - 1"))} END AS caused_by_change_id,
      strftime(make_timestamp(us), '%Y-%m-%dT%H:%M:%S.%fZ') AS created FROM (${edits})`;
  const text = (name) => `coalesce('"' || ${name} || '"', 'null')`;
  return `SELECT * EXCLUDE (created, new_value), nullif(new_value, 'null') AS new_value, created::TIMESTAMPTZ AS created_at,
      '{"id":"' || id || '","layer_feature_id":' || layer_feature_id || ',"property_key":"' || property_key || '","new_value":' || new_value
      || ',"system":' || system || ',"user_id":' || coalesce(user_id::VARCHAR, 'null') || ',"caused_by_change_id":' || ${text("caused_by_change_id")}
      || ',"created_at":"' || created || '"}' AS record FROM (${columns})`;
}

/** JSON text of a value in canonical form. */
function valueSql() {
  const statuses = ["OPEN", "IN_REVIEW", "CLOSED", "BLOCKED", "REJECTED", "PLANNED", "DONE"];
  const status = `'"' || list_value(${statuses.map((word) => `'${word}'`).join()})[1 + ${draw(9, statuses.length)}] || '"'`;
  const assignee = `'"' || CASE WHEN ${draw(10, 50)} = 0 THEN 'Zoë ' ELSE 'user ' END || ${draw(11, 40)} || '"'`;
  const volume = `CASE WHEN ${draw(12, 10)} < 3 THEN ${draw(13, 100)}::VARCHAR ELSE printf('%d.%03d', ${draw(14, 1000)}, 1 + ${draw(15, 100)} * 10) END`;
  const severity = `CASE ${draw(16, 50)} WHEN 0 THEN '"3"' WHEN 1 THEN 'true' ELSE (1 + ${draw(17, 5)})::VARCHAR END`;
  const tags = `CASE WHEN ${draw(18, 2)} = 0 THEN '["t' || ${draw(19, 9)} || '","x"]' ELSE '{"a":[1,null,"é"],"b":' || ${draw(20, 9)} || '}' END`;
  const cases = [status, assignee, volume, severity, tags].map(
    (sql, property) => `WHEN property = ${property} THEN ${sql}`,
  );
  return `CASE WHEN ${draw(8, 20)} = 0 THEN 'null' ${cases.join(" ")} END`;
}

report(await companyFolder(Number(process.argv[2])));
