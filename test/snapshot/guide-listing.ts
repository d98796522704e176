import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The code block of a guide that begins so. */
function guideBlock(guide: string, begin: string): string {
  const text = readFileSync(join(import.meta.dirname, "../../docs/guide", guide), "utf8");
  const blocks = [...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
  const found = blocks.find((code) => code.startsWith(begin));
  if (found === undefined) throw new Error(`${guide} has no block that begins with ${begin}`);
  return found;
}

/** The Python of the guide that defines `files()`. */
export function guidePython(): string {
  return guideBlock("python.md", "import json");
}

/**
 * The SQL of the guide that defines `files_of()`, without the statement that reads a table.
 *
 * @param folder path or URL of the snapshot
 */
export function guideStatements(folder: string): string {
  const block = guideBlock("snapshots.md", "SET VARIABLE files");
  return block.replace(/^FROM read_parquet.*$/m, "").replaceAll("acme.snapshot", folder);
}
