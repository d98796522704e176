import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Operation, PropertyChange } from "../../../src/index.js";
import { sqlText } from "../../../src/tables/sql/sql-text.js";
import { duckdbJson } from "../../support/duckdb-rows.js";
import { change } from "../../support/records.js";

/** Ids of users in eight digits, so that no other number of a folder is one by chance. */
const USERS = [73_451_201, 73_451_202, 73_451_203];
const NAMES = ["Ottilie Quandt", "Ørjan Żółć", "Quentin Vex"];
const PHONES = ["+49 5551 880012", "+47 5551 880023", "+1 5551 880034"];
const MAILS = ["ottilie.quandt@people.example", "orjan@people.example", "q.vex@people.example"];

export const operations: readonly Operation[] = NAMES.map((contact_name, index) => ({
  id: index + 1,
  site_id: 1 + (index % 3),
  date_captured: "2024-05-01",
  status: "COMPLETED",
  data_product_id: 1,
  data_product_name: null,
  description: "Survey",
  date_start: null,
  date_end: null,
  contact_name,
  contact_phone: PHONES[index] as string,
  contact_mail: MAILS[index] as string,
}));

/** A change that one of three people made. */
export function changeByPerson(n: number, layer_feature_id: number): PropertyChange {
  return change(n, { layer_feature_id, user_id: USERS[n % USERS.length] as number });
}

/** The people named in a string. */
export function peopleIn(text: string): readonly string[] {
  return [...NAMES, ...PHONES, ...MAILS, ...USERS.map(String)].filter((person) => text.includes(person));
}

/** The people in the files of a folder, each with the file: in bytes, in decompressed tables, and in names of files. */
export async function peopleInFolder(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const note = (people: readonly string[]) =>
      found.push(...people.map((person) => `${relative(root, path)}: ${person}`));
    note(peopleIn(entry.name));
    if (entry.isDirectory()) continue;
    note(peopleInBytes(readFileSync(path)));
    if (entry.name.endsWith(".parquet")) {
      note(peopleIn(await tableText(`SELECT * FROM read_parquet(${sqlText(path)}, hive_partitioning = false)`)));
    }
    if (entry.name.endsWith(".ducklake")) note(peopleIn(await catalogText(path)));
  }
  return [...new Set(found)];
}

function peopleInBytes(bytes: Buffer): readonly string[] {
  const users = USERS.filter((user) => encodings(user).some((form) => bytes.includes(form)));
  return [...peopleIn(bytes.toString("latin1")), ...peopleIn(bytes.toString("utf8")), ...users.map(String)];
}

/** A number as column files, Parquet and DuckDB write it. */
function encodings(value: number): readonly Buffer[] {
  const [double, integer] = [Buffer.alloc(8), Buffer.alloc(4)];
  double.writeDoubleLE(value);
  integer.writeInt32LE(value);
  return [double, integer];
}

async function tableText(sql: string): Promise<string> {
  return JSON.stringify(await duckdbJson(sql));
}

async function catalogText(path: string): Promise<string> {
  const attached = `ATTACH ${sqlText(path)} AS lake (READ_ONLY)`;
  const names = await duckdbJson(`${attached}; SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'`);
  const texts = names.map(([name]) => tableText(`${attached}; FROM lake."${String(name)}"`));
  return (await Promise.all(texts)).join("\n");
}
