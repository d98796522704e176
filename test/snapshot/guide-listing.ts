import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The code block of the page about Parquet files that begins with a string. */
function listingBlock(begin: string): string {
  const page = "docs/how-to/read-parquet-files.md";
  const text = readFileSync(join(import.meta.dirname, "../..", page), "utf8");
  const blocks = [...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
  const found = blocks.find((code) => code.startsWith(begin));
  if (found === undefined) throw new Error(`${page} has no block that begins with ${begin}`);
  return found;
}

/** The Python that defines `files()`. */
export function guidePython(): string {
  return listingBlock("import json");
}

/**
 * The SQL that defines `files_of()`, except the statement that reads a table.
 *
 * @param folder path or URL of the snapshot
 */
export function guideStatements(folder: string): string {
  const block = listingBlock("SET VARIABLE files");
  return block.replace(/^FROM read_parquet.*$/m, "").replaceAll("acme.snapshot", folder);
}
