import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseManifest } from "../../src/snapshot/format/manifest-text.js";
import { tableFolder } from "../../src/snapshot/format/snapshot-paths.js";
import { sqlList } from "../../src/tables/sql/sql-text.js";

/** The Parquet files of a table in the newest generation, as a list in SQL. */
export function newestFiles(path: string, table: string): string {
  const place = join(path, "manifest.json");
  const { files, gone_files = [] } = parseManifest(readFileSync(place, "utf8"), place);
  const own = [...files, ...gone_files].filter((file) => file.path.startsWith(`${tableFolder(table)}/`));
  return sqlList(own.map((file) => join(path, file.path)));
}
